// What people do with logs, in a real browser: of a million events the page shows what the interface answers.
import { exec } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import type { Page } from 'playwright-core';
import { sharedServer, testKey } from '../support/start-server.js';
import { waitUntil } from '../support/wait-until.js';
import { openPage, sharedBrowser } from './browser.js';
import { loadTraces } from './support-bot.js';

const run = promisify(exec);
const logs = 'evalstore/p/support-bot/logs';
const logsWith = (parameters: Readonly<Record<string, string>>): string =>
  `${logs}?${new URLSearchParams(parameters).toString()}`;

/** Of five spans each. */
const traces = 200_000;

type Row = Readonly<Record<string, unknown>>;

const idsOn = (page: Page): Promise<readonly string[]> =>
  page.locator('.row-link bdi').allInnerTexts();

describe('logs of a million events in the console', () => {
  const server = sharedServer();
  const browser = sharedBrowser();
  let project: string;
  before(async () => {
    project = await loadTraces(server(), traces);
  });

  const rowsOf = async (query: string, version?: string) =>
    (
      await server().request('POST', '/query', {
        query: query.replace('LOGS', `project_logs('${project}')`),
        ...(version === undefined ? {} : { version }),
      })
    ).json()['data'] as readonly Row[];
  /** As the page says it. */
  const countOf = async (filter: string): Promise<string> => {
    const [row] = await rowsOf(
      `measures: count(*) as n | from: LOGS | filter: is_root and (${filter})`,
    );
    return Number(row!['n']).toLocaleString('en-US');
  };
  const all = `${traces.toLocaleString('en-US')} traces`;

  it('are filtered with the keyboard alone, with completion of paths, operators and values', async () => {
    const { page, open, expectClean, expectSmall, close } = await openPage(browser(), server());
    await open(logs);
    await page.getByText(all).waitFor();
    await expectSmall(7);
    await page.keyboard.press('/');
    await page.keyboard.type('tier');
    await page.getByRole('option', { name: 'metadata.customer.tier' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.type('= ');
    const filter = "metadata.customer.tier = 'enterprise'";
    const count = await countOf(filter);
    const option = page.getByRole('option', { name: "'enterprise'" });
    expect((await option.innerText()).split(/\s+/)).to.deep.equal(["'enterprise'", count]);
    await page.keyboard.type('ent');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText(`${count} traces`).waitFor();
    expect(new URL(page.url()).searchParams.get('f')).to.equal(filter);
    // Paths and values, then rows, their count, the histogram and newer rows.
    await expectSmall(14);
    await page.keyboard.press('Escape');
    await page.goBack();
    await page.getByText(all).waitFor();
    expect(await page.getByRole('combobox', { name: 'Filter', exact: true }).inputValue()).to.equal(
      '',
    );
    expectClean();
    await close();
  });

  it('have any path as a column and as their order, page after page', async () => {
    const { page, open, expectSmall, close } = await openPage(browser(), server());
    await open(logs);
    await page.getByText(all).waitFor();
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByLabel('Path or expression').fill('metadata.customer.id');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'metadata.customer.id', exact: true }).click();
    await page.getByRole('button', { name: 'Descending' }).click();
    await page
      .getByRole('columnheader', { name: 'metadata.customer.id' })
      .and(page.locator('[aria-sort=descending]'))
      .waitFor();
    await page
      .getByRole('row')
      .filter({ hasText: `(${traces - 1})` })
      .waitFor();
    const row = page.getByRole('row').filter({ hasText: `(${traces - 240})` });
    await page.getByRole('grid').hover();
    const painted =
      'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))';
    const scroll = async () => {
      await page.mouse.wheel(0, 320);
      await page.evaluate(painted);
      return (await row.count()) === 1;
    };
    await waitUntil('a row of the fifth page is in view', scroll);
    // Paths, the values of the column, and two for the rows with it and for each of five pages in its order.
    await expectSmall(22);
    await close();
  });

  it('are found by their text and time, the slowest first, and opened', async () => {
    const { page, open, expectClean, expectSmall, close } = await openPage(browser(), server());
    const created = new Date(Date.now() - 2 * 86_400_000).toISOString();
    const filter = "output ilike 'refund'";
    await open(logsWith({ cols: 'id\nmetrics.duration', t: `${created}..`, f: filter }));
    const found = `${filter} and created >= '${created}'`;
    await page.getByText(`${await countOf(found)} traces`).waitFor();
    await page.getByRole('button', { name: 'Duration', exact: true }).click();
    await page.getByRole('button', { name: 'Descending' }).click();
    await page.locator('[aria-sort=descending]').waitFor();
    await page.locator('.grid-scroll:not(.stale)').waitFor();
    const slowest = await rowsOf(
      `select: id | from: LOGS summary | filter: is_root and ${found} | sort: metrics.duration desc | limit: 10`,
    );
    expect((await idsOn(page)).slice(0, 10)).to.deep.equal(slowest.map(({ id }) => id));
    await page.locator('.row-link').first().click();
    await page.getByRole('region', { name: 'Span' }).getByText('Your refund was issued.').waitFor();
    expect(new URL(page.url()).searchParams.get('r')).to.equal(slowest[0]!['id']);
    await page.getByText('5 spans').waitFor();
    // Among them the members, who are the authors of comments.
    await expectSmall(16);
    expectClean();
    await close();
  });

  it('are limited to a span of time by dragging, and the address says so', async () => {
    const { page, open, close } = await openPage(browser(), server());
    await open(logs);
    const box = (await page.locator('.histogram svg').boundingBox())!;
    await page.mouse.move(box.x + box.width * 0.45, box.y + 10);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.75, box.y + 10, { steps: 4 });
    await page.mouse.up();
    await page.waitForURL(/[?&]t=/);
    const [from, to] = new URL(page.url()).searchParams.get('t')!.split('..');
    const count = await countOf(`created >= '${from}' and created < '${to}'`);
    expect(count).not.to.be.oneOf(['0', traces.toLocaleString('en-US')]);
    await page.getByText(`${count} traces`).waitFor();
    const other = await openPage(browser(), server());
    await other.page.goto(page.url());
    await other.page.getByText(`${count} traces`).waitFor();
    await Promise.all([close(), other.close()]);
  });

  it('leave as Parquet, all that are counted', async () => {
    const { page, open, close } = await openPage(browser(), server());
    const filter = "output = 'Your refund was issued.'";
    await open(logsWith({ f: filter }));
    const count = await countOf(filter);
    await page.getByText(`${count} traces`).waitFor();
    await page.keyboard.press('q');
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'parquet' }).click();
    // The page itself holds no part of it.
    expect((await saved).url()).to.match(/\/query\/download\?token=/);
    const bytes = await readFile(await (await saved).path());
    const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
    const rows = await parquetReadObjects({ file, compressors, columns: ['id'] });
    expect(new Set(rows.map(({ id }) => id as string)).size.toLocaleString('en-US')).to.equal(
      count,
    );
    await close();
  });

  it('leave as a command that answers the rows on the screen', async () => {
    const { page, open, close } = await openPage(browser(), server());
    await open(logsWith({ f: 'metadata.customer.id < 12', cols: 'id' }));
    await page.getByText('12 traces').waitFor();
    await page.keyboard.press('q');
    await page.getByRole('button', { name: 'curl' }).click();
    await page.getByText('Copied').waitFor();
    const command = await page.evaluate<string>('navigator.clipboard.readText()');
    const { stdout } = await run(command, {
      shell: '/bin/bash',
      env: { ...process.env, EVALSTORE_KEY: testKey },
    });
    const { data } = JSON.parse(stdout) as { data: readonly { id: string }[] };
    expect(data.map(({ id }) => id)).to.deep.equal(await idsOn(page));
    await close();
  });

  it('show new rows when they are asked for, and at once while live', async () => {
    const { page, open, close } = await openPage(browser(), server());
    await open(logs);
    await page.getByText(all).waitFor();
    const insert = (id: string) =>
      server().request('POST', `/v1/project_logs/${project}/insert`, {
        events: [{ id, input: `new ${id}` }],
      });
    await insert('one');
    await page.getByText('1 new or changed row').waitFor();
    expect(await page.getByText('new one').count()).to.equal(0);
    await page.keyboard.press('.');
    await page.getByText('new one').waitFor();
    await page.getByRole('button', { name: 'Live' }).click();
    await insert('two');
    await page.getByText('new two').waitFor();
    await server().request('POST', `/v1/project_logs/${project}/insert`, {
      events: ['one', 'two'].map((id) => ({ id, _object_delete: true })),
    });
    await close();
  });

  it('are triaged without a mouse: score, comment, tag, next; and stay as they were in the past', async () => {
    const { page, open, expectClean, close } = await openPage(browser(), server());
    await open(logsWith({ sort: 'id asc', cols: 'id\nscores.helpful' }));
    await page.getByRole('gridcell', { name: 'trace-1', exact: true }).waitFor();
    const [{ v: before } = { v: '' }] = (await rowsOf(
      'measures: max(_xact_id) as v | from: LOGS',
    )) as readonly { v: string }[];
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'feedback' }).waitFor();
    const trace = new URL(page.url()).searchParams.get('r');
    const [scored] = await rowsOf(
      `select: scores.helpful as s | from: LOGS | filter: id = '${trace}'`,
    );
    const given = String(scored!['s']);
    await page.keyboard.press('1');
    await page.getByText(`Saved “helpful” 0, was ${given}`).waitFor();
    await page.keyboard.press('u');
    await page.getByText('Restored “helpful”').waitFor();
    const restored = `measures: count(*) as n | from: LOGS | filter: id = '${trace}' and scores.helpful = ${given}`;
    expect(await rowsOf(restored)).to.deep.equal([{ n: 1 }]);
    await page.keyboard.press('9');
    await page.getByText('Saved “helpful” 1').waitFor();
    await page.keyboard.press('c');
    await page.keyboard.type('Well done');
    await page.keyboard.press('Enter');
    await page.getByRole('listitem').filter({ hasText: 'Well done' }).waitFor();
    await page.keyboard.press('t');
    await page.keyboard.type('checked');
    await page.keyboard.press('Enter');
    await waitUntil('score and tag are stored', async () => {
      const [row] = await rowsOf(
        `select: scores.helpful as s, tags | from: LOGS | filter: id = '${trace}'`,
      );
      return JSON.stringify(row) === '{"s":1,"tags":["checked"]}';
    });
    await page.keyboard.press('N');
    await page.waitForURL((url) => url.searchParams.get('r') !== trace);
    const feedback = (
      await server().request('GET', `/v1/project_logs/${project}/feedback?event_id=${trace}`)
    ).json();
    expect((feedback['comments'] as readonly unknown[]).length).to.equal(1);
    expect((feedback['audit'] as readonly unknown[]).length).to.be.within(4, 5);

    const [past] = await rowsOf(
      `select: scores.helpful as s | from: LOGS | filter: id = '${trace}'`,
      before,
    );
    await open(logsWith({ v: before, f: `id = '${trace}'`, cols: 'id\nscores.helpful' }));
    await page.getByText('Data as of').waitFor();
    const row = page.getByRole('row').filter({ hasText: trace! });
    await row.getByText(String(past!['s'])).waitFor();
    await page.getByRole('button', { name: 'Back to now' }).click();
    await row.getByRole('gridcell', { name: '1', exact: true }).waitFor();
    expectClean();
    await close();
  });
});
