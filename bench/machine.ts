// What a result was measured on and with.
import { execFile } from 'node:child_process';
import { availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface Machine {
  readonly processor: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly system: string;
  readonly node: string;
  /** Commit of the checkout, with a plus sign when files differ from it. */
  readonly revision: string;
  readonly date: string;
  /** Processes that wanted to run in the minute before: more than 0.5 says that the machine was not at rest. */
  readonly loadBefore: number;
}

async function revisionOf(root: string): Promise<string> {
  const { stdout: commit } = await run('git', ['rev-parse', '--short', 'HEAD'], { cwd: root });
  const { stdout: changes } = await run('git', ['status', '--porcelain', '--', 'src', 'bench'], {
    cwd: root,
  });
  return commit.trim() + (changes === '' ? '' : '+');
}

export const describeMachine = async (root: string): Promise<Machine> => ({
  processor: cpus()[0]?.model ?? 'unknown',
  cores: availableParallelism(),
  memoryGb: Math.round(totalmem() / 2 ** 30),
  system: `${type()} ${release()}`,
  node: process.version,
  revision: await revisionOf(root),
  date: new Date().toISOString().slice(0, 10),
  loadBefore: Math.round((loadavg()[0] ?? 0) * 100) / 100,
});
