// Several rows at once, other moments, and the search in a trace, in a real browser.
import { expect } from 'chai';
import type { Route } from 'playwright-core';
import { sharedServer } from '../support/start-server.js';
import { waitUntil } from '../support/wait-until.js';
import { openPage, sharedBrowser } from './browser.js';
import { loadSupportBot, traces } from './support-bot.js';

/** The same address with the short form of its version. */
function shortened(address: URL): string {
  const short = new URL(address);
  const version = BigInt(short.searchParams.get('v')!) * 205891132094649n;
  short.searchParams.set('v', BigInt.asUintN(64, version).toString(16).padStart(16, '0'));
  return short.href;
}

describe('many rows in the console', () => {
  const server = sharedServer();
  const browser = sharedBrowser();
  let project: string;
  before(async () => {
    project = await loadSupportBot(server());
  });
  const sorted = `evalstore/p/support-bot/logs?${new URLSearchParams({ sort: 'id asc', cols: 'id\ntags\nscores.rating' }).toString()}`;
  const rowsOf = async (query: string) =>
    (
      await server().request('POST', '/query', {
        query: query.replace('LOGS', `project_logs('${project}')`),
      })
    ).json()['data'] as readonly Readonly<Record<string, unknown>>[];

  it('are chosen in a range, tagged, scored and deleted with their spans', async () => {
    const { page, open, expectClean, close } = await openPage(browser(), server());
    await open(sorted);
    await page.getByText(`${traces} traces`).waitFor();
    const boxes = page.getByRole('checkbox', { name: 'Select the row' });
    await boxes.nth(0).click();
    await boxes.nth(3).click({ modifiers: ['Shift'] });
    await page.getByText('4 traces selected').waitFor();
    expect(await page.locator('.choice-cell input:indeterminate').count()).to.equal(1);
    await page.getByRole('button', { name: 'Tag', exact: true }).click();
    await page.getByLabel('Tag', { exact: true }).fill(' ');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('The tag is blank.').waitFor();
    await page.getByLabel('Tag', { exact: true }).fill('odd');
    await page.keyboard.press('Enter');
    await page.getByRole('gridcell').getByText('odd').nth(3).waitFor();
    await page.getByRole('button', { name: 'Score', exact: true }).click();
    await page.getByLabel('Score from 0 to 1').fill('0.25');
    await page.keyboard.press('Enter');
    await page.getByRole('gridcell', { name: '0.25' }).nth(3).waitFor();
    const marked = await rowsOf(
      "select: id, tags, scores.rating as rating | from: LOGS | filter: tags includes 'odd'",
    );
    expect(marked.map(({ rating }) => rating)).to.deep.equal([0.25, 0.25, 0.25, 0.25]);
    const [{ n: before } = { n: 0 }] = await rowsOf('measures: count(*) as n | from: LOGS');
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText(`${traces - 4} traces`).waitFor();
    const [{ n: after } = { n: 0 }] = await rowsOf('measures: count(*) as n | from: LOGS');
    expect(Number(before) - Number(after)).to.equal(4 * 5);
    expectClean();
    await close();
  });

  it('move or go at once in the order of their scores', async () => {
    const { id } = (await server().request('POST', '/v1/project', { name: 'ranked' })).json();
    const events = [0.1, 0.2, 0.3].map((rating, index) => {
      const name = `row-${index}`;
      return { id: name, span_id: name, root_span_id: name, scores: { rating } };
    });
    await server().request('POST', `/v1/project_logs/${String(id)}/insert`, { events });
    const { page, open, expectClean, close } = await openPage(browser(), server());
    const search = new URLSearchParams({ sort: 'scores.rating desc', cols: 'id\nscores.rating' });
    await open(`evalstore/p/ranked/logs?${search.toString()}`);
    const first = page.locator('[data-row="0"]');
    await first.getByText('row-2').waitFor();
    const boxes = page.getByRole('checkbox', { name: 'Select the row' });
    await boxes.nth(2).click();
    await page.getByRole('button', { name: 'Score', exact: true }).click();
    await page.getByLabel('Score from 0 to 1').fill('0.9');
    await page.keyboard.press('Enter');
    await first.getByText('row-0').waitFor();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await first.getByText('row-2').waitFor();
    expect(await boxes.count()).to.equal(2);
    expectClean();
    await close();
  });

  it('are added to a dataset unless they were deleted, which is said', async () => {
    const { id } = await server().post('/v1/project', { name: 'thinned' });
    const log = `project_logs/${String(id)}`;
    await server().insert(log, [{ id: 'a' }, { id: 'b' }, { id: 'c' }]);
    const { page, open, expectClean, close } = await openPage(browser(), server());
    await open('evalstore/p/thinned/logs');
    await page.getByText('3 traces').waitFor();
    await page.getByRole('checkbox', { name: 'Select all loaded rows' }).click();
    await server().insert(log, [{ id: 'b', _object_delete: true }]);
    await page.getByRole('button', { name: 'Add to dataset' }).click();
    await page.getByLabel('Name of the new dataset').fill('kept');
    await page.keyboard.press('Enter');
    const said = 'Added 2 of 3 rows to kept. Rows that were deleted are not added.';
    await page.getByRole('status').getByText(said).waitFor();
    expectClean();
    await close();
  });

  it('are seen at earlier moments: by the slider, and one transaction after the other', async () => {
    const { page, open, expectClean, close } = await openPage(browser(), server());
    const id = 'trace-7';
    const score = async (rating: number) =>
      (
        await server().request('POST', `/v1/project_logs/${project}/feedback`, {
          feedback: [{ id, scores: { rating } }],
        })
      ).text;
    await score(0.125);
    await score(0.875);
    await open(
      `evalstore/p/support-bot/logs?${new URLSearchParams({ f: `id = '${id}'`, cols: 'id\nscores.rating' }).toString()}`,
    );
    const cell = (text: string) => page.getByRole('gridcell', { name: text, exact: true });
    const actions = page.getByRole('group', { name: 'Selected rows' });
    await cell('0.875').waitFor();
    await page.keyboard.press('x');
    await actions.waitFor();
    await page.keyboard.press('[');
    await cell('0.125').waitFor();
    await page.getByText('Data as of').waitFor();
    // Actions would change the present.
    expect(await actions.count()).to.equal(0);
    expect(await page.getByRole('checkbox').count()).to.equal(0);
    await page.keyboard.press('[');
    await cell('–').waitFor();
    await page.keyboard.press(']');
    await cell('0.125').waitFor();
    const earlier = new URL(page.url());
    await page.keyboard.press(']');
    await cell('0.875').waitFor();
    await page.getByRole('button', { name: /^(Now|As of …) ▾$/ }).click();
    const slider = page.getByRole('slider');
    await slider.focus();
    await page.keyboard.press('Home');
    await page.getByText('No rows match').or(page.getByText('No events')).first().waitFor();
    await slider.focus();
    await page.keyboard.press('End');
    await cell('0.875').waitFor();
    expect(new URL(page.url()).searchParams.get('v')).to.equal(null);
    await actions.waitFor();
    await page.goto(shortened(earlier));
    await cell('0.125').waitFor();
    // Keys that do not move the slider change nothing.
    await page.getByRole('button', { name: 'As of … ▾' }).click();
    await slider.waitFor();
    const focused = slider.and(page.locator(':focus'));
    for (let step = 0; step < 20 && (await focused.count()) === 0; step += 1)
      await page.keyboard.press('Tab');
    expect(await focused.count()).to.equal(1);
    expect(page.url()).to.equal(shortened(earlier));
    await page.keyboard.press('Escape');
    await slider.waitFor({ state: 'detached' });
    await page.keyboard.press(']');
    await cell('0.875').waitFor();
    expect(new URL(page.url()).searchParams.get('v')).to.match(/^\d{19}$/);
    expectClean();
    await close();
  });

  it('are shown before and after each write, also of a deletion', async () => {
    const { id } = (await server().request('POST', '/v1/project', { name: 'written' })).json();
    for (const event of [
      { id: 'b', input: 'other' },
      { id: 'a', input: 'one' },
      { id: 'a', input: 'two' },
      { id: 'a', _object_delete: true },
    ])
      await server().request('POST', `/v1/project_logs/${String(id)}/insert`, { events: [event] });
    const { page, open, expectClean, close } = await openPage(browser(), server());
    await open(`evalstore/p/written/logs?${new URLSearchParams({ cols: 'id\ninput' }).toString()}`);
    const cell = (text: string) => page.getByRole('gridcell', { name: text, exact: true });
    await cell('other').waitFor();
    for (const [key, text] of [
      ['[', 'two'],
      ['[', 'one'],
      ['[', null],
      // As a German layout writes it on a Mac.
      ['Alt+]', 'one'],
      [']', 'two'],
      [']', null],
    ] as const) {
      await page.keyboard.press(key);
      if (text === null) await cell('a').waitFor({ state: 'detached' });
      else await cell(text).waitFor();
    }
    // An answer that comes late does not change another page.
    const waiting: Route[] = [];
    await page.route('**/query', (route) => {
      if (/max\(_xact_id\)/.test(route.request().postData() ?? '')) waiting.push(route);
      else void route.continue();
    });
    await page.keyboard.press('[');
    await waitUntil('the version is asked for', () => waiting.length > 0);
    await page.getByRole('link', { name: 'Datasets' }).click();
    await page.getByText('No datasets yet').waitFor();
    const answered = page.waitForResponse('**/query');
    await waiting[0]!.continue();
    await (await answered).finished();
    await page.getByRole('link', { name: 'Prompts' }).click();
    await page.getByText('No prompts yet').waitFor();
    await page.goBack();
    await page.getByText('No datasets yet').waitFor();
    expect(new URL(page.url()).search).to.equal('');
    expectClean();
    await close();
  });

  it('set the range of the time slider, also when they are counted after its menu opens', async () => {
    const { page, open, expectClean, close } = await openPage(browser(), server());
    const waiting: Route[] = [];
    await page.route('**/query', (route) => {
      if (/min\(created\)/.test(route.request().postData() ?? '')) waiting.push(route);
      else void route.continue();
    });
    await open(sorted);
    await page.locator('[data-row="0"]').waitFor();
    await page.getByRole('button', { name: 'Now ▾' }).click();
    await page.getByLabel('As of', { exact: true }).waitFor();
    await waitUntil('the rows are being counted', () => waiting.length > 0);
    expect(await page.getByRole('slider').count()).to.equal(0);
    await Promise.all(waiting.map((route) => route.continue()));
    await page.unroute('**/query');
    await page.getByRole('slider').waitFor();
    expectClean();
    await close();
  });

  it('that are refused are requested again when the user or the server says so', async () => {
    const { page, open, close } = await openPage(browser(), server());
    let refusal: Parameters<Route['fulfill']>[0] | null = { status: 500, body: 'no space' };
    let asked = 0;
    await page.route('**/query', async (route) => {
      const isNext = route.request().postData()?.includes('cursor: ') === true;
      if (isNext) asked += 1;
      await (isNext && refusal !== null ? route.fulfill(refusal) : route.continue());
    });
    await open('evalstore/p/support-bot/logs');
    await page.locator('[data-row="0"]').focus();
    await page.keyboard.press('End');
    await page.getByRole('alert').getByText('no space').waitFor();
    // The page goes on to look for newer rows.
    await page.waitForResponse(
      (response) => response.request().postData()?.includes('_xact_id >') === true,
    );
    expect(asked).to.equal(1);
    refusal = { status: 429, headers: { 'retry-after': '1' }, body: 'too many requests' };
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('alert').getByText('too many requests').waitFor();
    await waitUntil('it was refused a third time', () => asked > 2);
    refusal = null;
    await page.locator('[data-row="50"]').waitFor();
    expect(await page.getByRole('alert').count()).to.equal(0);
    await close();
  });

  it('of a trace are searched: what is found stays, with what lies above it', async () => {
    const { page, open, expectClean, close } = await openPage(browser(), server());
    await open('evalstore/p/support-bot/logs?r=trace-20');
    await page.getByText('5 spans').waitFor();
    await page.keyboard.press('s');
    await page.keyboard.type('INNER');
    await page.getByText('1 found').waitFor();
    const names = page.getByRole('treeitem').locator('bdi');
    await waitUntil(
      'the tree has the span and those above it',
      async () => (await names.allInnerTexts()).join() === 'answer,lookup,inner',
    );
    await page.keyboard.press('Enter');
    await page.waitForURL(/[?&]s=trace-20-3/);
    await page.keyboard.press('Escape');
    await waitUntil('all spans are back', async () => (await names.count()) === 5);
    await page.keyboard.press('s');
    await page.keyboard.type('%');
    await page.getByText('0 found').waitFor();
    expectClean();
    await close();
  });

  it('and everything else is found in the palette', async () => {
    const { page, open, expectClean, close } = await openPage(browser(), server());
    await open('evalstore/p/support-bot/logs');
    await page.getByText('traces').first().waitFor();
    const field = page.getByRole('combobox', { name: 'Go to a page or run an action' });
    await page.keyboard.press('/');
    await page.keyboard.press('Control+k');
    await field.waitFor();
    await page.keyboard.type('set health');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Health' }).waitFor();
    await page.keyboard.press('Control+k');
    await field.waitFor();
    await page.keyboard.type('show keyboard');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    expectClean();
    await close();
  });
});
