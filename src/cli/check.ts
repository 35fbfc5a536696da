// `evalstore check`: verifies a data directory and changes nothing.
import { completeFiles } from '../catalog/attachments.js';
import { checkBodyFiles } from '../catalog/body-files.js';
import type { Config } from '../config.js';
import { checkStore } from '../store/check/check-store.js';
import { checkAttachments } from '../store/file/attachment-files.js';
import { filesLeftByCrash } from '../store/recovery/obsolete-files.js';
import type { Context } from './context.js';

/** Returns the exit code: 0 without problems, 1 with problems. @throws Error if the directory cannot be checked */
export async function checkDirectory(
  { dataDir, queryMemoryMb, queryThreads }: Config,
  { print }: Context,
  isJson: boolean,
): Promise<0 | 1> {
  const left: string[] = [];
  const evicted: string[] = [];
  const problems = await checkStore(
    dataDir,
    async (connection) => {
      left.push(...(await filesLeftByCrash(connection, dataDir)));
      return [
        ...(await checkAttachments(dataDir, await completeFiles(connection))),
        ...(await checkBodyFiles(dataDir, connection)),
      ];
    },
    (file) => evicted.push(file),
    { memoryMb: queryMemoryMb, threads: queryThreads },
  );
  if (isJson)
    print(
      JSON.stringify({
        directory: dataDir,
        problems,
        left_by_crash: left,
        only_in_bucket: evicted,
      }),
    );
  else {
    for (const file of left) print(`${file}: left by a crash, removed at the next start`);
    for (const file of evicted) print(`${file}: only in the bucket, not checked`);
    for (const problem of problems) print(problem);
    const count = problems.length === 1 ? '1 problem' : `${problems.length || 'no'} problems`;
    print(`${dataDir}: ${count}`);
  }
  return problems.length === 0 ? 0 : 1;
}
