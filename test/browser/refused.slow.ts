// Parts of a page whose requests the server refuses, in a real browser: the page says so, and they can be read again.
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { createExperiment, createProject } from '../support/objects.js';
import { sharedServer } from '../support/start-server.js';
import { openPage, sharedBrowser } from './browser.js';

const reason = 'too many queries wait';

/**
 * Refuses the requests whose URL and body have these texts.
 * @returns a function that tries again once they are no longer refused
 */
async function refuse(page: Page, url: string, body = ''): Promise<() => Promise<void>> {
  await page.route(url, (route) =>
    route.request().postData()?.includes(body) === false
      ? route.continue()
      : route.fulfill({ status: 429, body: reason }),
  );
  return async () => {
    await page.getByRole('alert').getByText(reason).waitFor();
    expect(await page.getByRole('alert').count()).to.equal(1);
    await page.unroute(url);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('alert').waitFor({ state: 'detached' });
  };
}

describe('refused requests of the console', () => {
  const server = sharedServer();
  const browser = sharedBrowser();
  const ids: string[] = [];
  before(async () => {
    const project = await createProject(server(), { name: 'refused' });
    await server().insert(
      `project_logs/${project.id}`,
      ['2024-01-01T00:00:00Z', '2024-01-03T00:00:00Z'].flatMap((created, index) => [
        { id: `${index}`, span_id: `${index}`, root_span_id: `${index}`, created, input: 'Hello' },
        // Another root of the same trace.
        { root_span_id: `${index}`, created, input: 'Hello' },
      ]),
    );
    for (const name of ['one', 'two']) {
      const { id } = await createExperiment(server(), project.id, { name });
      const events = [0.5, 0.25].map((ok, index) => ({ input: `Q${index}`, scores: { ok } }));
      await server().insert(`experiment/${id}`, events);
      ids.push(id);
    }
  });

  it('for the names of scores leave no comparison without scores', async () => {
    const { page, open, close } = await openPage(browser(), server());
    const again = await refuse(page, '**/query', String.raw`dimensions: score\n`);
    await open(`evalstore/p/refused/compare?e=${ids.join(',')}`);
    await again();
    await page.getByText('2 inputs').waitFor();
    expect(await page.getByLabel('Score').inputValue()).to.equal('ok');
    await close();
  });

  it('for distributions are shown at the summary', async () => {
    const { page, open, close } = await openPage(browser(), server());
    const again = await refuse(page, '**/query', 'unpivot');
    await open('evalstore/p/refused/experiments/one');
    const summary = page.getByRole('region', { name: 'Summary' });
    await summary.getByText('0.37500').waitFor();
    await again();
    await summary.locator('.distribution').waitFor();
    await close();
  });

  it('for comments, a row of a link and the newest experiment are shown in their places', async () => {
    const { page, open, close } = await openPage(browser(), server());
    const comments = await refuse(page, '**/feedback?event_id=*');
    await open('evalstore/p/refused/logs?r=0');
    await page.getByRole('region', { name: 'Span' }).getByText('Hello').waitFor();
    await comments();
    const link = await refuse(page, '**/query', 'as key');
    await open('evalstore/p/refused/logs?oid=0');
    await link();
    await page.getByRole('region', { name: 'Span' }).getByText('Hello').waitFor();
    for (const url of ['**/v1/experiment?*limit=1', '**/summarize?*']) {
      const newest = await refuse(page, url);
      await open('');
      await newest();
      await page.getByRole('cell', { name: 'two ok 0.37500' }).waitFor();
    }
    await close();
  });

  it('for the number of rows or their histogram are shown above the rows', async () => {
    const { page, open, close } = await openPage(browser(), server());
    const rows = page.getByRole('region', { name: 'Logs of refused' });
    for (const body of ['max(created) as last', 'percentile']) {
      const again = await refuse(page, '**/query', body);
      await open('evalstore/p/refused/logs');
      await rows.getByRole('gridcell', { name: 'Hello' }).first().waitFor();
      await again();
      await rows.getByText('2 traces', { exact: true }).waitFor();
      await rows.locator('.histogram').waitFor();
    }
    await close();
  });

  it('count down beside what a screen reader reads once', async () => {
    const { page, open, close } = await openPage(browser(), server());
    const headers = { 'retry-after': '60' };
    await page.route('**/query', (route) => route.fulfill({ status: 429, headers, body: reason }));
    await open('evalstore/p/refused/logs');
    const alert = page.getByRole('alert').filter({ hasText: reason }).first();
    await alert.getByText(/5\d s\.$/).waitFor();
    const read = await alert.ariaSnapshot();
    expect(read).to.include('Trying again in 60 s.');
    expect(read).not.to.match(/5\d s/);
    await close();
  });

  it('whose answers break off are sent again', async () => {
    const { page, open, close } = await openPage(browser(), server());
    await page.addInitScript(`
      const { fetch } = window;
      window.isCut = true;
      window.fetch = async (...request) => {
        const answer = await fetch(...request);
        if (!window.isCut || !answer.url.endsWith('/query')) return answer;
        const body = new ReadableStream({ start: (it) => it.error(new TypeError('network error')) });
        return new Response(body, answer);
      };`);
    await open('evalstore/p/refused/logs');
    await page.getByText('The server cannot be reached. Trying again …').waitFor();
    await page.evaluate('window.isCut = false');
    await page.getByRole('gridcell', { name: 'Hello' }).first().waitFor();
    await page.getByText('Trying again …').waitFor({ state: 'detached' });
    await close();
  });

  it('for a comparison with an experiment that is gone leave the choice of any other', async () => {
    const { page, open, close } = await openPage(browser(), server());
    await open('evalstore/p/refused/experiments/one?c=00000000-0000-4000-8000-000000000000');
    await page.getByRole('alert').waitFor();
    const choice = page.getByLabel('Compared with');
    expect(await choice.inputValue()).to.equal('');
    await choice.selectOption('two');
    await page.getByRole('alert').waitFor({ state: 'detached' });
    expect(await choice.inputValue()).to.equal(ids[1]);
    await close();
  });
});
