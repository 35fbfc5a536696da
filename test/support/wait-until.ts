import { setTimeout as delay } from 'node:timers/promises';

/** Resolves when `condition` holds; throws naming `what` after `timeoutMs`, which by default only a hang reaches. */
export async function waitUntil(
  what: string,
  condition: () => boolean | Promise<boolean>,
  timeoutMs = 240_000,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`waited ${timeoutMs} ms in vain: ${what}`);
    await delay(5);
  }
}
