// Waits until the engine has closed its file, which happens a moment after `closeSync` when its last thread releases the
// instance.
import { readdir, readlink, realpath } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

const descriptors = '/proc/self/fd';
const checkEveryMs = 5;
const waitMsMax = 5_000;

const target = (descriptor: string): Promise<string> =>
  readlink(`${descriptors}/${descriptor}`).catch(() => '');

/** The number of file descriptors of this process for `file`; 0 if the system does not list them. */
export async function openHandles(file: string): Promise<number> {
  const names = await readdir(descriptors).catch(() => []);
  const [real, ...targets] = await Promise.all([realpath(file), ...names.map(target)]);
  return targets.filter((path) => path === real).length;
}

/**
 * Waits until the engine does not have `file` open, so that opening it again cannot put two instances on it. False if it still has.
 * @param kept the handles of this process that stay open
 */
export async function untilReleased(file: string, kept: number): Promise<boolean> {
  const deadline = performance.now() + waitMsMax;
  while ((await openHandles(file)) > kept) {
    if (performance.now() > deadline) return false;
    await delay(checkEveryMs);
  }
  return true;
}
