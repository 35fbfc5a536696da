// Runs users' programs in Python, in virtual environments that `install.sh` creates.
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestServer } from '../../support/start-server.js';
import { root, runCommand, variablesFor } from '../run-program.js';

/** One of `environments/<name>.in`. */
export type PythonEnvironment =
  | 'agents'
  | 'braintrust'
  | 'braintrust-0.0.180'
  | 'braintrust-0.33.0'
  | 'braintrust-api'
  | 'duckdb-http'
  | 'frames'
  | 'langchain'
  | 'litellm'
  | 'openapi'
  | 'opentelemetry'
  | 'tables';

export interface PythonRun {
  readonly environment: PythonEnvironment;
  /** By default `python` and the first of the files. A command of the environment comes before those of the machine. */
  readonly command?: readonly [string, ...string[]];
  /** Paths below the root of the repository; copied into the working directory. */
  readonly files: readonly [string, ...string[]];
  /** Beside the address and the key of the server. */
  readonly variables?: Readonly<Record<string, string>>;
  /** A shell command that prepares the working directory. */
  readonly before?: string;
  /** What the program exits with; 0 by default. */
  readonly code?: number;
}

export interface PythonRan {
  readonly out: string;
  readonly errors: string;
}

/** `npm run test:clients -- --newest` has the newest published versions instead of the pinned ones. */
const versions = process.env['EVALSTORE_PYTHON_VERSIONS'] ?? 'pinned';

/**
 * The folder of an environment.
 * @throws Error that says what to run when it is not there
 */
export function pythonEnvironment(name: PythonEnvironment): string {
  const folder = path.join(root, '.python', versions, name);
  if (!existsSync(path.join(folder, 'versions.txt')))
    throw new Error(
      `the Python environment ${name} is missing: run "sh test/clients/python/install.sh", which needs python3 and python3-venv`,
    );
  return folder;
}

/**
 * Runs a program in a new directory outside of any repository, with no variables but those of the server and its own.
 * @throws Error with the program's output when it ends otherwise than it should
 */
export async function runPython(server: TestServer, run: PythonRun): Promise<PythonRan> {
  const bin = path.join(pythonEnvironment(run.environment), 'bin');
  const cwd = await mkdtemp(path.join(tmpdir(), 'evalstore-python-'));
  const home = path.join(cwd, 'home');
  const work = path.join(cwd, 'work');
  try {
    await Promise.all([mkdir(home), mkdir(work)]);
    for (const file of run.files)
      await copyFile(path.join(root, file), path.join(work, path.basename(file)));
    const env = {
      ...variablesFor(server),
      PATH: `${bin}:${process.env['PATH'] ?? ''}`,
      HOME: home,
      NO_COLOR: '1',
      ...run.variables,
    };
    const start = async (command: readonly [string, ...string[]], expected = 0) => {
      const { code, out, errors } = await runCommand(env, command, work);
      if (code !== expected)
        throw new Error(`${command.join(' ')} ended with ${String(code)}: ${out}${errors}`);
      return { out, errors };
    };
    if (run.before !== undefined) await start(['sh', '-ec', run.before]);
    return await start(run.command ?? ['python', path.basename(run.files[0])], run.code);
  } finally {
    await rm(cwd, { recursive: true, force: true });
  }
}
