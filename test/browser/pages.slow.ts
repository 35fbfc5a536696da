// Lists that are read page by page while their rows change, their columns change, or the server refuses a page, in a real browser.
import { EventEmitter, once } from 'node:events';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { sharedServer } from '../support/start-server.js';
import { waitUntil } from '../support/wait-until.js';
import { openPage, sharedBrowser } from './browser.js';

const rowsCount = 70;

/** Traces of which each has a higher score than the one before. */
const traces = Array.from({ length: rowsCount }, (_, index) => {
  const name = `row-${1000 + index}`;
  return { id: name, span_id: name, root_span_id: name, input: name, scores: { a: index / 100 } };
});

const toEnd = async (page: Page) => {
  await page.locator('[data-row="0"]').focus();
  await page.keyboard.press('End');
};

const rowAt = (page: Page, index: number) => page.locator(`[data-row="${index}"]`);

/** Holds the requests for a query with the text until it is called. */
async function hold(page: Page, text: string): Promise<() => void> {
  const emitter = new EventEmitter();
  const held = once(emitter, 'answer');
  await page.route('**/query', async (route) => {
    if (route.request().postData()?.includes(text) === true) await held;
    await route.continue();
  });
  return () => emitter.emit('answer');
}

describe('pages of a list in the console', () => {
  const server = sharedServer();
  const browser = sharedBrowser();

  /** A new project with the traces: how to log in it, and the path of a view of its logs. */
  const createLogs = async (name: string) => {
    const { id } = (await server().request('POST', '/v1/project', { name })).json();
    const log = async (...events: readonly object[]) => {
      const path = `/v1/project_logs/${String(id)}/insert`;
      (await server().request('POST', path, { events })).json();
    };
    await log(...traces);
    return {
      log,
      pathOf: (query: Readonly<Record<string, string>>) =>
        `evalstore/p/${name}/logs?${new URLSearchParams(query).toString()}`,
    };
  };

  it('have one order, however late the next one is read', async () => {
    const { log, pathOf } = await createLogs('late');
    const { page, open, expectClean, close } = await openPage(browser(), server());
    await page.clock.install();
    await open(pathOf({ sort: 'scores.a desc', cols: 'id' }));
    await page.getByText('70 traces').waitFor();
    await log({ id: 'row-1069', _object_delete: true });
    await page.clock.fastForward(600_000);
    await toEnd(page);
    await rowAt(page, 50).waitFor();
    expect(await rowAt(page, 50).innerText()).to.equal('row-1019');
    expectClean();
    await close();
  });

  it('are read in their order, also if the columns change meanwhile', async () => {
    const { pathOf } = await createLogs('sorted');
    const { page, open, expectClean, close } = await openPage(browser(), server());
    const release = await hold(page, 'dimensions: root_span_id');
    await open(pathOf({ sort: 'scores.a desc', cols: 'id' }));
    await page.getByRole('button', { name: 'Columns ▾' }).click();
    await page.getByLabel('Path or expression').fill('input');
    const asked = page.waitForURL(/input/);
    await page.keyboard.press('Enter');
    await asked;
    release();
    await page.getByRole('gridcell', { name: 'row-1069' }).first().waitFor();
    expect(await page.getByRole('alert').count()).to.equal(0);
    expectClean();
    await close();
  });

  it('are shown with their own columns until those of other columns arrive', async () => {
    const { pathOf } = await createLogs('columns');
    const { page, open, expectClean, close } = await openPage(browser(), server());
    await open(pathOf({ cols: 'scores.a\nid' }));
    await page.getByText('70 traces').waitFor();
    const heads = async () => page.locator('.head-button .cut').allInnerTexts();
    const release = await hold(page, 'select: ');
    await page.getByRole('button', { name: 'Columns ▾' }).click();
    await page.getByRole('button', { name: 'Remove scores.a' }).click();
    await page.locator('.grid-scroll.stale').waitFor();
    expect(await heads()).to.deep.equal(['scores.a', 'id']);
    release();
    await waitUntil('the other columns are shown', async () => (await heads()).length === 1);
    expect(await rowAt(page, 0).innerText()).to.match(/^row-/);
    // The last one stays.
    await page.locator('.head-button').click();
    const remove = page.getByRole('button', { name: 'Remove', exact: true });
    expect(await remove.isDisabled()).to.equal(true);
    expectClean();
    await close();
  });

  it('say where they lack metrics of roots', async () => {
    const { pathOf } = await createLogs('roots');
    const { page, open, expectClean, close } = await openPage(browser(), server());
    await open(pathOf({ cols: 'id\nscores.a\nmetrics.tokens' }));
    await page.getByText('70 traces').waitFor();
    await page.keyboard.press('q');
    await page
      .getByText(
        'Its rows are whole traces, which lack these values of their roots: metrics.tokens.',
      )
      .waitFor();
    await page.keyboard.press('Escape');
    const ascending = page.getByRole('button', { name: 'Ascending' });
    const head = page.getByRole('columnheader', { name: 'metrics.tokens' });
    await head.getByRole('button').click();
    await ascending.click();
    await head.and(page.locator('[aria-sort=ascending]')).waitFor();
    await page.getByLabel('Scope of the filter').selectOption('trace');
    await page.locator('[aria-sort]').waitFor({ state: 'detached' });
    await head.getByRole('button').click();
    await page.getByRole('button', { name: 'Remove', exact: true }).waitFor();
    expect(await ascending.count()).to.equal(0);
    expect(await page.getByText('Most frequent values').count()).to.equal(0);
    expectClean();
    await close();
  });

  it('can be asked for again after an error', async () => {
    const { pathOf } = await createLogs('refused');
    const { page, open, close } = await openPage(browser(), server());
    await open(pathOf({ f: 'id is not null', cols: 'id' }));
    await page.getByText('70 traces').waitFor();
    await page.route('**/query', (route) =>
      route.request().postData()?.includes('cursor: ') === true
        ? route.fulfill({ status: 400, body: 'query line 3, column 9: this row is wrong' })
        : route.continue(),
    );
    await toEnd(page);
    await page.getByText('this row is wrong').waitFor();
    await page.unroute('**/query');
    await page.getByRole('button', { name: 'Try again' }).click();
    await rowAt(page, 50).waitFor();
    await close();
  });
});
