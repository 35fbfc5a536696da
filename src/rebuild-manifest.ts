// `npm run rebuild-manifest`: rebuilds the database of a data directory that no server uses from its segments and logs.
import { recoverObjects } from './catalog/recovered-objects.js';
import { refuseArguments, runProgram } from './command-line.js';
import { readConfig } from './config.js';
import { rebuildManifest } from './store/rebuild/rebuild-manifest.js';

const usage = `usage: npm run rebuild-manifest

Makes a new meta.duckdb from the segments and logs of the data directory EVALSTORE_DATA_DIR (default ./data), and keeps the old
files under other names. Prints what is lost. Stop the server first.`;

await runProgram({
  usage,
  run: async (words) => {
    refuseArguments(words);
    const { dataDir, org, queryMemoryMb, queryThreads } = readConfig(process.env);
    const lines = await rebuildManifest(
      dataDir,
      { memoryMb: queryMemoryMb, threads: queryThreads },
      async (writer, objects) => {
        const recovered = await recoverObjects(writer, objects, org);
        return recovered.map(({ kind, id, name }) => `recreated: ${kind} ${id} as ${name}`);
      },
    );
    for (const line of lines) console.log(line);
  },
});
