// Experiments that have little in common, compared in a real browser: every row shows what is its own.
import { expect } from 'chai';
import { sharedServer } from '../support/start-server.js';
import { waitUntil } from '../support/wait-until.js';
import { openPage, sharedBrowser } from './browser.js';

/** Rows whose ids count them, as those of many clients. */
const counted = (name: string, questions: readonly number[]) =>
  questions.map((question, index) => ({
    id: `row-${index}`,
    input: `Question ${question}?`,
    output: `${name} says ${question}`,
    scores: { ok: question / 10 },
  }));

describe('a comparison in the console', () => {
  const server = sharedServer();
  const browser = sharedBrowser();
  let project: string;
  before(async () => {
    const answer = await server().request('POST', '/v1/project', { name: 'compared' });
    project = String(answer.json()['id']);
  });

  const log = async (id: string, events: readonly object[]) => {
    (await server().request('POST', `/v1/experiment/${id}/insert`, { events })).json();
  };
  const experiment = async (name: string, events: readonly object[]): Promise<string> => {
    const body = { project_id: project, name };
    const id = String((await server().request('POST', '/v1/experiment', body)).json()['id']);
    if (events.length > 0) await log(id, events);
    return id;
  };
  const scored = (name: string, scores: readonly number[]) =>
    experiment(
      name,
      scores.map((ok, index) => ({ input: `Question ${index + 1}?`, scores: { ok } })),
    );

  it('shows the outputs of an input, though other inputs have rows with the same ids', async () => {
    const base = await experiment('the base', counted('base', [1, 2, 3]));
    const other = await experiment('the other', counted('other', [3, 4]));
    const { page, open, expectClean, close } = await openPage(browser(), server());
    await open(`evalstore/p/compared/compare?e=${base},${other}`);
    await page.getByText('4 inputs').waitFor();
    const outputs = page.getByRole('region', { name: 'Outputs' });
    const textOf = async (question: number) => {
      await page
        .getByRole('gridcell', { name: `Question ${question}?` })
        .getByRole('link')
        .click();
      await outputs.locator('.value').first().getByText(`Question ${question}?`).waitFor();
      expect(await page.locator('[aria-selected=true]').count()).to.equal(1);
      return (await outputs.innerText()).replaceAll(/\s+/g, ' ');
    };
    expect(await textOf(1))
      .to.include('base says 1')
      .and.to.include('the other – This input is not in this experiment.')
      .and.not.to.include('says 3')
      .and.not.to.include('trial');
    expect(await textOf(4))
      .to.include('the base baseline – This input is not in this experiment.')
      .and.to.include('other says 4')
      .and.not.to.include('says 1')
      .and.not.to.include('null');
    await textOf(3);
    await outputs.locator('ins').waitFor();
    expect(page.workers()).to.have.length(1);
    expect(await outputs.locator('del, ins').allInnerTexts()).to.deep.equal(['base', 'other']);
    await page.reload();
    await outputs.locator('.value').first().getByText('Question 3?').waitFor();
    expectClean();
    await close();
  });

  it('lists the inputs of experiments without scores, and scores of the baseline alone', async () => {
    const one = await experiment('plain', [{ input: 'x', output: 'old words' }]);
    const two = await experiment('plain, too', [{ input: 'x', output: 'new words' }]);
    const { page, open, expectClean, close } = await openPage(browser(), server());
    await open(`evalstore/p/compared/compare?e=${one},${two}`);
    await page.getByText('1 input', { exact: true }).waitFor();
    expect(await page.getByLabel('Score').count()).to.equal(0);
    await page.locator('.row-link').click();
    await page.locator('ins').getByText('new').waitFor();

    const base = await experiment('scored', counted('scored', [1]));
    await open(`evalstore/p/compared/compare?e=${base},${one}`);
    await page.getByText('2 inputs').waitFor();
    expect(await page.getByLabel('Score').inputValue()).to.equal('ok');
    expectClean();
    await close();
  });

  it('shows errors, and rows without an input', async () => {
    const base = await experiment('works', [
      { output: 'fine', scores: { ok: 1 } },
      { output: 'good', scores: { ok: 1 } },
    ]);
    const other = await experiment('fails', [
      // The earliest of 21 trials, of which 20 are shown.
      { error: 'Timeout: no answer', scores: { ok: 0 }, created: '2026-01-01T00:00:00Z' },
      ...Array.from({ length: 20 }, () => ({ output: 'late', scores: { ok: 0 } })),
    ]);
    const { page, open, expectClean, close } = await openPage(browser(), server());
    await open(`evalstore/p/compared/compare?e=${base},${other}`);
    await page.locator('.row-link').click();
    const outputs = page.getByRole('region', { name: 'Outputs' });
    await outputs.getByText('trial 2 of 2', { exact: true }).waitFor();
    await outputs.getByText('The other trials of fails are not shown.').waitFor();
    const failed = outputs.getByRole('region', { name: 'fails' });
    expect(await failed.count()).to.equal(20);
    await failed.getByText('Timeout: no answer').waitFor();
    await failed.getByText('It has no output.').waitFor();
    await page.getByRole('combobox', { name: 'Filter', exact: true }).fill("output = 'late'");
    await page.keyboard.press('Enter');
    await page.getByText('20 ×').waitFor();
    await page.locator('.row-link').click();
    await outputs.getByText('trial 20 of 20').waitFor();
    expect(await outputs.getByText('Timeout').count()).to.equal(0);
    expectClean();
    await close();
  });

  it('opens groups whose values are arrays', async () => {
    const tags = [['other'], ["it's", 'a"b'], ["it's", 'a"b']];
    const tagged = (name: string) =>
      experiment(
        name,
        counted(name, [1, 2, 3]).map((event, index) => Object.assign(event, { tags: tags[index] })),
      );
    const base = await tagged('tagged');
    const other = await tagged('tagged, too');
    const { page, open, expectClean, close } = await openPage(browser(), server());
    await open(`evalstore/p/compared/compare?e=${base},${other}&by=tags`);
    await page.getByText('2 groups').waitFor();
    await page.getByRole('link', { name: '["it\'s","a\\"b"]' }).click();
    await page.getByRole('link', { name: 'Question 3?' }).waitFor();
    expect(await page.getByRole('combobox', { name: 'Filter', exact: true }).inputValue()).to.equal(
      `tags = ['it''s','a"b']`,
    );
    expect(await page.locator('.row-link').allInnerTexts()).to.have.members([
      'Question 2?',
      'Question 3?',
    ]);
    expectClean();
    await close();
  });

  it('has the days of the time zone in its groups, scores and trials', async () => {
    const created = '2024-03-01T03:00:00Z';
    const asked = (name: string, count: number) =>
      experiment(
        name,
        Array.from({ length: count }, () => ({ created, input: 'late', scores: { ok: 0.5 } })),
      );
    const base = await asked('in the evening', 1);
    const other = await asked('in the evening, too', 2);
    const zone = { timeZone: 'America/New_York' };
    const { page, open, expectClean, close } = await openPage(browser(), server(), zone);
    await open(`evalstore/p/compared/compare?e=${base},${other}&by=day(created)`);
    await page.locator('.row-link').click();
    await page.getByRole('link', { name: 'late' }).click();
    await page.getByRole('region', { name: 'Outputs' }).getByText('trial 2 of 2').waitFor();
    await page.reload();
    await page.getByRole('region', { name: 'Summary' }).getByText('0.50000').waitFor();
    expectClean();
    await close();
  });

  it('sorts and selects inputs by the changes of the chosen one of several experiments', async () => {
    const base = await scored('one', [0.5, 0.5, 0.5]);
    const second = await scored('two', [0.6, 0.4, 0.5]);
    const third = await scored('three', [0.2, 0.5, 123456]);
    const { page, open, expectClean, close } = await openPage(browser(), server());
    const changed = page.getByRole('combobox', { name: 'Changes of' });
    const expectInputs = async (...questions: readonly number[]) => {
      const wanted = questions.map((question) => `Question ${question}?`);
      const inputs = page.locator('.row-link');
      await waitUntil(`the inputs are ${wanted.join(' ')}`, async () => {
        return (await inputs.allInnerTexts()).join() === wanted.join();
      });
    };
    await open(`evalstore/p/compared/compare?e=${base},${second},${third}`);
    await expectInputs(2, 3, 1);
    expect(await changed.locator('option').allInnerTexts()).to.deep.equal(['two', 'three']);
    await changed.focus();
    await page.keyboard.press('ArrowDown');
    await expectInputs(1, 2, 3);
    await page.getByRole('combobox', { name: 'Inputs' }).selectOption('▼ Worse');
    await expectInputs(1);
    await page.getByRole('combobox', { name: 'Inputs' }).selectOption('▲ Better');
    await expectInputs(3);
    await page.reload();
    await expectInputs(3);
    // Short, but no digit before the point is lost; the title has all.
    const cells = page.getByRole('grid', { name: 'Inputs' }).locator('.cell.number');
    expect(await cells.last().innerText()).to.match(/^123,456\s+▲ \+123,456$/);
    await cells.last().getByTitle('123456', { exact: true }).waitFor();
    await cells.last().getByTitle('123455.5', { exact: true }).waitFor();
    expect(await changed.inputValue()).to.equal(third);
    await changed.selectOption('two');
    await expectInputs(1);
    await page.goBack();
    await expectInputs(3);
    await page.getByRole('button', { name: '3 experiments' }).click();
    await page.getByRole('checkbox', { name: 'three', exact: true }).uncheck();
    await expectInputs(1);
    expect(await changed.count()).to.equal(0);
    expectClean();
    await close();
  });

  it('says once what is wrong with a filter', async () => {
    const made = [];
    for (const name of ['first', 'second', 'third'])
      made.push(await experiment(name, counted(name, [1])));
    const { page, open, close } = await openPage(browser(), server());
    // The summaries fail before the rows.
    let summaries = 0;
    page.on('response', (response) => (summaries += Number(response.url().includes('/summarize'))));
    await page.route('**/query', async (route) => {
      await waitUntil('the summaries are answered', () => summaries >= 2);
      await route.continue();
    });
    await page.addInitScript(`
      window.alertsMost = 0;
      const keep = () => {
        const { length } = document.querySelectorAll('[role=alert]');
        window.alertsMost = Math.max(window.alertsMost, length);
      };
      new MutationObserver(keep).observe(document, { subtree: true, childList: true });`);
    await open(`evalstore/p/compared/compare?e=${made.join(',')}&f=lowr(id)`);
    await page.getByRole('alert').getByText("unknown function 'lowr'").first().waitFor();
    await page.waitForLoadState('networkidle');
    expect(await page.getByRole('alert').count()).to.equal(1);
    const filter = page.getByRole('combobox', { name: 'Filter', exact: true });
    expect(await filter.getAttribute('aria-invalid')).to.equal('true');
    expect(await page.getByRole('alert').innerText()).not.to.match(/line|column/);
    expect(await page.evaluate('alertsMost')).to.equal(1);
    await close();
  });

  it('follows an evaluation that runs', async () => {
    const base = await experiment('before', counted('before', [1, 2, 3]));
    const running = await experiment('running', counted('running', [1]));
    const { page, open, close } = await openPage(browser(), server());
    await page.clock.install();
    await open(`evalstore/p/compared/compare?e=${base},${running}`);
    await page.getByText('3 inputs').waitFor();
    await log(running, [{ input: 'One more?', output: 'yes', scores: { ok: 1 } }]);
    await waitUntil('the new row is shown', async () => {
      await page.clock.fastForward(10_000);
      return page.getByText('4 inputs').isVisible();
    });
    await close();
  });

  it('keeps what it shows when the server cannot be reached', async () => {
    const base = await experiment('kept', counted('kept', [1, 2, 3]));
    const other = await experiment('kept, too', counted('kept', [1, 2]));
    const { page, open, close } = await openPage(browser(), server());
    await page.clock.install();
    await open(`evalstore/p/compared/compare?e=${base},${other}`);
    await page.getByText('3 inputs').waitFor();
    const summary = page.getByRole('region', { name: 'Summary' });
    await summary.getByText('0.15000').waitFor();
    let lost = 0;
    await page.route('**/*', (route) => {
      if (route.request().url().endsWith('/ping')) lost += 1;
      return route.abort();
    });
    const unreachable = page.getByText('The server cannot be reached.');
    await waitUntil('the page says so', async () => {
      await page.clock.fastForward(10_000);
      return unreachable.first().isVisible();
    });
    await summary.getByText('0.15000').waitFor();
    // A screen that asks again who is signed in.
    await page.evaluate(
      `history.pushState(null, '', '/app/evalstore/p/compared/experiments/kept'); dispatchEvent(new PopStateEvent('popstate'))`,
    );
    await waitUntil('it gave up to ask', async () => {
      await page.clock.fastForward(10_000);
      return lost >= 4;
    });
    await page.getByLabel('Compared with').waitFor();
    await close();
  });

  it('is chosen in the list, and still is after Back; its menus stay in the window', async () => {
    const scores = Object.fromEntries(Array.from({ length: 24 }, (_, n) => [`score ${n}`, 0.5]));
    await experiment('left', [{ input: 1, scores }]);
    await experiment('right', [{ input: 1, scores }]);
    const { page, open, expectClean, close } = await openPage(browser(), server());
    await open('evalstore/p/compared/experiments');
    await page.getByText('8 of 25 scores have columns.').waitFor();
    await page.getByRole('checkbox', { name: 'Compare left' }).check();
    await page.getByRole('checkbox', { name: 'Compare right' }).check();
    await page.getByRole('link', { name: 'Compare 2' }).click();
    await page.getByText('1 input', { exact: true }).waitFor();
    await page.locator('.row-link').click();
    await page.getByRole('region', { name: 'Outputs' }).waitFor();
    const menu = page.getByRole('button', { name: '2 experiments' });
    // The button is at the bottom of the window.
    await menu.evaluate((button) =>
      (button as unknown as { scrollIntoView: (at: object) => void }).scrollIntoView({
        block: 'end',
      }),
    );
    await menu.click();
    const choice = page.getByRole('checkbox', { name: 'left' });
    await choice.waitFor();
    const box = (await page.locator('.popover:popover-open').boundingBox())!;
    expect(box.y).to.be.at.least(0);
    expect(box.y + box.height).to.be.at.most(800);
    await page.keyboard.press('Escape');
    await choice.waitFor({ state: 'detached' });
    await page.getByRole('region', { name: 'Outputs' }).waitFor();
    await page.goBack();
    await page.goBack();
    await page.getByRole('link', { name: 'Compare 2' }).waitFor();
    expect(await page.getByRole('checkbox', { name: 'Compare left' }).isChecked()).to.equal(true);
    expectClean();
    await close();
  });
});
