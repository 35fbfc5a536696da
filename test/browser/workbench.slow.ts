// The workbench: its address is its query, and a query can be cancelled.
import { expect } from 'chai';
import { sharedServer } from '../support/start-server.js';
import { openPage, sharedBrowser } from './browser.js';

describe('the workbench of the console', () => {
  const server = sharedServer();
  const browser = sharedBrowser();
  const queries: string[] = [];
  before(async () => {
    const { id } = (await server().request('POST', '/v1/project', { name: 'bench' })).json();
    const path = `/v1/project_logs/${String(id)}/insert`;
    const events = Array.from({ length: 3 }, (_, index) => ({ id: `row-${index}` }));
    (await server().request('POST', path, { events })).json();
    const from = `project_logs('${String(id)}')`;
    queries.push(
      `select: id | from: ${from} | sort: id | limit: 1`,
      `-- of all\nSELECT count(*) AS n FROM ${from}`,
    );
  });

  it('shows the query and the rows of each address that Back and Forward lead to', async () => {
    const [one = '', all = ''] = queries;
    const { page, open, expectClean, close } = await openPage(browser(), server());
    await open('evalstore/p/bench/query');
    const editor = page.getByRole('textbox', { name: 'Query' });
    const count = page.getByRole('grid', { name: 'Result' }).getByText('3', { exact: true });
    const first = page.getByRole('grid', { name: 'Result' }).getByText('row-0');
    const initial = await editor.inputValue();
    await editor.fill(one);
    await page.keyboard.press('Control+Enter');
    await first.waitFor();
    await first.click();
    const row = page.getByRole('heading', { name: 'Row 1' });
    await row.waitFor();
    await editor.fill(all);
    await page.keyboard.press('Control+Enter');
    await count.waitFor();
    // Its row is not that of the answer before.
    expect(await row.count()).to.equal(0);
    expect(await page.getByRole('alert').count()).to.equal(0);
    await page.goBack();
    await first.waitFor();
    expect(await editor.inputValue()).to.equal(one);
    await page.goForward();
    await count.waitFor();
    expect(await editor.inputValue()).to.equal(all);
    await page.goBack();
    await page.goBack();
    await page.getByRole('grid', { name: 'Result' }).waitFor({ state: 'detached' });
    expect(await editor.inputValue()).to.equal(initial);
    // An address is read again, however long its query is.
    const long = `-- ${'多'.repeat(9_000)}\n${all}`;
    await editor.fill(long);
    await page.keyboard.press('Control+Enter');
    await count.waitFor();
    await page.reload();
    await count.waitFor();
    expect(await editor.inputValue()).to.equal(long);
    // A chart writes numbers as the table does.
    await editor.fill(one.replace('select: id', 'select: id as k, 2400 as n').replace(/1$/, '2'));
    await page.keyboard.press('Control+Enter');
    await page.locator('.chart').getByText('2,400', { exact: true }).waitFor();
    expectClean();
    await close();
  });

  it('explains how the server reads the query', async () => {
    const [, all = ''] = queries;
    const { page, open, expectClean, close } = await openPage(browser(), server());
    await open('evalstore/p/bench/query');
    await page.getByRole('textbox', { name: 'Query' }).fill(all);
    await page.getByRole('button', { name: 'Explain' }).click();
    const part = (name: string) => page.getByRole('dialog').getByRole('region', { name });
    await part('Plan').getByText('Total Time').waitFor();
    await part('SQL').getByText('SELECT ').waitFor();
    await part('Sources').getByText('1 file').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expectClean();
    await close();
  });

  it('says that a query was cancelled, and runs it again', async () => {
    const [one = ''] = queries;
    const { page, open, close } = await openPage(browser(), server());
    await open('evalstore/p/bench/query');
    await page.getByRole('textbox', { name: 'Query' }).fill(one);
    await page.route('**/query', () => {}); // Is never answered.
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Cancelled.').waitFor();
    expect(await page.getByRole('alert').count()).to.equal(0);
    await page.unroute('**/query');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByRole('grid', { name: 'Result' }).getByText('row-0').waitFor();
    await close();
  });

  it('ends with its page', async () => {
    const { page, open, close } = await openPage(browser(), server());
    await page.route('**/query', () => {}); // Is never answered.
    const [one = ''] = queries;
    const asked = page.waitForRequest(
      (request) => (request.postDataJSON() as { query?: string } | null)?.query === one,
    );
    await open(`evalstore/p/bench/query?${new URLSearchParams({ q: one }).toString()}`);
    const request = await asked;
    const ended = page.waitForEvent('requestfailed', (one) => one === request);
    await page.getByRole('link', { name: 'Datasets' }).click();
    await ended;
    await close();
  });
});
