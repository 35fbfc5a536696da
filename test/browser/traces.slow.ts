// What people do with logs and traces, in a real browser: the page shows what the interface answers.
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
import { loadSupportBot, traces } from './support-bot.js';

const run = promisify(exec);
const logs = 'evalstore/p/support-bot/logs';

const nodes = async (page: Page) => page.evaluate<number>('document.querySelectorAll("*").length');

describe('logs in the console', () => {
  const server = sharedServer();
  const browser = sharedBrowser();
  let project: string;
  before(async () => {
    project = await loadSupportBot(server());
  });

  const rowsOf = async (query: string, version?: string) =>
    (
      await server().request('POST', '/query', {
        query: query.replace('LOGS', `project_logs('${project}')`),
        ...(version === undefined ? {} : { version }),
      })
    ).json()['data'] as readonly Readonly<Record<string, unknown>>[];

  it('are filtered with the keyboard alone, with completion of paths, operators and values', async () => {
    const { page, open, expectClean, close } = await openPage(browser(), server());
    await open(logs);
    await page.getByText(`${traces} traces`).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('tier');
    await page.getByRole('option', { name: 'metadata.customer.tier' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.type('= ');
    const option = page.getByRole('option', { name: "'enterprise'" });
    expect(await option.innerText()).to.match(/'enterprise'\s+200/);
    await page.keyboard.type('ent');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('200 traces').waitFor();
    expect(new URL(page.url()).searchParams.get('f')).to.equal(
      "metadata.customer.tier = 'enterprise'",
    );
    await page.keyboard.press('Escape');
    await page.goBack();
    await page.getByText(`${traces} traces`).waitFor();
    expect(await page.getByRole('combobox', { name: 'Filter', exact: true }).inputValue()).to.equal(
      '',
    );
    expectClean();
    await close();
  });

  it('have any path as a column and as their order, page after page', async () => {
    const { page, open, close } = await openPage(browser(), server());
    await open(logs);
    await page.getByText(`${traces} traces`).waitFor();
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
    for (let at = traces - 1; at > traces - 240; at -= 20) {
      await page.getByRole('grid').hover();
      await page.mouse.wheel(0, 640);
      await page
        .getByRole('row')
        .filter({ hasText: `(${at - 20})` })
        .waitFor();
    }
    expect(await nodes(page)).to.be.below(1500);
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
    const [row] = await rowsOf(
      `measures: count(*) as n | from: LOGS | filter: is_root and created >= '${from}' and created < '${to}'`,
    );
    expect(row!['n']).to.be.within(1, traces - 1);
    await page.getByText(`${String(row!['n'])} traces`).waitFor();
    const other = await openPage(browser(), server());
    await other.page.goto(page.url());
    await other.page.getByText(`${String(row!['n'])} traces`).waitFor();
    await Promise.all([close(), other.close()]);
  });

  it('leave as Parquet, and as a command that answers the same rows', async () => {
    const { page, open, close } = await openPage(browser(), server());
    await open(
      `${logs}?${new URLSearchParams({ f: "output = 'Your refund was issued.'" }).toString()}`,
    );
    const [row] = await rowsOf(
      "measures: count(*) as n | from: LOGS | filter: is_root and output = 'Your refund was issued.'",
    );
    await page.getByText(`${String(row!['n'])} traces`).waitFor();
    await page.keyboard.press('q');
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'parquet' }).click();
    const bytes = await readFile(await (await saved).path());
    const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
    const rows = await parquetReadObjects({ file, compressors });
    expect(rows).to.have.length(row!['n'] as number);
    await page.getByRole('button', { name: 'curl' }).click();
    await page.getByText('Copied').waitFor();
    const command = await page.evaluate<string>('navigator.clipboard.readText()');
    const { stdout } = await run(command, {
      shell: '/bin/bash',
      env: { ...process.env, EVALSTORE_API_KEY: testKey },
    });
    const { data } = JSON.parse(stdout) as { data: readonly { id: string }[] };
    expect(data.map(({ id }) => id)).to.deep.equal(rows.map((one) => one['id']));
    await close();
  });

  it('show new rows when they are asked for, and at once while live', async () => {
    const { page, open, close } = await openPage(browser(), server());
    await open(logs);
    await page.getByText(`${traces} traces`).waitFor();
    const insert = (id: string) =>
      server().request('POST', `/v1/project_logs/${project}/insert`, {
        events: [{ id, input: `new ${id}` }],
      });
    await insert('one');
    await page.getByText('1 newer row').waitFor();
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
    await open(
      `${logs}?${new URLSearchParams({ sort: 'id asc', cols: 'id\nscores.helpful' }).toString()}`,
    );
    await page.getByRole('gridcell', { name: 'trace-1', exact: true }).waitFor();
    const [{ v: before } = { v: '' }] = (await rowsOf(
      'measures: max(_xact_id) as v | from: LOGS',
    )) as readonly { v: string }[];
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Span' }).waitFor();
    const trace = new URL(page.url()).searchParams.get('r');
    await page.keyboard.press('9');
    await page.getByText('Saved').waitFor();
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
    expect((feedback['audit'] as readonly unknown[]).length).to.be.within(2, 3);

    const [past] = await rowsOf(
      `select: scores.helpful as s | from: LOGS | filter: id = '${trace}'`,
      before,
    );
    await open(
      `${logs}?${new URLSearchParams({ v: before, f: `id = '${trace}'`, cols: 'id\nscores.helpful' }).toString()}`,
    );
    await page.getByText('Data as of').waitFor();
    const row = page.getByRole('row').filter({ hasText: trace! });
    await row.getByText(String(past!['s'])).waitFor();
    await page.getByRole('button', { name: 'Back to now' }).click();
    await row.getByRole('gridcell', { name: '1', exact: true }).waitFor();
    expectClean();
    await close();
  });
});

