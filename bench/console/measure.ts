// One task, several times: each round begins with a page that was opened anew.
import type { Browser } from 'playwright-core';
import { median } from '../measure.js';
import type { StoreServer } from '../store/server.js';
import { acted, navigated, openConsolePage, type ConsolePage, type Painted } from './browser.js';
import { noteRequests, timeAlone, type TimedRequest } from './requests.js';
import { shown, type Task } from './tasks.js';

export interface Measured extends Painted {
  readonly task: Task;
  /** Milliseconds of the same requests without a browser, one after the other. */
  readonly alone: number;
  /** Those of the round in the middle. */
  readonly requests: readonly TimedRequest[];
}

interface Round extends Painted {
  readonly requests: readonly TimedRequest[];
}

const sumAlone = (requests: readonly TimedRequest[]): number =>
  requests.reduce((sum, { alone }) => sum + alone, 0);

/** Lists are read again, and newer rows are asked for: not part of an answer. */
const quietMs = 3_000;

async function begin(opened: ConsolePage, task: Task): Promise<void> {
  const { page, at } = opened;
  await page.goto(at(task.path));
  await page.evaluate(`benchUntil(() => ${task.begins ?? shown.complete}, 0)`);
  await page.waitForLoadState('networkidle', { timeout: quietMs }).catch(() => {});
  await task.prepare?.(opened);
}

/** A download ends outside of the page. */
async function downloaded({ page }: ConsolePage, act: () => Promise<unknown>): Promise<Painted> {
  const saved = page.waitForEvent('download', { timeout: 300_000 });
  const start = performance.now();
  await act();
  await (await saved).path();
  return { ms: performance.now() - start, longestTask: 0, elements: 0 };
}

async function round(browser: Browser, server: StoreServer, task: Task): Promise<Round> {
  const opened = await openConsolePage(browser, server, task.isSignedIn ?? true);
  const { page, at, key } = opened;
  const { act, until } = task;
  try {
    if (act !== undefined) await begin(opened, task);
    const answered = noteRequests(page);
    const painted =
      act === undefined
        ? await navigated(page, at(task.path), until)
        : until === 'download'
          ? await downloaded(opened, () => act(opened))
          : await acted(page, () => act(opened), until);
    const requests = await timeAlone(answered(), server.url, key);
    return { ...painted, requests };
  } finally {
    await page.context().close();
  }
}

export async function measure(
  browser: Browser,
  server: StoreServer,
  task: Task,
  rounds: number,
): Promise<Measured> {
  const results: Round[] = [];
  for (let number = 0; number < rounds; number++) results.push(await round(browser, server, task));
  const middle = results.toSorted((a, b) => a.ms - b.ms)[Math.floor(results.length / 2)]!;
  return {
    ...middle,
    task,
    ms: median(results.map(({ ms }) => ms)),
    alone: median(results.map(({ requests }) => sumAlone(requests))),
  };
}
