// The versions of a prompt in a real browser: compared, and restored exactly as they were.
import { expect } from 'chai';
import { sharedServer } from '../support/start-server.js';
import { openPage, sharedBrowser } from './browser.js';

const dataOf = (word: string): string =>
  `{"prompt":{"type":"completion","content":"Answer ${word}: {{input}}"},"options":{"params":{"10":1,"9":12345678901234567890}}}`;

const promptOf = (content: string) => ({ prompt: { type: 'completion', content } });

describe('prompts in the console', () => {
  const server = sharedServer();
  const browser = sharedBrowser();

  it('appear, are compared version by version, and are restored with every digit', async () => {
    const project = (await server().request('POST', '/v1/project', { name: 'p' })).json();
    const { page, open, expectClean, close } = await openPage(browser(), server());
    await open('evalstore/p/p/prompts');
    await page.getByText('Waiting for the first prompt').waitFor();
    for (const word of ['kindly', 'briefly', 'twice']) {
      const body = `{"project_id":"${String(project['id'])}","name":"Answer","slug":"a/b","prompt_data":${dataOf(word)}}`;
      (await server().request('PUT', '/v1/prompt', body)).json();
    }
    const sameName = { project_id: project['id'], name: 'Answer', slug: 'another' };
    (await server().request('POST', '/v1/prompt', sameName)).json();
    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: 'Answer prompt another' }).waitFor();
    await page.getByRole('option', { name: 'Answer prompt a/b' }).click();
    await page.getByText('Version 3').waitFor();
    await page.getByRole('listitem').filter({ hasText: 'Version 1' }).getByText('compare').click();
    await page.locator('del').getByText('kindly').waitFor();
    expect(await page.locator('ins').innerText()).to.equal('twice');
    // The difference has the width of the page, where both columns do not fit.
    await page.setViewportSize({ width: 800, height: 800 });
    const sections = [page.locator('.versions'), page.locator('.prompt .diff')];
    const [left, right] = await Promise.all(sections.map((one) => one.boundingBox()));
    expect(right?.width).to.equal(left?.width);
    await page.setViewportSize({ width: 1280, height: 800 });

    await page.getByRole('link', { name: 'Version 1' }).click();
    await page
      .getByRole('region', { name: 'Content', exact: true })
      .getByText('12345678901234567890')
      .waitFor();
    await page.getByText('Variables: input', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Restore this version' }).click();
    await page.getByText('Version 4').waitFor();
    const { id: author } = (await server().request('GET', '/ping')).json();
    const versions = page.getByRole('listitem').filter({ hasText: 'Version' });
    await versions
      .filter({ hasText: `· user ${String(author).slice(0, 8)}` })
      .nth(3)
      .waitFor();
    expect(await versions.count()).to.equal(4);
    const query = `select: prompt_data | from: project_prompts('${String(project['id'])}')`;
    const { text } = await server().request('POST', '/query', { query });
    expect(text).to.include(`"prompt_data":${dataOf('kindly')}`);
    expectClean();
    await close();
  });

  it('are restored under their slug of now, whatever prompt has that of then', async () => {
    const { id: project_id } = await server().post('/v1/project', { name: 'renamed' });
    const metadata = { stage: 'draft' };
    const create = (name: string, more: object = {}) =>
      server().post('/v1/prompt', {
        project_id,
        name,
        slug: 'old',
        prompt_data: promptOf(name),
        ...more,
      });
    const { id } = await create('first', { function_type: 'scorer', metadata });
    const change = {
      slug: 'new',
      metadata: { stage: 'later' },
      prompt_data: promptOf('changed'),
      function_type: 'tool',
    };
    (await server().request('PATCH', `/v1/prompt/${String(id)}`, change)).json();
    const other = await create('other');
    const { page, open, expectClean, close } = await openPage(browser(), server());
    const queries: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/query')) queries.push(request.postData() ?? '');
    });
    await open('evalstore/p/renamed/prompts/new');
    await page.getByRole('link', { name: 'Version 1' }).click();
    await page.getByRole('button', { name: 'Restore this version' }).click();
    await page.getByText('Version 3').waitFor();
    const stored = async (prompt: unknown) =>
      (await server().request('GET', `/v1/prompt/${String(prompt)}`)).json();
    const { slug, prompt_data, function_type, metadata: restored } = await stored(id);
    expect({ slug, prompt_data, function_type, metadata: restored }).to.deep.equal({
      slug: 'new',
      prompt_data: promptOf('first'),
      function_type: 'scorer',
      metadata,
    });
    expect(await stored(other['id'])).to.deep.equal(other);
    // A page reads no other prompt: a project can have more than a query may read.
    expect(queries.filter((text) => !text.includes(`id = '${String(id)}'`))).to.deep.equal([]);
    await open(`evalstore/p/renamed/prompts/${String(id)}`);
    await page.getByText('Version 3').waitFor();
    // A slug leads to the prompt that has it, else to the one that had it last.
    await open('evalstore/p/renamed/prompts/old');
    await page.getByRole('heading', { level: 1, name: 'other' }).waitFor();
    (await server().request('PATCH', `/v1/prompt/${String(id)}`, { slug: 'third' })).json();
    await open('evalstore/p/renamed/prompts/new');
    await page.getByText('Version 4').waitFor();
    await page.getByText('third', { exact: true }).waitFor();
    expectClean();
    await close();
  });

  it('lead to the traces that used them', async () => {
    const { id: project_id } = await server().post('/v1/project', { name: 'used' });
    const prompt = { project_id, name: 'Used', slug: 'used' };
    const { id } = await server().post('/v1/prompt', prompt);
    const spans = [
      { id: 'a', span_id: 'a', root_span_id: 'a', input: 'with it' },
      {
        id: 'b',
        span_id: 'b',
        root_span_id: 'a',
        span_parents: ['a'],
        metadata: { prompt: { id } },
      },
      { id: 'c', span_id: 'c', root_span_id: 'c', input: 'without' },
    ];
    await server().insert(`project_logs/${String(project_id)}`, spans);
    const { page, open, expectClean, close } = await openPage(browser(), server());
    await open('evalstore/p/used/prompts/used');
    await page.getByText('No variables', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Logs of this prompt' }).click();
    await page.getByText('1 trace', { exact: true }).waitFor();
    await page.getByText('with it', { exact: true }).waitFor();
    expectClean();
    await close();
  });
});