describe('large traces in the console', () => {
  const server = sharedServer();
  const browser = sharedBrowser();
  const spans = 10_000;
  const digits = '12345678901234567890.123456789';

  before(async () => {
    const project = (await server().request('POST', '/v1/project', { name: 'large' })).json();
    const path = `/v1/project_logs/${String(project['id'])}/insert`;
    const events = Array.from({ length: spans }, (_, index) => ({
      id: `s${index}`,
      span_id: `s${index}`,
      root_span_id: 's0',
      span_parents: index === 0 ? null : [index < 100 ? 's0' : `s${index % 100}`],
      metrics: { start: 1_700_000_000 + index, end: 1_700_000_001 + index },
      span_attributes: { name: `span ${index}` },
      input: `input ${index}`,
    }));
    (await server().request('POST', path, { events })).json();
    const long = Array.from({ length: 50_000 }, (_, index) => ({
      index,
      text: 'lorem ipsum '.repeat(8),
    }));
    const text = JSON.stringify({
      events: [{ id: 'big', input: { '9': 'DIGITS', '10': long }, output: 'x'.repeat(5_000_000) }],
    });
    (await server().request('POST', path, text.replace('"DIGITS"', digits))).json();
  });

  it('of 10,000 spans are walked and folded with few elements in the document', async () => {
    const { page, open, expectClean, close } = await openPage(browser(), server());
    await open('evalstore/p/large/logs?r=s0');
    await page.getByText('10,000 spans').waitFor();
    await page.getByRole('treeitem').first().focus();
    await page.keyboard.press('End');
    const last = page.locator('[role=treeitem][aria-selected=true]');
    await last.getByText('span 9900').waitFor();
    await page.getByText('input 9900').waitFor();
    expect(await nodes(page)).to.be.below(1500);
    await page.keyboard.press('F');
    await page.waitForFunction('document.querySelectorAll("[role=treeitem]").length === 1');
    expectClean();
    await close();
  });

  it('with megabytes in a field show it with every digit, in the order of its keys', async () => {
    const { page, open, expectClean, close } = await openPage(browser(), server());
    await open('evalstore/p/large/logs?r=big&oid=big');
    const detail = page.getByRole('region', { name: 'Span' });
    await detail.getByText(digits).waitFor();
    const lines = await detail.getByRole('region', { name: 'input' }).innerText();
    expect(lines.indexOf('"9"')).to.be.below(lines.indexOf('"10"'));
    await detail.getByText('4.8 MB').first().waitFor();
    expect(await nodes(page)).to.be.below(1500);
    expectClean();
    await close();
  });
});

describe('odd names in the console', () => {
  const server = sharedServer();
  const browser = sharedBrowser();

  for (const name of ['..', '.', 'a/b', '%2F', '100% ?#&', ' x ', 'ü "quoted" <b>', 'logs'])
    it(`a project and an experiment called ${JSON.stringify(name)} have pages`, async () => {
      const project = (await server().request('POST', '/v1/project', { name })).json();
      const created = await server().request('POST', '/v1/experiment', {
        project_id: project['id'],
        name,
      });
      const { id } = created.json() as { id: string };
      const { experiment_url } = (
        await server().request('GET', `/v1/experiment/${id}/summarize`)
      ).json();
      const { page, open, expectClean, close } = await openPage(browser(), server());
      await open('');
      await page.getByRole('link', { name: name.trim(), exact: true }).first().click();
      await page.getByText('Waiting for the first event').waitFor();
      await page.goto(String(experiment_url));
      await page.getByText('Waiting for the first event').waitFor();
      expect(await page.getByRole('heading', { level: 1 }).textContent()).to.equal(
        `Traces of ${name}`,
      );
      await open(`evalstore/object?object_type=experiment&object_id=${id}`);
      await page.getByText('Waiting for the first event').waitFor();
      expectClean();
      await close();
    });
});
