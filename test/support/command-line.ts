// The command `evalstore` of the build.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { run } from '../../src/cli/main.js';

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

export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a command to its end in this process, one at a time, which is quicker than a process of its own; not what reads standard input.
 * `terminal` gets its progress.
 */
export async function runHere(
  words: readonly string[],
  variables: Readonly<Record<string, string | undefined>> = {},
  terminal: NodeJS.WritableStream & { readonly isTTY?: boolean } = new PassThrough(),
): Promise<Ended> {
  const printed = { stdout: '', stderr: '' };
  const status = await run(words, {
    environment: { ...process.env, ...variables },
    print: (line) => (printed.stdout += `${line}\n`),
    note: (line) => (printed.stderr += `${line}\n`),
    terminal,
  });
  return { status, ...printed };
}

/** Runs the command beside this process, which goes on; returns its output. */
export async function runBeside(words: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [evalstore, ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const [code] = (await once(child, 'close')) as [number];
  expect(code, output).to.equal(0);
  return output;
}

/** What `evalstore backup --json` prints. */
export interface BackupDone {
  readonly transaction: string;
  readonly files: number;
  readonly copied_files: number;
  readonly removed_backups: number;
}
