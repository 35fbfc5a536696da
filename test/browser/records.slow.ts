// Records of a dataset that two people change at the same time, and files that repeat themselves, in a real browser.
import { EventEmitter, once } from 'node:events';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { sharedServer } from '../support/start-server.js';
import { waitUntil } from '../support/wait-until.js';
import { openPage, sharedBrowser } from './browser.js';
import { expectImage, png } from './media.js';

const edit = async (page: Page, field: string, text: string) => {
  await page.getByRole('region', { name: 'Span' }).waitFor();
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByRole('textbox', { name: field }).fill(text);
};

const image = (width: number) => ({
  url: `data:image/png;base64,${png(width, 10).toString('base64')}`,
});

describe('records in the console', () => {
  const server = sharedServer();
  const browser = sharedBrowser();
  let project: string;
  before(async () => {
    const answer = await server().request('POST', '/v1/project', { name: 'shared' });
    project = String(answer.json()['id']);
  });

  const create = async (name: string): Promise<string> => {
    const body = { project_id: project, name };
    return String((await server().request('POST', '/v1/dataset', body)).json()['id']);
  };
  const insert = async (dataset: string, event: object) => {
    const path = `/v1/dataset/${dataset}/insert`;
    (await server().request('POST', path, { events: [event] })).json();
  };
  const recordsOf = async (dataset: string) => {
    const query = `select: id, input, expected, tags | from: dataset('${dataset}')`;
    return (await server().request('POST', '/query', { query })).json()['data'];
  };

  it('show the files of a field that changed, and no words of their content', async () => {
    const dataset = await create('pictured');
    await insert(dataset, { id: 'r', input: { image_url: image(20) }, expected: 'old words' });
    await insert(dataset, { id: 'r', input: { image_url: image(30) }, expected: 'new words' });
    const { page, open, expectClean, close } = await openPage(browser(), server());
    await open('evalstore/p/shared/datasets/pictured?oid=r');
    await page.getByRole('button', { name: 'History' }).click();
    const history = page.getByRole('region', { name: 'History' });
    await history.getByText('input, expected').waitFor();
    // A version that is closed is not compared, as this takes time.
    expect(await history.locator('del, ins, .sides').count()).to.equal(0);
    await history.getByText('input, expected').click();
    const version = history.getByRole('listitem').first();
    await expectImage(version.getByRole('img').first(), 20);
    await expectImage(version.getByRole('img').last(), 30);
    await version.locator('ins').waitFor();
    expect(await version.locator('del, ins').allInnerTexts()).to.deep.equal(['old', 'new']);

    // Values whose texts are equal, or whose types differ, are compared as JSON.
    await insert(dataset, { id: 's', input: 1, expected: null, metadata: { k: 1 } });
    await insert(dataset, { id: 's', input: '1', expected: '', metadata: { k: 1 } });
    await insert(dataset, { id: 's', input: true, expected: 'a text', metadata: { k: 1 } });
    await open('evalstore/p/shared/datasets/pictured?oid=s');
    await page.getByRole('button', { name: 'History' }).click();
    await history.getByText('created', { exact: true }).waitFor();
    for (const summary of await history.getByText('input, expected').all()) await summary.click();
    const fields = history.locator('.diff');
    await fields.nth(3).waitFor();
    expect(await fields.evaluateAll((all) => all.map((one) => one.innerHTML))).to.deep.equal([
      '<del>"1"</del><ins>true</ins>',
      '<ins>a text</ins>',
      '<ins>"</ins><span>1</span><ins>"</ins>',
      '<del>null</del><ins>""</ins>',
    ]);
    expectClean();
    await close();
  });

  it('are not overwritten without a word while they are edited', async () => {
    const dataset = await create('edited');
    await insert(dataset, { id: 'r', input: 'one', expected: 'old', tags: ['a'] });
    const { page, open, expectClean, close } = await openPage(browser(), server());
    const save = page.getByRole('button', { name: 'Save' });
    await open('evalstore/p/shared/datasets/edited?oid=r');
    await edit(page, 'expected', '"mine"');
    // Another field: both changes stay.
    await insert(dataset, { id: 'r', _is_merge: true, tags: ['b'] });
    await save.click();
    await save.waitFor({ state: 'detached' });
    const both = { id: 'r', input: 'one', expected: 'mine', tags: ['b'] };
    expect(await recordsOf(dataset)).to.deep.equal([both]);

    await edit(page, 'expected', '"mine again"');
    await insert(dataset, { id: 'r', _is_merge: true, expected: 'theirs' });
    await save.click();
    await page
      .getByRole('alert')
      .getByText('Somebody changed expected after you opened the record.')
      .waitFor();
    expect(await recordsOf(dataset)).to.deep.equal([{ ...both, expected: 'theirs' }]);
    await save.click();
    await save.waitFor({ state: 'detached' });
    expect(await recordsOf(dataset)).to.deep.equal([{ ...both, expected: 'mine again' }]);
    expectClean();
    await close();
  });

  it('keep what is typed while a record is saved', async () => {
    const dataset = await create('typed on');
    await insert(dataset, { id: 'r', input: 'one', expected: 'old' });
    await insert(dataset, { id: 's', input: 'two' });
    const { page, open, expectClean, close } = await openPage(browser(), server());
    const hold = new EventEmitter();
    const held = once(hold, 'answer');
    let asked = 0;
    await page.route('**/insert', async (route) => {
      asked += 1;
      await held;
      await route.continue();
    });
    const field = page.getByRole('textbox', { name: 'expected' });
    const openAgain = async (text: string) => {
      await page.getByRole('row').filter({ hasText: 'two' }).click();
      await field.waitFor({ state: 'detached' });
      await page.getByRole('row').filter({ hasText: 'one' }).click();
      await field.fill(text);
    };
    await open('evalstore/p/shared/datasets/typed%20on?oid=r');
    await edit(page, 'expected', '"mine"');
    await page.getByRole('button', { name: 'Save' }).click();
    await waitUntil('the server is asked', () => asked === 1);
    await field.focus();
    await page.keyboard.type('x');
    expect(await field.inputValue()).to.equal('"mine"');
    await openAgain('"mine, and more"');
    hold.emit('answer');
    await page.getByRole('gridcell', { name: 'mine', exact: true }).waitFor();
    expect(await field.inputValue()).to.equal('"mine, and more"');
    // The change of the first form is not one of somebody else.
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('gridcell', { name: 'mine, and more' }).waitFor();
    // The next form begins with the row of the panel, which is read apart from the table.
    const panel = page.getByRole('region', { name: 'Span' });
    await panel.getByText('mine, and more', { exact: true }).waitFor();
    expectClean();

    // A save has succeeded even if the form that was opened again cannot read the record.
    await page.unroute('**/insert');
    await page.route('**/insert', async (save) => {
      await openAgain('"typed later"');
      await page.route('**/query', (route) =>
        route.request().postData()?.includes('select: id, input, expected, metadata, tags') === true
          ? route.fulfill({ status: 400, body: 'refused' })
          : route.continue(),
      );
      await save.continue();
    });
    await edit(page, 'expected', '"stored"');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('gridcell', { name: 'stored', exact: true }).waitFor();
    expect(await page.getByText('refused').count()).to.equal(0);
    await close();
  });

  it('keep unsaved edits while other rows are shown', async () => {
    const dataset = await create('drafts');
    await insert(dataset, { id: 'r', input: 'one', expected: 'old' });
    await insert(dataset, { id: 's', input: 'two', expected: 'other' });
    const { page, open, expectClean, close } = await openPage(browser(), server());
    const field = page.getByRole('textbox', { name: 'expected' });
    await open('evalstore/p/shared/datasets/drafts?oid=r');
    await edit(page, 'expected', '"mine"');
    await page.getByRole('button', { name: 'History' }).click();
    await field.waitFor({ state: 'detached' });
    await page.getByRole('row').filter({ hasText: 'two' }).click();
    await page.getByRole('region', { name: 'Span' }).getByText('other', { exact: true }).waitFor();
    expect(await field.count()).to.equal(0);
    await insert(dataset, { id: 'r', _is_merge: true, expected: 'theirs' });
    await page.getByRole('row').filter({ hasText: 'one' }).click();
    expect(await field.inputValue()).to.equal('"mine"');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').getByText('Somebody changed expected').waitFor();

    const asked: string[] = [];
    page.on('dialog', (dialog) => {
      asked.push(dialog.type());
      void dialog.accept();
    });
    await page.reload();
    expect(asked).to.deep.equal(['beforeunload']);
    await edit(page, 'expected', '"again"');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.reload();
    await page.getByRole('region', { name: 'Span' }).getByText('theirs').waitFor();
    expect(asked).to.deep.equal(['beforeunload']);

    await edit(page, 'expected', '"of a deleted record"');
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('complementary').waitFor({ state: 'detached' });
    await page.reload();
    expect(asked).to.deep.equal(['beforeunload']);
    expectClean();
    await close();
  });

  it('stand alone, even if one names another as its parent', async () => {
    const dataset = await create('related');
    await insert(dataset, { id: 'a', root_span_id: 'root', span_id: 'root', input: 'one' });
    await insert(dataset, { id: 'b', input: 'two', _parent_id: 'a' });
    await insert(dataset, { id: 'c', input: 'three', _parent_id: 'a' });
    const { page, open, expectClean, close } = await openPage(browser(), server());
    const place = 'evalstore/p/shared/datasets/related?sort=id+asc';
    const span = page.getByRole('region', { name: 'Span' });
    await open(`${place}&r=nowhere`);
    await page.getByText('This record is not here').waitFor();
    await open(`${place}&oid=b`);
    await span.getByText('two', { exact: true }).waitFor();
    await page.getByText('3 records').waitFor();
    expect(await page.getByRole('tree').count()).to.equal(0);
    await page.keyboard.press('P');
    await span.getByText('one', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    const confirm = page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true });
    await confirm.click();
    await page.getByText('2 records').waitFor();
    expect(await recordsOf(dataset)).to.have.length(2);
    await page.getByRole('row').filter({ hasText: 'two' }).getByRole('checkbox').click();
    await page.getByText('1 record selected').waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await confirm.click();
    await page.getByText('1 record', { exact: true }).waitFor();
    expect(await recordsOf(dataset)).to.deep.equal([
      { id: 'c', input: 'three', expected: null, tags: null },
    ]);
    expectClean();
    await close();
  });

  it('are there once, even if the answer to an insert was lost', async () => {
    const dataset = await create('answered');
    const copy = await create('copied');
    const { page, open, close } = await openPage(browser(), server());
    const lose = () =>
      page.route(
        '**/insert',
        async (route) => {
          await route.fetch();
          await route.fulfill({ status: 503, body: 'the answer is lost' });
        },
        { times: 1 },
      );
    const lost = page.getByRole('alert').getByText('the answer is lost');
    await open('evalstore/p/shared/datasets/answered');
    await page.getByRole('button', { name: 'New record' }).click();
    await page.getByRole('textbox', { name: 'input' }).fill('"one"');
    await lose();
    await page.getByRole('button', { name: 'Save' }).click();
    await lost.waitFor();
    await page.getByRole('textbox', { name: 'expected' }).fill('"two"');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('1 record', { exact: true }).waitFor();
    const [record] = (await recordsOf(dataset)) as readonly Readonly<Record<string, unknown>>[];
    expect(record).to.deep.include({ input: 'one', expected: 'two', tags: null });
    expect(record?.['id']).to.match(
      /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/,
    );

    await page.getByRole('checkbox', { name: 'Select the row' }).click();
    await page.getByRole('button', { name: 'Add to dataset' }).click();
    await page.getByRole('dialog').locator('select').selectOption('copied');
    await lose();
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await lost.waitFor();
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('status').getByRole('link', { name: 'copied' }).waitFor();
    expect(await recordsOf(copy)).to.have.length(1);
    await close();
  });

  it('stay deleted when somebody saves a change of them', async () => {
    const dataset = await create('deleted');
    await insert(dataset, { id: 'r', input: 'one', expected: 'old' });
    const { page, open, expectClean, close } = await openPage(browser(), server());
    await open('evalstore/p/shared/datasets/deleted?oid=r');
    await edit(page, 'expected', '"new"');
    await insert(dataset, { id: 'r', _object_delete: true });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').getByText('This record was deleted').waitFor();
    expect(await recordsOf(dataset)).to.deep.equal([]);
    expectClean();
    await close();
  });

  it('come back from every format of a download as they were', async () => {
    const dataset = await create('downloaded');
    const inputs = ['text, "quoted"', 5, { q: [null] }, '["text"]', true, '', null];
    for (const [index, input] of inputs.entries())
      await insert(dataset, { id: `r${index}`, input, expected: `${index}`, tags: ['a', 'b,c'] });
    const query = `select: id, input, expected, metadata, tags | from: dataset('${dataset}')`;
    const { page, open, expectClean, close } = await openPage(browser(), server());
    for (const fmt of ['csv', 'jsonl', 'parquet']) {
      const copy = await create(fmt);
      const file = await fetch(`${server().url}/query`, {
        method: 'POST',
        headers: { authorization: `Bearer ${server().key}` },
        body: JSON.stringify({ query, fmt }),
      });
      const buffer = Buffer.from(await file.arrayBuffer());
      await open(`evalstore/p/shared/datasets/${fmt}`);
      await page.getByRole('button', { name: 'Import' }).click();
      await page.getByLabel('A file').setInputFiles({ name: 'f', mimeType: 'a/b', buffer });
      await page.getByRole('button', { name: 'Import 7' }).click();
      await page.getByText('7 of 7 imported').waitFor();
      expect(await recordsOf(copy), fmt).to.have.deep.members(
        (await recordsOf(dataset)) as readonly object[],
      );
    }
    expectClean();
    await close();
  });

  it('of a file that have one id are told before the import', async () => {
    const dataset = await create('repeated');
    const { page, open, expectClean, close } = await openPage(browser(), server());
    await open('evalstore/p/shared/datasets/repeated');
    await page.getByRole('button', { name: 'Import' }).click();
    await page.getByLabel('Or paste').fill('id,input\n1,first\n1,second\n1,third\n2,other\n');
    await page.getByRole('button', { name: 'Read the text' }).click();
    await page
      .getByText('2 records have the id of a later record of the file and will not be stored.')
      .waitFor();
    await page.getByLabel('What id becomes').selectOption('metadata');
    await page.getByText('the id of a later record').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Import 4' }).click();
    await page.getByText('4 of 4 imported').waitFor();
    expect(await recordsOf(dataset)).to.have.length(4);
    expectClean();
    await close();
  });
});
