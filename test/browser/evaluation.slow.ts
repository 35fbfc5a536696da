// What people do with an evaluation, in a real browser, over the public GSM8K results: the page shows what the interface answers.
import { expect } from 'chai';
import type { Route } from 'playwright-core';
import { sharedServer } from '../support/start-server.js';
import { waitUntil } from '../support/wait-until.js';
import { openPage, sharedBrowser } from './browser.js';
import { loadGsm8k } from './gsm8k.js';

interface Named {
  readonly id: string;
  readonly name: string;
}

describe('an evaluation in the console', () => {
  const server = sharedServer();
  const browser = sharedBrowser();
  const ids: Record<string, string> = {};
  before(async () => {
    await loadGsm8k(server());
    const { objects } = (await server().request('GET', '/v1/experiment')).json();
    for (const { id, name } of objects as readonly Named[]) ids[name] = id;
  });

  it('is found from the first page, with its activity', async () => {
    const { page, open, expectClean, close } = await openPage(browser(), server());
    const waiting: Route[] = [];
    let isHeld = true;
    await page.route('**/query', (route) => (isHeld ? waiting.push(route) : route.continue()));
    await open('');
    const row = page.getByRole('row').filter({ hasText: 'gsm8k' });
    await row.getByText('…').first().waitFor();
    await waitUntil('the activity is asked for', () => waiting.length > 0);
    // The route stays: a request that begins while it is removed may never be sent.
    isHeld = false;
    await Promise.all(waiting.map((route) => route.continue()));
    // 1,319 records and four times as many events.
    await row.getByText('6,595', { exact: true }).waitFor();
    const newest = row.getByRole('cell').filter({ hasText: '175b_verification' });
    await newest.getByText('+0.21531').waitFor();
    expect(await newest.innerText()).to.include('correct 0.56255');
    expect(await newest.getByRole('link').getAttribute('href')).to.match(
      /\/p\/gsm8k\/experiments\/175b_verification$/,
    );
    await row.getByRole('link', { name: 'gsm8k', exact: true }).click();
    await page.getByText('Waiting for the first event').waitFor();
    await page.getByRole('link', { name: 'Experiments' }).first().click();
    const experiment = page.getByRole('row').filter({ hasText: '175b_verification' });
    await experiment.getByText('0.56255').waitFor();
    expect(await experiment.innerText()).to.include('1,319');
    expectClean();
    await close();
  });

  it('has the address that its summary names, and shows the numbers of the summary', async () => {
    const path = `/v1/experiment/${ids['175b_verification']}/summarize?summarize_scores=true`;
    const summary = (await server().request('GET', path)).json();
    const { page, expectClean, close } = await openPage(browser(), server());
    await page.goto(String(summary['experiment_url']));
    const row = page.getByRole('row').filter({ hasText: 'correct' }).first();
    await row.getByText('0.56255').waitFor();
    const text = await row.innerText();
    for (const part of ['0.56255', '+0.21531', '[0.18651, 0.24412]', '360 ▲', '76 ▼'])
      expect(text).to.include(part);
    await page.getByText('1,319 traces').waitFor();
    await page.goto(String(summary['project_url']));
    await page.getByText('Waiting for the first event').waitFor();
    expectClean();
    await close();
  });

  it('compares with any other experiment', async () => {
    const { page, open, close } = await openPage(browser(), server());
    await open('evalstore/p/gsm8k/experiments/175b_verification');
    await page.getByLabel('Compared with').selectOption({ label: '6b_finetuning' });
    const path = `/v1/experiment/${ids['175b_verification']}/summarize?summarize_scores=true&comparison_experiment_id=${ids['6b_finetuning']}`;
    const { scores } = (await server().request('GET', path)).json() as {
      scores: { correct: { diff: number } };
    };
    await page.getByText(`+${scores.correct.diff.toFixed(5)}`).waitFor();
    await close();
  });

  it('shows the 76 regressions, and the words that differ', async () => {
    const { page, open, expectClean, close } = await openPage(browser(), server());
    await open('evalstore/p/gsm8k/experiments/175b_verification');
    await page.getByRole('link', { name: '76 regressions' }).click();
    await page.getByText('76 inputs').waitFor();
    const grid = page.getByRole('grid', { name: 'Inputs' });
    expect(await grid.getAttribute('aria-rowcount')).to.equal('77');
    await grid.locator('.row-link').first().click();
    await page.locator('del').first().waitFor();
    const diff = page.locator('.diff');
    const texts = async (left: string) =>
      (await diff.locator(`> :not(${left})`).allTextContents()).join('');
    const input = await page
      .getByRole('region', { name: 'Outputs' })
      .locator('.value')
      .first()
      .innerText();
    const question = input.replace(/^Text\s+JSON\s+Copy\s+/, '').trim();
    for (const [name, left] of [
      ['175b_finetuning', 'ins'],
      ['175b_verification', 'del'],
    ] as const) {
      const query = `select: output, scores.correct as correct, input | from: experiment('${ids[name]}')`;
      const { data } = (await server().request('POST', '/query', { query })).json() as {
        data: readonly { output: string; correct: number; input: string }[];
      };
      const row = data.find((one) => one.input === question);
      expect(await texts(left), name).to.equal(row?.output);
      expect(row?.correct).to.equal(left === 'ins' ? 1 : 0);
    }
    await page.keyboard.press('n');
    await page.waitForFunction(
      `document.querySelector('[aria-selected=true] [data-row="1"]') !== null`,
    );
    expectClean();
    await close();
  });

  it('is sliced by any filter', async () => {
    const { page, open, close } = await openPage(browser(), server());
    await open(
      `evalstore/p/gsm8k/compare?e=${ids['175b_finetuning']},${ids['175b_verification']}&score=correct`,
    );
    await page.getByText('1319 inputs').or(page.getByText('1,319 inputs')).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type("input ilike 'percent'");
    await page.keyboard.press('Enter');
    const query = `measures: count_distinct(input) as n | from: experiment('${ids['175b_finetuning']}') | filter: input ilike 'percent'`;
    const { data } = (await server().request('POST', '/query', { query })).json();
    const [{ n }] = data as readonly [{ n: number }];
    await page.getByText(`${n} inputs`).waitFor();
    expect(n).to.be.within(10, 200);
    const means = `measures: avg(scores.correct) as mean, count(*) as traces | from: experiment('${ids['175b_verification']}') | filter: input ilike 'percent'`;
    const answer = (await server().request('POST', '/query', { query: means })).json();
    const [{ mean, traces }] = answer['data'] as readonly [{ mean: number; traces: number }];
    const row = page.getByRole('region', { name: 'Summary' }).getByRole('row').nth(1);
    await row.getByText(mean.toFixed(5), { exact: true }).waitFor();
    const search = new URLSearchParams({
      summarize_scores: 'true',
      comparison_experiment_id: ids['175b_finetuning']!,
      filter: "input ilike 'percent'",
    });
    const path = `/v1/experiment/${ids['175b_verification']}/summarize?${search.toString()}`;
    const { correct } = (await server().request('GET', path)).json()['score_stats'] as {
      correct: { count: number; diff_low: number };
    };
    expect(correct.count).to.equal(traces);
    expect(await row.innerText()).to.include(`[${correct.diff_low.toFixed(5).replace('-', '−')}, `);
    await close();
  });

  it('shows how its scores are distributed, and those of the other experiment', async () => {
    const { page, open, expectClean, close } = await openPage(browser(), server());
    await open('evalstore/p/gsm8k/experiments/175b_verification');
    const chart = page.getByRole('img', { name: 'Traces by correct' });
    await chart.locator('path').waitFor({ state: 'attached' });
    const query = `measures: count(scores.correct = 0 ? 1 : null) as wrong, count(scores.correct = 1 ? 1 : null) as right | from: experiment('${ids['175b_verification']}')`;
    const { data } = (await server().request('POST', '/query', { query })).json();
    const [{ wrong, right }] = data as readonly [{ wrong: number; right: number }];
    expect(await chart.getAttribute('aria-label')).to.equal(
      `Traces by correct: 0: ${wrong}, 0.95: ${right}`,
    );
    expect(wrong + right).to.equal(1319);
    expectClean();
    await close();
  });

  it('is compared by groups of any expression, each of which opens as its inputs', async () => {
    const { page, open, expectClean, close } = await openPage(browser(), server());
    const pair = `${ids['175b_finetuning']},${ids['175b_verification']}`;
    await open(`evalstore/p/gsm8k/compare?e=${pair}&score=correct`);
    await page.getByRole('button', { name: 'By input' }).click();
    await page.getByLabel('Path or expression').fill("input ilike 'percent'");
    await page.getByRole('button', { name: 'Group', exact: true }).click();
    await page.getByText('2 groups').waitFor();
    const query = `measures: avg(scores.correct) as mean, count(*) as n | from: experiment('${ids['175b_verification']}') | filter: input ilike 'percent'`;
    const { data } = (await server().request('POST', '/query', { query })).json();
    const [{ mean, n }] = data as readonly [{ mean: number; n: number }];
    const group = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'true' }) });
    expect(await group.innerText())
      .to.include(`${n} ×`)
      .and.to.include(String(Number(mean.toPrecision(5))));
    await group.getByRole('link').click();
    await page.getByText(`${n} inputs`).waitFor();
    expect(await page.getByRole('combobox', { name: 'Filter', exact: true }).inputValue()).to.equal(
      "(input ilike 'percent') = true",
    );
    expectClean();
    await close();
  });

  it('stands in a list with the trend of its scores and any of its metadata', async () => {
    const path = `/v1/experiment/${ids['6b_verification']}`;
    await server().request(
      'PATCH',
      path,
      '{"metadata": {"model": "six-billion", "seeds": [1, 9007199254740993]}}',
    );
    const { page, open, expectClean, close } = await openPage(browser(), server());
    await open('evalstore/p/gsm8k/experiments');
    await page.getByRole('img', { name: 'correct from the oldest' }).waitFor();
    await page.getByRole('button', { name: 'Metadata' }).click();
    await page.getByRole('checkbox', { name: 'model' }).check();
    await page.getByRole('checkbox', { name: 'seeds' }).check();
    const row = page.getByRole('row').filter({ hasText: '6b_verification' });
    await row.getByRole('cell', { name: 'six-billion' }).waitFor();
    await row.getByRole('cell', { name: '[1,9007199254740993]' }).waitFor();
    expectClean();
    await close();
  });

  it('has several trials of an input, each of which is shown', async () => {
    const project_id = (await server().request('POST', '/v1/project', { name: 'trials' })).json()[
      'id'
    ];
    const made: string[] = [];
    for (const [name, outputs] of [
      ['base', ['one']],
      ['new', ['two', 'three']],
    ] as const) {
      const body = { project_id, name };
      const { id } = (await server().request('POST', '/v1/experiment', body)).json();
      made.push(String(id));
      const input = '{"q":"?","n":12345678901234567890}';
      const events = outputs
        .map((output) => `{"input":${input},"output":"${output}","scores":{"s":0.5}}`)
        .join(',');
      const path = `/v1/experiment/${String(id)}/insert`;
      (await server().request('POST', path, `{"events":[${events}]}`)).json();
    }
    const { page, open, expectClean, close } = await openPage(browser(), server());
    await open(`evalstore/p/trials/compare?e=${made.join(',')}&score=s`);
    await page.locator('.row-link').first().click();
    await page.getByText('trial 2 of 2').waitFor();
    const sides = page.getByRole('region', { name: 'Outputs' });
    await sides.locator('ins').nth(1).waitFor();
    expect(await sides.locator('ins').allInnerTexts()).to.have.members(['two', 'three']);
    expectClean();
    await close();
  });

  it('is read in a query that says what is wrong with it, drawn, and saved', async () => {
    const { page, open, close } = await openPage(browser(), server());
    await open('evalstore/p/gsm8k/query');
    const write = async (dimension: string) =>
      page.getByLabel('Query', { exact: true }).fill(
        `dimensions: ${dimension} as model\nmeasures: avg(scores.correct) as mean\nfrom: experiment(${Object.values(
          ids,
        )
          .map((id) => `'${id}'`)
          .join(', ')})`,
      );
    await write('lowr(metadata.model)');
    await page.getByText("unknown function 'lowr' (did you mean 'lower'?)").waitFor();
    expect(await page.locator('.problem mark').innerText()).to.equal('lowr');
    await write('lower(metadata.model)');
    await page.keyboard.press('Control+Enter');
    await page.getByText('2 rows').waitFor();
    await page.getByRole('gridcell').getByText('175b').waitFor();
    expect(await page.locator('.chart rect').count()).to.equal(2);
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'arrow' }).click();
    expect((await saved).suggestedFilename()).to.equal('query.arrows');
    await page.reload();
    await page.getByText('2 rows').waitFor();
    await close();
  });
});
