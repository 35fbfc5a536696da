// The command `evalstore` of the build.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';
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

function textsOf(stream: Readable): readonly string[] {
  const texts: string[] = [];
  stream.setEncoding('utf8').on('data', (text: string) => texts.push(text));
  return texts;
}

/** Runs the command to its end while this process goes on. Variables that are undefined are unset. */
export async function endOf(
  words: readonly string[],
  variables: Readonly<Record<string, string | undefined>> = {},
): Promise<Ended> {
  const child = spawn(process.execPath, [evalstore, ...words], {
    env: { ...process.env, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr] = [textsOf(child.stdout), textsOf(child.stderr)];
  const [status] = (await once(child, 'close')) as [number | null];
  return { status, stdout: stdout.join(''), stderr: stderr.join('') };
}

/** Runs the command beside this process, which goes on; returns its output. */
export async function runBeside(words: readonly string[]): Promise<string> {
  const { status, stdout, stderr } = await endOf(words);
  expect(status, stdout + stderr).to.equal(0);
  return stdout;
}

/** What `evalstore backup --json` prints. */
export interface BackupDone {
  readonly transaction: string;
  readonly files: number;
  readonly copied_files: number;
  readonly copied_bytes: number;
  readonly removed_backups: number;
}
