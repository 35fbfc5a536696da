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

/** Waits until nothing in this process has `file` open, so that opening it again cannot put two instances on it. */
export async function untilReleased(file: string): Promise<void> {
  const deadline = performance.now() + waitMsMax;
  while (performance.now() < deadline && (await openHandles(file)) > 0) await delay(checkEveryMs);
}
