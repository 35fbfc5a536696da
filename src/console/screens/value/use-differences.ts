// Asks the worker for differences, one after the other, so that long ones do not block the page.
import { useEffect, useState } from 'react';
import type { Differences, Texts } from './differences.js';

async function startWorker(): Promise<Worker> {
  const { program } = await import('./differences.js');
  return new Worker(program, { type: 'module' });
}

let worker: Promise<Worker> | undefined;

/** @throws Error if the worker cannot run */
async function ask(texts: Texts): Promise<Differences> {
  worker ??= startWorker();
  const asked = await worker;
  const answered = new AbortController();
  const { signal } = answered;
  const answer = new Promise<Differences>((resolve, reject) => {
    const take = ({ data }: MessageEvent<Differences>) => resolve(data);
    asked.addEventListener('message', take, { signal });
    asked.addEventListener('error', () => reject(new Error('the worker failed')), { signal });
  });
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is of windows, not of workers
  asked.postMessage(texts);
  return answer.finally(() => answered.abort());
}

let last: Promise<unknown> = Promise.resolve();

/** Undefined while they are computed; null if the texts have to be shown side by side. */
export function useDifferences(before: string, after: string): Differences | undefined {
  const [found, setFound] = useState<{ texts: Texts; changes: Differences } | null>(null);
  useEffect(() => {
    let isWanted = true;
    const compare = async () => {
      if (!isWanted) return;
      const texts = [before, after] as const;
      const changes = await ask(texts).catch(() => {
        worker = undefined;
        return null;
      });
      if (isWanted) setFound({ texts, changes });
    };
    last = last.then(compare);
    return () => {
      isWanted = false;
    };
  }, [before, after]);
  const isOfTexts = found?.texts[0] === before && found.texts[1] === after;
  return isOfTexts ? found.changes : undefined;
}
