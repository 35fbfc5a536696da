// Work on many files, some at once: each costs a round trip to a bucket, or a sync of a disk.
const most = 8;

/** Begins no more work after the first error, which it throws when all that has begun is done. */
export async function someAtOnce<T>(
  items: Iterable<T>,
  work: (item: T) => Promise<void>,
): Promise<void> {
  // An error in a loop ends the generator, and so the others, too.
  const left = (function* () {
    yield* items;
  })();
  const workers = Array.from({ length: most }, async () => {
    for (const item of left) await work(item);
  });
  const failed = (await Promise.allSettled(workers)).find(({ status }) => status === 'rejected');
  if (failed !== undefined) throw (failed as PromiseRejectedResult).reason;
}
