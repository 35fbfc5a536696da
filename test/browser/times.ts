// npm run bench:console -- --events 1000000: how long the pages of the console take, from the last input to the painted answer,
// beside the same requests without a browser.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { chromium, type Page, type Request } from 'playwright-core';
import { startServer, type TestServer } from '../support/start-server.js';
import { openPage } from './browser.js';
import { loadTraces, spansOfTrace } from './support-bot.js';

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '50000' },
    rounds: { type: 'string', default: '5' },
  },
});

const traces = Math.ceil(Number(values.events) / spansOfTrace);
const logs = 'evalstore/p/support-bot/logs';

interface Task {
  readonly name: string;
  /** Milliseconds. */
  readonly limit: number;
  /** Where it begins. */
  readonly path: string;
  readonly before?: (page: Page) => Promise<unknown>;
  /** The last input. */
  readonly act: (page: Page) => Promise<unknown>;
  /** Resolves when the answer is in the document. */
  readonly shown: (page: Page) => Promise<unknown>;
}

const rows = (page: Page) => page.locator('.row-link').first().waitFor();
const settled = (page: Page) =>
  page.locator('.grid-scroll:not(.stale)').getByRole('row').nth(5).waitFor();
const withColumn = new URLSearchParams({ cols: 'created\nmetadata.customer.id' }).toString();

const tasks: readonly Task[] = [
  {
    name: 'filter by text, slowest first',
    limit: 600,
    path: `${logs}?${new URLSearchParams({ sort: 'metrics.duration desc' }).toString()}`,
    before: async (page) => {
      await page.keyboard.press('/');
      await page.keyboard.type("output ilike 'refund'");
      await page.keyboard.press('Escape');
    },
    act: (page) => page.keyboard.press('Enter'),
    shown: async (page) => {
      await page.waitForURL(/[?&]f=/);
      await settled(page);
    },
  },
  {
    name: 'values of a path with their counts',
    limit: 150,
    path: logs,
    before: async (page) => {
      await page.keyboard.press('/');
      await page.keyboard.type('metadata.customer.tier =');
    },
    act: (page) => page.keyboard.press('Space'),
    shown: (page) => page.getByRole('option', { name: "'enterprise'" }).waitFor(),
  },
  {
    name: 'sort by a path',
    limit: 300,
    path: `${logs}?${withColumn}`,
    before: (page) => page.getByRole('button', { name: 'metadata.customer.id' }).click(),
    act: (page) => page.getByRole('button', { name: 'Descending' }).click(),
    shown: (page) =>
      page.getByRole('gridcell', { name: (traces - 1).toLocaleString('en-US') }).waitFor(),
  },
  {
    name: 'open a trace',
    limit: 300,
    path: logs,
    act: (page) => page.locator('.row-link').nth(3).click(),
    shown: (page) => page.getByRole('region', { name: 'Span' }).waitFor(),
  },
  {
    name: 'an earlier moment',
    limit: 300,
    path: logs,
    act: (page) => page.keyboard.press('['),
    shown: async (page) => {
      await page.getByText('Data as of').waitFor();
      await settled(page);
    },
  },
];

const painted = (page: Page) =>
  page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!;

/** Milliseconds of the same requests, one after the other. */
async function withoutBrowser(server: TestServer, requests: readonly Request[]): Promise<number> {
  const started = performance.now();
  for (const request of requests) {
    const { pathname, search } = new URL(request.url());
    await server.request(request.method(), pathname + search, request.postData() ?? undefined);
  }
  return performance.now() - started;
}

async function measure(page: Page, server: TestServer, task: Task) {
  const [times, others]: [number[], number[]] = [[], []];
  for (let round = 0; round < Number(values.rounds); round += 1) {
    await page.goto(`${server.url}/app/${task.path}`);
    await rows(page);
    await page.waitForLoadState('networkidle', { timeout: 3_000 }).catch(() => {});
    await task.before?.(page);
    const requests: Request[] = [];
    const note = (request: Request) => requests.push(request);
    page.on('request', note);
    const started = performance.now();
    await task.act(page);
    await task.shown(page);
    await painted(page);
    times.push(performance.now() - started);
    page.off('request', note);
    others.push(await withoutBrowser(server, requests));
  }
  return { ms: median(times), without: median(others) };
}

const data = await mkdtemp(path.join(tmpdir(), 'evalstore-times-'));
const server = await startServer({ dir: data });
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
try {
  await loadTraces(server, traces);
  const { page, open, close } = await openPage(browser, server);
  await open(logs);
  for (const task of tasks) {
    const { ms, without } = await measure(page, server, task);
    const limit = Math.min(task.limit, 3 * without + 80);
    const text = [ms, without, limit].map((one) => `${Math.round(one)} ms`);
    console.log(
      `${task.name}: ${text[0]}, the same requests ${text[1]}, limit ${text[2]}${ms > limit ? ' MISSED' : ''}`,
    );
  }
  await close();
} finally {
  await browser.close();
  await server.stop();
  await rm(data, { recursive: true });
}
