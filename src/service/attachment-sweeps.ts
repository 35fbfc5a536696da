// Removes unused attachments at the start and every hour: uploads that were not completed within a day, and attachments
// that no event named within a week.
import type { Logger } from 'pino';
import type { Attachments } from './context.js';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const unnamedMs = 7 * dayMs;

/** @param nowMs milliseconds since 1970 */
export async function sweepAttachments(
  { records, files }: Attachments,
  nowMs: number,
): Promise<void> {
  const limits = { begunBefore: nowMs - dayMs, unnamedBefore: nowMs - unnamedMs };
  const dropped = (await records.drop(limits)).filter((file) => !files.isWriting(file));
  for (const file of dropped) await files.remove(file);
  await records.forget(dropped);
}

export interface Sweeps {
  /** Waits for a running sweep. */
  close(): Promise<void>;
}

export function startSweeps(attachments: Attachments, log: Logger): Sweeps {
  let running = Promise.resolve();
  const sweep = () => {
    running = running
      .then(() => sweepAttachments(attachments, Date.now()))
      .catch((error: unknown) => log.error({ err: error }, 'attachments cannot be removed'));
  };
  const timer = setInterval(sweep, hourMs).unref();
  sweep();
  return {
    close: () => {
      clearInterval(timer);
      return running;
    },
  };
}
