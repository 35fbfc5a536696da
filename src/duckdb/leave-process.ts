// The end of the process, also while a statement goes on that does not heed interrupts.
import { someThreadIsBusy } from './engine-thread.js';

/** Since Node.js 22.15, and not on Windows; the types of Node.js 20 do not have it. */
interface Replaceable {
  execve?(file: string, args: readonly string[]): never;
}

/**
 * Ends the process with status 0. Node.js would wait for the threads of the engine, one of which may be busy for minutes;
 * nothing that has to be kept is in them. Where another program can take the place of this one, that ends with status 0;
 * else the process is killed.
 */
export function leaveProcess(): void {
  if (!someThreadIsBusy()) process.exit(0);
  (process as Replaceable).execve?.(process.execPath, [process.execPath, '--eval', '0']);
  process.kill(process.pid, 'SIGKILL');
}
