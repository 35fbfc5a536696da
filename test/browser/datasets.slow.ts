// Records of datasets in a real browser: taken from spans, written, edited, restored, deleted, imported.
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { sharedServer } from '../support/start-server.js';
import { waitUntil } from '../support/wait-until.js';
import { openPage, sharedBrowser } from './browser.js';
import { loadGsm8k } from './gsm8k.js';
import { loadSupportBot } from './support-bot.js';

type Row = Readonly<Record<string, unknown>>;

const importFile = async (page: Page, name: string, buffer: Buffer) => {
  await page.getByRole('button', { name: 'Import' }).click();
  const file = { name, mimeType: 'application/octet-stream', buffer };
  await page.getByLabel('A file').setInputFiles(file);
  await page.getByRole('button', { name: 'Import 1,319' }).click();
  await page.getByText('1,319 of 1,319 imported').waitFor();
  await page.getByRole('button', { name: 'Done' }).click();
};

const pairs = (rows: readonly Row[]) =>
  rows.map(({ input, expected }) => JSON.stringify([input, expected])).toSorted();

describe('datasets in the console', () => {
  const server = sharedServer();
  const browser = sharedBrowser();
  let project: string;
  before(async () => {
    project = await loadSupportBot(server());
    await loadGsm8k(server());
  });

  const create = async (name: string): Promise<string> => {
    const body = { project_id: project, name };
    return String((await server().request('POST', '/v1/dataset', body)).json()['id']);
  };

  const textOf = async (query: string): Promise<string> =>
    (await server().request('POST', '/query', { query })).text;

  const recordsOf = async (dataset: string): Promise<readonly Row[]> =>
    (
      JSON.parse(await textOf(`select: * | from: dataset('${dataset}') | sort: created`)) as {
        data: readonly Row[];
      }
    ).data;

  it('take a span of a trace, with the keyboard alone, and the rows that are chosen', async () => {
    const { page, open, expectClean, close } = await openPage(browser(), server());
    await open(
      `evalstore/p/support-bot/logs?${new URLSearchParams({ sort: 'id asc' }).toString()}`,
    );
    await page.getByText('600 traces').waitFor();
    await page.locator('.row-link').first().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Span' }).waitFor();
    const span = new URL(page.url()).searchParams.get('r')!;
    await page.keyboard.press('d');
    const name = page.getByLabel('Name of the new dataset');
    await name.waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.type('taken');
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByRole('link', { name: 'taken' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.getByRole('complementary').waitFor({ state: 'detached' });

    for (const key of ['j', 'x', 'j', 'x', 'd']) await page.keyboard.press(key);
    await page.getByText('Add 2 rows to a dataset').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByRole('link', { name: 'taken' }).click();
    await page.getByText('3 records').waitFor();

    const { objects } = (await server().request('GET', '/v1/dataset?dataset_name=taken')).json();
    const [{ id }] = objects as readonly [{ id: string }];
    const records = await recordsOf(id);
    expect(records).to.have.length(3);
    const spans = (
      JSON.parse(
        await textOf(
          `select: id, input, output, metadata | from: project_logs('${project}') | filter: is_root`,
        ),
      ) as { data: readonly Row[] }
    ).data;
    for (const record of records) {
      const origin = record['origin'] as { id: string; object_id: string };
      expect(origin.object_id).to.equal(project);
      const from = spans.find((one) => one['id'] === origin.id);
      expect([record['input'], record['expected'], record['metadata']]).to.deep.equal([
        from?.['input'],
        from?.['output'],
        from?.['metadata'],
      ]);
    }
    expect(records.map(({ origin }) => (origin as { id: string }).id)).to.include(span);
    expectClean();
    await close();
  });

  it('are edited in place, keep every digit, and go back to any version', async () => {
    const dataset = await create('edited');
    const path = `/v1/dataset/${dataset}/insert`;
    const first =
      '{"events":[{"id":"r","input":{"b":1,"9":12345678901234567890},"metadata":{"a":1}}]}';
    (await server().request('POST', path, first)).json();
    const stored = () =>
      textOf(`select: input, expected, metadata | from: dataset('${dataset}') | filter: id = 'r'`);
    const { page, open, expectClean, close } = await openPage(browser(), server());
    await open('evalstore/p/support-bot/datasets/edited');
    await page.getByText('1 record', { exact: true }).waitFor();
    await page.locator('.row-link').first().click();
    await page.getByRole('region', { name: 'Span' }).waitFor();
    await page.keyboard.press('e');
    const save = page.getByRole('button', { name: 'Save' });
    await page.getByRole('textbox', { name: 'expected' }).fill('{"x": 98765432109876543210');
    await page.getByText('This is not JSON').waitFor();
    expect(await save.isDisabled()).to.equal(true);
    await page.getByRole('textbox', { name: 'expected' }).fill('{"x": 98765432109876543210}');
    await save.click();
    await save.waitFor({ state: 'detached' });
    await page.getByRole('region', { name: 'Span' }).getByText('98765432109876543210').waitFor();
    expect(await stored()).to.include(
      '"input":{"b":1,"9":12345678901234567890},"expected":{"x":98765432109876543210},"metadata":{"a":1}',
    );

    const metadata = async (text: string, how: string) => {
      await page.keyboard.press('e');
      await page.getByRole('textbox', { name: 'metadata' }).fill(text);
      await page.getByLabel('How to store the changed fields').selectOption({ label: how });
      await save.click();
      await save.waitFor({ state: 'detached' });
    };
    await metadata('{"c": 3}', 'Merge into the changed fields');
    expect(await stored()).to.include('"metadata":{"a":1,"c":3}');
    await page.getByRole('region', { name: 'Span' }).getByText('"c"').waitFor();
    await metadata('{"d": 4}', 'Replace the changed fields');
    expect(await stored()).to.include('"metadata":{"d":4}');

    await page.getByRole('button', { name: 'History' }).click();
    const history = page.getByRole('region', { name: 'History' });
    const versions = history.getByRole('listitem');
    await waitUntil('all versions are listed', async () => (await versions.count()) === 4);
    await history.getByText('created', { exact: true }).click();
    await history.getByRole('button', { name: 'Restore this version' }).last().click();
    await waitUntil('the first version is back', async () =>
      (await stored()).includes(
        '"input":{"b":1,"9":12345678901234567890},"expected":null,"metadata":{"a":1}',
      ),
    );
    await waitUntil('and is one more', async () => (await versions.count()) === 5);

    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No records yet').waitFor();
    expect(await recordsOf(dataset)).to.deep.equal([]);
    await page.getByRole('button', { name: 'New record' }).click();
    await page.getByRole('textbox', { name: 'input' }).fill('"What?"');
    await save.click();
    await page.getByText('1 record', { exact: true }).waitFor();
    expect((await recordsOf(dataset)).map(({ input }) => input)).to.deep.equal(['What?']);
    expectClean();
    await close();
  });

  it('show what changed from one version to another, record by record, and go back to one', async () => {
    const dataset = await create('versioned');
    const write = async (...events: readonly object[]) =>
      (await server().request('POST', `/v1/dataset/${dataset}/insert`, { events })).json();
    await write({ id: 'a', input: 'one' }, { id: 'b', input: 'two' }, { id: 'c', input: 'three' });
    await write({ id: 'a', _is_merge: true, input: 'one more' }, { id: 'b', _object_delete: true });
    await write({ id: 'd', input: 'four' });
    const { page, open, expectClean, close } = await openPage(browser(), server());
    await open('evalstore/p/support-bot/datasets/versioned');
    await page.getByRole('link', { name: 'Versions' }).click();
    await page.getByRole('heading', { name: 'Versions of versioned' }).waitFor();
    const summary = (text: string) => page.getByRole('status').getByText(text).waitFor();
    const versions = page.locator('.versions').getByRole('listitem');
    const chosen = (index: number) => versions.nth(index).getByRole('link').first();
    await summary('1 added, 0 changed, 0 deleted');
    await chosen(1).click();
    await summary('0 added, 1 changed, 1 deleted');
    // A version is shown even if it is too old to be listed.
    await page.route('**/query', (route) =>
      route.continue({ postData: route.request().postData()!.replace('limit: 500', 'limit: 1') }),
    );
    await page.reload();
    await summary('0 added, 1 changed, 1 deleted');
    expect(await versions.count()).to.equal(1);
    await page.unroute('**/query');
    await page.reload();
    await chosen(0).click();
    await versions.nth(2).getByRole('link', { name: 'compare' }).click();
    await summary('1 added, 1 changed, 1 deleted');
    const changes = page.getByRole('region', { name: 'Changes' });
    const names = (await changes.locator('summary').allInnerTexts()).map((text) =>
      text.replaceAll(/\s+/g, ' '),
    );
    expect(names.toSorted()).to.deep.equal(['a changed', 'b deleted', 'd added']);
    await page.reload();
    await summary('1 added, 1 changed, 1 deleted');
    await changes.getByText('a', { exact: true }).click();
    await changes.locator('ins').getByText('more').waitFor();

    await versions.nth(2).getByRole('link', { name: 'compared' }).click();
    await chosen(2).click();
    await summary('3 added, 0 changed, 0 deleted');
    await page.getByRole('button', { name: 'Restore this version' }).click();
    await waitUntil('the restored version is listed', async () => (await versions.count()) === 4);
    const records = await recordsOf(dataset);
    expect(Object.fromEntries(records.map(({ id, input }) => [id, input]))).to.deep.equal({
      a: 'one',
      b: 'two',
      c: 'three',
    });
    await chosen(0).click();
    await summary('1 added, 1 changed, 1 deleted');
    await page.getByRole('link', { name: 'Records' }).click();
    await page.getByText('3 records').waitFor();
    await page.getByRole('row').filter({ hasText: 'two' }).click();
    await page.getByRole('button', { name: 'History' }).click();
    const history = page.getByRole('region', { name: 'History' });
    await history.getByText('deleted', { exact: true }).waitFor();
    expect(await history.getByText('created', { exact: true }).count()).to.equal(2);
    expectClean();
    await close();
  });

  it('import CSV, JSON Lines and Parquet; what is imported twice is there once', async () => {
    const dataset = await create('imported');
    const { objects } = (await server().request('GET', '/v1/dataset?dataset_name=problems')).json();
    const [{ id: problems }] = objects as readonly [{ id: string }];
    const query = `select: input as question, expected as answer | from: dataset('${problems}')`;
    const fileOf = async (fmt: string): Promise<Buffer> => {
      const response = await fetch(`${server().url}/query`, {
        method: 'POST',
        headers: { authorization: `Bearer ${server().key}` },
        body: JSON.stringify({ query, fmt }),
      });
      return Buffer.from(await response.arrayBuffer());
    };
    const { page, open, expectClean, close } = await openPage(browser(), server());
    await open('evalstore/p/support-bot/datasets/imported');
    await page.getByText('No records yet').waitFor();
    for (const format of ['csv', 'jsonl', 'parquet', 'csv']) {
      await importFile(page, `problems.${format}`, await fileOf(format));
      await page.getByText('1,319 records').waitFor();
      expect(await recordsOf(dataset)).to.have.length(1319);
    }
    expect(pairs(await recordsOf(dataset))).to.deep.equal(pairs(await recordsOf(problems)));
    expectClean();
    await close();
  });

  it('say where a file is wrong, and map columns as they are told', async () => {
    const dataset = await create('mapped');
    const { page, open, expectClean, close } = await openPage(browser(), server());
    await open('evalstore/p/support-bot/datasets/mapped');
    const read = async (text: string) => {
      await page.getByLabel('Or paste').fill(text);
      await page.getByRole('button', { name: 'Read the text' }).click();
    };
    await page.getByRole('button', { name: 'Import' }).click();
    await read('{"input": 1}\n{"input": ');
    await page.getByRole('alert').getByText('Line 2 is not JSON').waitFor();
    await read('id,q,tags,model,n\n7,"a, ""b""\nc","x, y",small,"{""deep"":[1]}"\n');
    await page.getByLabel('What q becomes').selectOption('input');
    await page.getByRole('button', { name: 'Import 1', exact: true }).click();
    await page.getByText('1 of 1 imported').waitFor();
    const [row] = await recordsOf(dataset);
    expect([row?.['id'], row?.['input'], row?.['tags'], row?.['metadata']]).to.deep.equal([
      '7',
      'a, "b"\nc',
      ['x', 'y'],
      { model: 'small', n: { deep: [1] } },
    ]);
    expectClean();
    await close();
  });
});
