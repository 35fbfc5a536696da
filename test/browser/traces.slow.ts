// Large traces and odd names, in a real browser: the page shows what the interface answers.
import { expect } from 'chai';
import { sharedServer } from '../support/start-server.js';
import { waitUntil } from '../support/wait-until.js';
import { openPage, sharedBrowser } from './browser.js';

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
    const { page, open, expectClean, expectSmall, close } = await openPage(browser(), server());
    await open('evalstore/p/large/logs?r=s0');
    await page.getByText('10,000 spans').waitFor();
    await page.getByRole('treeitem').first().focus();
    await page.keyboard.press('End');
    const last = page.locator('[role=treeitem][aria-selected=true]');
    await last.getByText('span 9900').waitFor();
    await page.getByText('input 9900').waitFor();
    await expectSmall(13);
    await page.keyboard.press('F');
    await page.waitForFunction('document.querySelectorAll("[role=treeitem]").length === 1');
    expectClean();
    await close();
  });

  it('with one span id open at the row that has it as its id', async () => {
    const project = (await server().request('POST', '/v1/project', { name: 'repeated' })).json();
    const path = `/v1/project_logs/${String(project['id'])}/insert`;
    const events = ['1', 't2-1', 't3-1'].map((id, index) => ({
      id,
      span_id: '1',
      root_span_id: `t${index + 1}`,
      input: `of ${id}`,
    }));
    (await server().request('POST', path, { events })).json();
    const { page, open, expectClean, close } = await openPage(browser(), server());
    for (const id of ['1', 't2-1']) {
      await open(`evalstore/p/repeated/logs?oid=${id}`);
      await page.getByRole('region', { name: 'Span' }).getByText(`of ${id}`).waitFor();
    }
    expectClean();
    await close();
  });

  it('that still run are read again, but a span only if it changed', async () => {
    const project = (await server().request('POST', '/v1/project', { name: 'running' })).json();
    const path = `/v1/project_logs/${String(project['id'])}/insert`;
    const log = async (event: object) =>
      (await server().request('POST', path, { events: [{ id: 'a', ...event }] })).json();
    await log({ span_id: 'a', root_span_id: 'a', input: 'begun', metrics: { start: 1 } });
    const { page, open, expectClean, close } = await openPage(browser(), server());
    const read = { trace: 0, span: 0 };
    page.on('response', (response) => {
      const { query = '' } = (response.request().postDataJSON() ?? {}) as { query?: string };
      if (query.includes('metrics.end as end')) read.trace += 1;
      if (query.startsWith('select: *')) read.span += 1;
    });
    await page.clock.install();
    await open('evalstore/p/running/logs?r=a');
    const span = page.getByRole('region', { name: 'Span' });
    await span.getByText('begun').waitFor();
    await waitUntil('the trace is read again', async () => {
      await page.clock.fastForward(2_000);
      return read.trace > 3;
    });
    expect(read.span).to.equal(1);
    await log({ _is_merge: true, output: 'goes on' });
    await waitUntil('the change is shown', async () => {
      await page.clock.fastForward(2_000);
      return span.getByText('goes on').isVisible();
    });
    expectClean();
    await close();
  });

  it('with megabytes in a field show it with every digit, in the order of its keys', async () => {
    const { page, open, expectClean, expectSmall, close } = await openPage(browser(), server());
    await open('evalstore/p/large/logs?r=big&oid=big');
    const detail = page.getByRole('region', { name: 'Span' });
    await detail.getByText(digits).waitFor();
    const lines = await detail.getByRole('region', { name: 'input' }).innerText();
    expect(lines.indexOf('"9"')).to.be.below(lines.indexOf('"10"'));
    await detail.getByText('4.8 MB').first().waitFor();
    await expectSmall(13);
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
