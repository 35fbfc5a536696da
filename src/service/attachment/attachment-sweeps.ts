// Removes unused attachments: uploads that were not completed within a day, and attachments that no event named within a week.
import type { Attachments } from '../context.js';

const dayMs = 24 * 3_600_000;
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
