// The views of logs beyond the usual: odd addresses, odd values, the keys of open menus, and where a list is scrolled to.
import { exec } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { sharedServer, testKey } from '../support/start-server.js';
import { waitUntil } from '../support/wait-until.js';
import { openPage, sharedBrowser } from './browser.js';

const run = promisify(exec);

const filterOf = (page: Page) => page.getByRole('combobox', { name: 'Filter', exact: true });

const scrollTop = (page: Page) =>
  page.evaluate<number>(`document.querySelector('.grid-scroll').scrollTop`);

const firstOf = (page: Page) => page.locator('[data-row="0"]');

const withQuery = (path: string, query: Readonly<Record<string, string>>): string =>
  `${path}?${new URLSearchParams(query).toString()}`;

/** A span of the trace `root`. */
const spanOf = (id: string, input: unknown) => ({
  id,
  span_id: id,
  root_span_id: 'root',
  span_parents: id === 'root' ? null : ['root'],
  input,
});

describe('views of logs in the console', () => {
  const server = sharedServer();
  const browser = sharedBrowser();

  /** Logs the events in a new project; the path of its logs. */
  const log = async (name: string, events: readonly object[]): Promise<string> => {
    const { id } = (await server().request('POST', '/v1/project', { name })).json();
    const path = `/v1/project_logs/${String(id)}/insert`;
    if (events.length > 0) (await server().request('POST', path, { events })).json();
    return `evalstore/p/${name}/logs`;
  };

  it('an address with a version that is none says so, and leads back', async () => {
    const path = await log('versions', [{ id: 'a', input: 'here' }]);
    const { page, open, close } = await openPage(browser(), server());
    await open(withQuery(path, { v: 'abc' }));
    await page.getByText('expected a transaction id of 19 digits').waitFor();
    await page.getByRole('button', { name: 'As of … ▾' }).click();
    await page.getByLabel('As of', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Back to now' }).click();
    await page.getByText('here').waitFor();
    const v = String((0x0de1n << 48n) + 0xffffn);
    await open(withQuery(path, { v }));
    await page
      .getByRole('heading', { name: 'No rows to show in this version', exact: true })
      .waitFor();
    expect(await page.getByRole('button', { name: 'Show all rows' }).count()).to.equal(0);
    await open(withQuery(path, { v, t: '1h' }));
    await page
      .getByRole('heading', { name: 'No rows match the time range', exact: true })
      .waitFor();
    await close();
  });

  it('Escape closes an open menu alone, and keys in it do nothing behind it', async () => {
    const path = await log('menus', [{ id: 'a', root_span_id: 'a', span_id: 'a', input: 'one' }]);
    const { page, open, expectClean, close } = await openPage(browser(), server());
    await open(withQuery(path, { r: 'a' }));
    await page.getByRole('region', { name: 'Span' }).waitFor();
    await page.getByRole('button', { name: 'Input', exact: true }).click();
    await page.getByText('Most frequent values').waitFor();
    await page.keyboard.press('9');
    await page.keyboard.press('Escape');
    await page.getByText('Most frequent values').waitFor({ state: 'detached' });
    expect(await page.getByRole('region', { name: 'Span' }).count()).to.equal(1);
    expect(await page.getByText('Saved').count()).to.equal(0);
    await page.keyboard.press('Escape');
    await page.getByRole('region', { name: 'Span' }).waitFor({ state: 'detached' });
    expectClean();
    await close();
  });

  it('a value with line breaks stays whole in the filter while it is edited', async () => {
    const path = await log('breaks', [
      { id: 'a', input: 'two\nlines', metadata: { 'quo"te': "it's", 'a  b': 'two spaces' } },
      { id: 'b', input: 'twolines' },
    ]);
    const { page, open, expectClean, close } = await openPage(browser(), server());
    await open(withQuery(path, { cols: 'id\ninput' }));
    await page.getByRole('button', { name: 'Input', exact: true }).click();
    await page.locator('.facet-value', { hasText: 'two lines' }).click();
    await page.getByText('1 trace', { exact: true }).waitFor();
    await filterOf(page).press('End');
    await page.keyboard.type(' and id is not null');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Enter');
    await page.waitForURL(/not\+null/);
    expect(new URL(page.url()).searchParams.get('f')).to.equal(
      "input = 'two\nlines' and id is not null",
    );
    await page.getByText('1 trace', { exact: true }).waitFor();
    expect(await firstOf(page).innerText()).to.equal('a');
    // The values of a path with a quote in its name are completed, too.
    await filterOf(page).fill('metadata."quo""te" = ');
    await page.getByRole('option', { name: "'it''s'" }).waitFor();
    // A column keeps the spaces of its name.
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Columns ▾' }).click();
    await page.getByLabel('Path or expression').fill('metadata."a  b"');
    await page.keyboard.press('Enter');
    await page.getByRole('gridcell', { name: 'two spaces' }).waitFor();
    expectClean();
    await close();
  });

  it('what is wrong with the order is not said of the filter', async () => {
    const path = await log('errors', [{ id: 'a' }]);
    const { page, open, close } = await openPage(browser(), server());
    const shown = page.locator('.failure').getByText("unknown function 'lowr'");
    await open(withQuery(path, { f: 'id is not null', sort: 'lowr(id)' }));
    await shown.waitFor();
    await open(withQuery(path, { f: 'id is not null', cols: 'id\nlowr(id)' }));
    await shown.waitFor();
    expect(await filterOf(page).getAttribute('aria-invalid')).to.equal('false');
    await open(withQuery(path, { f: 'lowr(id)' }));
    await page.locator('.filter-error').getByText("unknown function 'lowr'").waitFor();
    await close();
  });

  it('a comment that is not sent stays with its span while another one is shown', async () => {
    const path = await log('comments', [
      { id: 'a', span_id: 'a', root_span_id: 'a', input: 'one' },
      { id: 'b', span_id: 'b', root_span_id: 'b', input: 'two' },
    ]);
    const { page, open, expectClean, close } = await openPage(browser(), server());
    const span = page.getByRole('region', { name: 'Span' });
    const comment = page.getByRole('textbox', { name: 'Comment' });
    await open(withQuery(path, { sort: 'id asc', r: 'a' }));
    await span.getByText('one').waitFor();
    await page.keyboard.press('c');
    await page.keyboard.type('half a sen');
    await page.keyboard.press('Escape');
    // The next trace is known once the rows of the table have arrived.
    await page.getByRole('link', { name: 'Next trace' }).waitFor();
    await page.keyboard.press('N');
    await span.getByText('two').waitFor();
    expect(await comment.count()).to.equal(0);
    await page.keyboard.press('P');
    await span.getByText('one').waitFor();
    expect(await comment.inputValue()).to.equal('half a sen');
    await page.keyboard.press('c');
    await page.keyboard.type('tence');
    await page.keyboard.press('Enter');
    await span.getByRole('listitem').filter({ hasText: 'half a sentence' }).waitFor();
    expect(await comment.inputValue()).to.equal('');
    // Nothing is unsaved: the browser does not ask.
    page.on('dialog', () => expect.fail('the browser asked'));
    await page.reload();
    await span.getByText('one').waitFor();
    expectClean();
    await close();
  });

  it('a view without a match leads to all rows, in the same order', async () => {
    const path = await log('matches', [{ id: 'a', input: 'one' }]);
    const { page, open, expectClean, close } = await openPage(browser(), server());
    await open(withQuery(path, { f: "input = 'two'", t: '1h', sort: 'id asc' }));
    await page.getByRole('button', { name: 'Show all rows' }).click();
    await page.getByRole('gridcell', { name: 'one' }).waitFor();
    expect(Object.fromEntries(new URL(page.url()).searchParams)).to.deep.equal({ sort: 'id asc' });
    expectClean();
    await close();
  });

  it('spans whose root was not logged are found', async () => {
    const path = await log('rootless', [
      { id: 'a', span_id: 'a', root_span_id: 'far', span_parents: ['up'], input: 'only a child' },
    ]);
    const { page, open, expectClean, close } = await openPage(browser(), server());
    await open(path);
    await page.getByText('No trace has a root span').waitFor();
    await page.getByRole('button', { name: 'Show these traces' }).click();
    await page.getByText('1 trace', { exact: true }).waitFor();
    await page.locator('.row-link').first().click();
    const span = page.getByRole('region', { name: 'Span' }).getByText('only a child');
    await span.waitFor();
    // A link to the trace opens it, too.
    await open(withQuery(path, { r: 'far' }));
    await span.waitFor();
    await page.getByText('No trace has a root span').waitFor();
    expectClean();
    await close();
  });

  it('reading rows can be cancelled and run again, also over the rows of the view before', async () => {
    const path = await log('slow', [{ id: 'a', input: 'first' }]);
    const { page, open, close } = await openPage(browser(), server());
    const hold = () => page.route('**/query', () => {}); // Is never answered.
    const cancel = async () => {
      await page.getByRole('button', { name: 'Cancel' }).waitFor();
      // A screen reader would read a number whenever it changes.
      expect(await page.locator('.loading').ariaSnapshot()).not.to.match(/\d/);
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByText('Cancelled.').waitFor();
      expect(await page.getByRole('alert').count()).to.equal(0);
      await page.unroute('**/query');
      await page.getByRole('button', { name: 'Run again' }).click();
      await page.getByText('Cancelled.').waitFor({ state: 'detached' });
    };
    await hold();
    await open(path);
    await cancel();
    await page.getByText('first', { exact: true }).waitFor();
    await hold();
    await page.getByRole('combobox', { name: 'Filter', exact: true }).fill("input = 'first'");
    await page.keyboard.press('Enter');
    await cancel();
    await page.getByText('first', { exact: true }).waitFor();
    await close();
  });

  it('a search in a trace finds any text, in strings and inside JSON', async () => {
    const path = await log('searched', [
      spanOf('root', 'nothing'),
      spanOf('path', 'at C:\\dir\\ 100% done'),
      spanOf('chat', [{ role: 'user', content: 'Say "hi"\nand C:\\dir' }]),
    ]);
    const { page, open, expectClean, close } = await openPage(browser(), server());
    await open(withQuery(path, { r: 'root' }));
    const found = page.locator('.trace-search [role=status]');
    for (const [text, count] of [
      ['c:\\DIR', 2],
      ['dir\\', 1],
      ['say "hi"', 1],
      ['100%', 1],
      ['1%0', 0],
    ] as const) {
      await page.getByLabel('Search in the trace').fill('');
      await found.getByText('found').waitFor({ state: 'detached' });
      await page.getByLabel('Search in the trace').fill(text);
      await found.getByText('found').waitFor();
      await waitUntil(
        `${text} is found ${count} times`,
        async () => (await found.innerText()) === `${count} found`,
      );
    }
    expectClean();
    await close();
  });

  it('a link to a row opens it by its id or the id of its span, or says that it is not there', async () => {
    const path = await log('linked', [{ id: 'a' }]);
    const { page, open, expectClean, close } = await openPage(browser(), server());
    await open(withQuery(path, { oid: 'gone' }));
    await page.getByText('The row “gone” is not here yet').waitFor();
    await open(
      withQuery(await log('found', [{ id: 'a', span_id: 'b', input: 'one' }]), { oid: 'b' }),
    );
    await page.getByRole('region', { name: 'Span' }).getByText('one').waitFor();
    expect(new URL(page.url()).searchParams.get('s')).to.equal('a');
    expectClean();
    await close();
  });

  it('begin with their first row in another order, and Back leads to where they were', async () => {
    const path = await log(
      'scrolled',
      Array.from({ length: 400 }, (_, index) => ({ id: `row-${1000 + index}`, input: 'x' })),
    );
    const { page, open, expectClean, close } = await openPage(browser(), server());
    await open(withQuery(path, { cols: 'id' }));
    await page.getByText('400 traces').waitFor();
    await firstOf(page).focus();
    await page.keyboard.press('End');
    await page.locator('[data-row="49"]:focus').waitFor();
    const isKept = () =>
      page.evaluate<boolean>(
        `history.state?.scroll === document.querySelector('.grid-scroll').scrollTop && history.state.scroll > 0`,
      );
    await waitUntil('the position is kept', isKept);
    await page.getByRole('link', { name: 'Datasets' }).click();
    await page.getByText('No datasets yet').waitFor();
    expect(await page.title()).to.equal('Datasets · scrolled · Evalstore');
    await page.goBack();
    await page.locator('[data-row="49"]').waitFor();
    await waitUntil('the position is that of before', isKept);
    await page.getByRole('button', { name: 'id', exact: true }).click();
    await page.getByRole('button', { name: 'Descending' }).click();
    await firstOf(page).getByText('row-1399').waitFor();
    expect(await scrollTop(page)).to.equal(0);
    await page.goBack();
    await page.locator('[data-row="49"]').waitFor();
    await waitUntil('the position is that of before', isKept);
    // Tab leads to a row in view, and j to the one after it.
    const reached = page.locator('.row-link[tabindex="0"]');
    const numberOf = async () => Number(await reached.getAttribute('data-row'));
    await waitUntil('a row in view is reached', async () => (await numberOf()) > 8);
    const next = (await numberOf()) + 1;
    await page.keyboard.press('j');
    await page.locator(`[data-row="${next}"]:focus`).waitFor();
    await page.getByRole('grid').hover();
    await page.mouse.wheel(0, -10_000);
    await firstOf(page).waitFor();
    await reached.waitFor();
    await page.getByRole('link', { name: 'Evalstore, all projects' }).click();
    await page.getByRole('heading', { level: 1, name: 'Projects' }).waitFor();
    await waitUntil(
      'the title is that of the page',
      async () => (await page.title()) === 'Projects · evalstore · Evalstore',
    );
    expectClean();
    await close();
  });

  it('leave as programs whose days are those on the screen', async () => {
    const path = await log('zones', [{ id: 'a', created: '2024-03-01T20:00:00Z' }]);
    const context = await browser().newContext({
      timezoneId: 'Asia/Tokyo',
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const page = await context.newPage();
    await page.goto(`${server().url}/app/${withQuery(path, { cols: 'id\nday(created)' })}`);
    await page.getByLabel('API key').fill(testKey);
    await page.keyboard.press('Enter');
    const shown = page.getByRole('gridcell', { name: '2024-03-01T15:00:00Z' });
    await shown.waitFor();
    await page.keyboard.press('q');
    for (const [label, command] of [
      ['curl', (text: string) => text],
      ['Python', (text: string) => `python3 <<'END'\n${text}\nprint(rows)\nEND`],
      [
        'JavaScript',
        (text: string) => `node --input-type=module <<'END'\n${text}\nconsole.log(data)\nEND`,
      ],
    ] as const) {
      await page.getByRole('button', { name: label }).click();
      const copied = async () => page.evaluate<string>('navigator.clipboard.readText()');
      const start = { curl: 'curl', Python: 'import', JavaScript: 'const' }[label];
      await waitUntil(`${label} is copied`, async () => (await copied()).startsWith(start));
      const { stdout } = await run(command(await copied()), {
        shell: '/bin/bash',
        env: { ...process.env, EVALSTORE_KEY: testKey },
      });
      expect(stdout, label).to.include('2024-03-01T15:00:00Z');
    }
    await context.close();
  });
});
