// The command `evalstore` of the build.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** A program of Node.js. */
export const evalstore = fileURLToPath(new URL('../../server/evalstore.cjs', import.meta.url));

/** Runs the command to its end. Variables that are undefined are unset. */
export function runEvalstore(
  words: readonly string[],
  variables: Readonly<Record<string, string | undefined>> = {},
  input = '',
) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [evalstore, ...words], {
    encoding: 'utf8',
    env: { ...process.env, ...variables },
    input,
    maxBuffer: 2 ** 28,
  });
  return { status, stdout, stderr };
}
