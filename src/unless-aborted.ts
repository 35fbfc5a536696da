import { once } from 'node:events';

/** Waits for the work. @throws the signal's reason if it is aborted first */
export async function unlessAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const ended = new AbortController();
  const aborted = once(signal, 'abort', { signal: ended.signal }).then(
    () => signal.throwIfAborted(),
    () => {},
  );
  await Promise.race([work, aborted]).finally(() => ended.abort());
}
