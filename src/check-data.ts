// `npm run check-data`: verifies the data directory and changes nothing.
import { completeFiles } from './catalog/attachments.js';
import { checkBodyFiles } from './catalog/body-files.js';
import { refuseArguments, runProgram } from './command-line.js';
import { readConfig } from './config.js';
import { checkStore } from './store/check/check-store.js';
import { checkAttachments } from './store/file/attachment-files.js';
import { filesLeftByCrash } from './store/recovery/obsolete-files.js';

const usage = `usage: npm run check-data

Verifies the data directory EVALSTORE_DATA_DIR (default ./data) and changes nothing. Stop the server first.
Exit code: 0 without problems, 1 with problems, 2 if the directory cannot be checked.`;

await runProgram({
  usage,
  failed: 2,
  run: async (words) => {
    refuseArguments(words);
    const { dataDir, queryMemoryMb, queryThreads } = readConfig(process.env);
    const left: string[] = [];
    const problems = await checkStore(
      dataDir,
      async (connection) => {
        left.push(...(await filesLeftByCrash(connection, dataDir)));
        return [
          ...(await checkAttachments(dataDir, await completeFiles(connection))),
          ...(await checkBodyFiles(dataDir, connection)),
        ];
      },
      { memoryMb: queryMemoryMb, threads: queryThreads },
    );
    for (const file of left) console.log(`${file}: left by a crash, removed at the next start`);
    for (const problem of problems) console.log(problem);
    const count = problems.length === 1 ? '1 problem' : `${problems.length || 'no'} problems`;
    console.log(`${dataDir}: ${count}`);
    process.exitCode = problems.length === 0 ? 0 : 1;
  },
});
