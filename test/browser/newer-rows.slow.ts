// Rows that are written while a list is open, in a real browser: the list says so, and shows them when it is asked to.
import { expect } from 'chai';
import { sharedServer } from '../support/start-server.js';
import { waitUntil } from '../support/wait-until.js';
import { openPage, sharedBrowser } from './browser.js';

const day = 86_400_000;

describe('newer rows in the console', () => {
  const server = sharedServer();
  const browser = sharedBrowser();

  /** A new project: how to log in it, and the path of a view of its logs. */
  const createLogs = async (name: string) => {
    const { id } = (await server().request('POST', '/v1/project', { name })).json();
    return {
      log: async (...events: readonly object[]) => {
        const path = `/v1/project_logs/${String(id)}/insert`;
        (await server().request('POST', path, { events })).json();
      },
      rowsOf: async (filter: string) =>
        (
          await server().query(
            `select: id | from: project_logs('${String(id)}') | filter: ${filter}`,
          )
        ).length,
      pathOf: (query: Readonly<Record<string, string>>) =>
        `evalstore/p/${name}/logs?${new URLSearchParams(query).toString()}`,
    };
  };

  it('are announced if the filter selects them; failed ones say so', async () => {
    const { log, pathOf } = await createLogs('announced');
    await log({ id: 'a', input: 'kept', error: 'Timeout' });
    const { page, open, expectClean, close } = await openPage(browser(), server());
    await page.clock.install();
    await open(pathOf({ f: "input = 'kept'", cols: 'id' }));
    await page.getByRole('gridcell', { name: 'error a', exact: true }).waitFor();
    const banner = page.getByRole('status').filter({ hasText: 'new or changed' });
    await log({ id: 'b', input: 'other' });
    const asked = page.waitForResponse(
      (response) => response.request().postData()?.includes('_xact_id >') === true,
    );
    await page.clock.fastForward(30_000);
    await asked;
    expect(await banner.count()).to.equal(0);
    await log({ id: 'c', input: 'kept' });
    await waitUntil('the row is announced', async () => {
      await page.clock.fastForward(30_000);
      return banner.isVisible();
    });
    expect(await banner.innerText()).to.include('1 new or changed row');
    expectClean();
    await close();
  });

  it('a time up to now ends now when they are shown', async () => {
    const { log, pathOf } = await createLogs('recent');
    await log(
      { id: 'old', created: new Date(Date.now() - day + 60_000).toISOString() },
      { id: 'new', created: new Date().toISOString() },
    );
    const { page, open, expectClean, close } = await openPage(browser(), server());
    await page.clock.install({ time: Date.now() });
    await open(pathOf({ t: '24h', cols: 'id' }));
    await page.getByText('2 traces').waitFor();
    await page.clock.fastForward(120_000);
    await page.keyboard.press('.');
    await page.getByText('1 trace', { exact: true }).waitFor();
    expectClean();
    await close();
  });

  it('are shown in the open trace, too', async () => {
    const { log, pathOf } = await createLogs('open');
    const root = { id: 'a', span_id: 'a', root_span_id: 'a' };
    await log({ ...root, input: 'early' });
    const { page, open, expectClean, close } = await openPage(browser(), server());
    const span = page.getByRole('region', { name: 'Span' });
    await open(pathOf({ r: 'a' }));
    await span.getByText('early', { exact: true }).waitFor();
    await log({ ...root, input: 'late' });
    await page.keyboard.press('.');
    await span.getByText('late', { exact: true }).waitFor();
    expectClean();
    await close();
  });

  it('open when they arrive if a link names them', async () => {
    const { log, pathOf } = await createLogs('awaited');
    await log({ id: 'a', input: 'first' });
    const { page, open, expectClean, close } = await openPage(browser(), server());
    await open(pathOf({ oid: 'b' }));
    await page.getByText('The row “b” is not here yet. It opens when it arrives.').waitFor();
    await page.reload();
    await page.getByText('The row “b” is not here yet.').waitFor();
    await log({ id: 'b', span_id: 'child', root_span_id: 'b root', input: 'second' });
    await page.getByRole('region', { name: 'Span' }).getByText('second').waitFor();
    expect(new URL(page.url()).searchParams.get('r')).to.equal('b root');
    expect(await page.getByText('The row “b” is not here yet.').count()).to.equal(0);
    expectClean();
    await close();
  });

  it('stay when the user goes away and comes back, and later ones follow', async () => {
    const { log, pathOf } = await createLogs('returned');
    await log({ id: 'a' });
    const { page, open, expectClean, close } = await openPage(browser(), server());
    const first = page.locator('[data-row="0"]');
    await open(pathOf({ cols: 'id' }));
    await first.getByText('a', { exact: true }).waitFor();
    await log({ id: 'b' });
    await page.keyboard.press('.');
    await first.getByText('b', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Datasets' }).click();
    await page.getByText('No datasets yet').waitFor();
    await page.goBack();
    await first.waitFor();
    expect(await first.innerText()).to.equal('b');
    await log({ id: 'c' });
    await page.keyboard.press('.');
    await first.getByText('c', { exact: true }).waitFor();
    expectClean();
    await close();
  });

  it('leave the focus and the selection on their rows, and the end of the selection, too', async () => {
    const { log, pathOf } = await createLogs('chosen');
    for (const id of ['a', 'b', 'c']) await log({ id });
    const { page, open, expectClean, close } = await openPage(browser(), server());
    const boxes = page.getByRole('checkbox', { name: 'Select the row' });
    await open(pathOf({ cols: 'id' }));
    await page.getByText('3 traces').waitFor();
    await page.locator('[data-row="0"]').focus();
    await page.keyboard.press('Space');
    await log({ id: 'd' });
    await page.keyboard.press('.');
    await page.locator('[data-row="0"]').getByText('d', { exact: true }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.locator('[data-row="2"]:focus').waitFor();
    await boxes.nth(2).click({ modifiers: ['Shift'] });
    await page.getByText('2 traces selected').waitFor();
    // In another order, no row is the end of a selection.
    await page.getByRole('button', { name: 'id', exact: true }).click();
    await page.getByRole('button', { name: 'Ascending' }).click();
    await page.locator('[data-row="0"]').getByText('a', { exact: true }).waitFor();
    await boxes.nth(3).click({ modifiers: ['Shift'] });
    await page.getByText('1 trace selected').waitFor();
    expectClean();
    await close();
  });

  it('leave rows selected that are no longer loaded', async () => {
    const { log, pathOf, rowsOf } = await createLogs('many');
    await log(
      ...Array.from({ length: 60 }, (_, index) => ({
        id: `row-${10 + index}`,
        created: new Date(Date.now() - 100_000 + 1000 * index).toISOString(),
        metrics: { tokens: 1000 + index },
      })),
    );
    const { page, open, expectClean, close } = await openPage(browser(), server());
    await open(pathOf({ cols: 'id\nmetrics.tokens' }));
    await page.getByText('60 traces').waitFor();
    await page.locator('[data-row="0"]').focus();
    await page.keyboard.press('End');
    await page.locator('[data-row="50"]').waitFor();
    await page.keyboard.press('End');
    await page.locator('[data-row="59"]:focus').waitFor();
    // A metric that only the root has.
    const last = page.getByRole('row').filter({ has: page.locator('[data-row="59"]') });
    await last.filter({ hasText: 'row-10' }).getByText('1,000', { exact: true }).waitFor();
    await page.keyboard.press('Home');
    await page.locator('[data-row="0"]:focus').waitFor();
    await page.getByRole('checkbox', { name: 'Select all loaded rows' }).click();
    await page.getByText('60 traces selected').waitFor();
    await log({ id: 'late' });
    await page.keyboard.press('.');
    await page.locator('[data-row="0"]').getByText('late').waitFor();
    await page.getByText('60 traces selected').waitFor();
    await page.getByRole('button', { name: 'Tag', exact: true }).click();
    await page.getByLabel('Tag', { exact: true }).fill('odd');
    await page.keyboard.press('Enter');
    await page.getByLabel('Tag', { exact: true }).waitFor({ state: 'detached' });
    expect(await rowsOf("tags includes 'odd'")).to.equal(60);
    // A row that is deleted meanwhile does not keep the others from their score.
    await log({ id: 'row-10', _object_delete: true });
    await page.getByRole('button', { name: 'Score', exact: true }).click();
    await page.getByLabel('Score from 0 to 1').fill('0.5');
    await page.keyboard.press('Enter');
    await page.getByLabel('Score from 0 to 1').waitFor({ state: 'detached' });
    expect(await rowsOf('scores.rating = 0.5')).to.equal(59);
    expectClean();
    await close();
  });
});
