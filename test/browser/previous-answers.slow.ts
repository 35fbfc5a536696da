// Answers that are not yet those of a new filter, comparison or input, in a real browser: the page marks them.
import { EventEmitter, once } from 'node:events';
import { expect } from 'chai';
import type { Locator, Route } from 'playwright-core';
import { createExperiment, createProject } from '../support/objects.js';
import { sharedServer } from '../support/start-server.js';
import { waitUntil } from '../support/wait-until.js';
import { openPage, sharedBrowser } from './browser.js';

describe('previous answers in the console', () => {
  const server = sharedServer();
  const browser = sharedBrowser();

  it('are marked until the new ones are there', async () => {
    const project = await createProject(server(), { name: 'slow' });
    const ids: string[] = [];
    for (const name of ['one', 'two']) {
      const { id } = await createExperiment(server(), project.id, { name });
      const events = [0.5, 0.25].map((ok, index) => ({
        input: `Q${index}`,
        scores: { ok },
        created: `2026-03-0${index + 1}T12:00:00Z`,
      }));
      await server().insert(`experiment/${id}`, events);
      ids.push(id);
    }
    const { page, open, expectClean, close } = await openPage(browser(), server());
    const hold = new EventEmitter();
    const held = once(hold, 'answer');
    let isHeld = false;
    const later = async (route: Route) => {
      if (isHeld) await held;
      await route.continue();
    };
    await page.route('**/summarize?*', later);
    await page.route('**/query', (route) =>
      / and id = |floor\(/.test(route.request().postData() ?? '') ? later(route) : route.continue(),
    );
    const summary = page.getByRole('region', { name: 'Summary' });
    const outputs = page.getByRole('region', { name: 'Outputs' });
    const marked = (element: Locator) => element.and(page.locator('[aria-busy=true].stale'));

    await open('evalstore/p/slow/experiments/one');
    await summary.getByText('0.37500').waitFor();
    expect(await marked(summary).count()).to.equal(0);
    await open(`evalstore/p/slow/compare?e=${ids.join(',')}`);
    await page.locator('.row-link').first().click();
    await summary.getByText('0.37500').waitFor();
    await outputs.getByText('It has no output.').first().waitFor();
    await page.locator('.distribution').waitFor();
    isHeld = true;
    await page.keyboard.press('n');
    await marked(outputs).waitFor();
    await page.getByRole('combobox', { name: 'Filter', exact: true }).fill("input = 'Q0'");
    await page.keyboard.press('Enter');
    await marked(summary).waitFor();
    await marked(page.locator('.distribution')).waitFor();
    hold.emit('answer');
    await marked(summary).waitFor({ state: 'detached' });
    await summary.getByText('0.50000').waitFor();
    await marked(page.locator('.distribution')).waitFor({ state: 'detached' });
    expectClean();
    await close();
  });

  it('of another comparison are marked, too', async () => {
    const { page, open, close } = await openPage(browser(), server());
    const waiting: Route[] = [];
    await page.route('**/summarize?*comparison_experiment_id=*', (route) => {
      waiting.push(route);
    });
    await open('evalstore/p/slow/experiments/one');
    const summary = page.getByRole('region', { name: 'Summary' });
    await summary.getByText('0.37500').waitFor();
    await page.getByLabel('Compared with').selectOption('two');
    await page.locator('.summary[aria-busy=true].stale').waitFor();
    await close();
  });

  it('of a filter before one that is refused are marked, too', async () => {
    const { page, open, close } = await openPage(browser(), server());
    await open('evalstore/p/slow/experiments/one');
    const histogram = page.locator('.histogram');
    await histogram.waitFor();
    expect(await histogram.getAttribute('aria-busy')).to.equal('false');
    await page.getByRole('combobox', { name: 'Filter', exact: true }).fill('lowr(id) = 1');
    await page.keyboard.press('Enter');
    await page.locator('.histogram[aria-busy=true].stale').waitFor();
    await page.locator('.toolbar .count.stale').waitFor();
    await close();
  });

  it('without rows say nothing about the new ones', async () => {
    const { page, open, close } = await openPage(browser(), server());
    const { objects } = (await server().request('GET', '/v1/experiment')).json();
    const ids = (objects as readonly { id: string }[]).map(({ id }) => id);
    const waiting: Route[] = [];
    let isHeld = false;
    await page.route('**/query', async (route) => {
      if (isHeld) waiting.push(route);
      else await route.continue();
    });
    const release = async () => {
      isHeld = false;
      for (const route of waiting.splice(0)) await route.continue();
    };
    const none = "input = 'none'";
    await open(`evalstore/p/slow/experiments/one?f=${none}`);
    await page.getByText('No rows match the filter').waitFor();
    isHeld = true;
    await page.getByRole('button', { name: 'Show all rows' }).click();
    await waitUntil('the rows are asked for', () => waiting.length > 0);
    expect(await page.getByText('No events yet').count()).to.equal(0);
    expect(await page.getByText('No rows match the filter').count()).to.equal(0);
    await release();
    await page.getByText('2 traces').waitFor();

    await open(`evalstore/p/slow/compare?e=${ids.join(',')}&f=${none}`);
    await page.getByText('No input matches').waitFor();
    isHeld = true;
    await page.getByRole('combobox', { name: 'Filter', exact: true }).fill("input = 'Q0'");
    await page.keyboard.press('Enter');
    await waitUntil('the inputs are asked for', () => waiting.length > 0);
    expect(await page.getByText('No input matches').count()).to.equal(0);
    await release();
    await page.getByText('1 input', { exact: true }).waitFor();
    await close();
  });

  it('of no server leave no dataset to add to', async () => {
    const { page, open, close } = await openPage(browser(), server());
    const body = 'no list of datasets';
    const lists = '**/v1/dataset?project_id=*';
    await page.route(lists, (route) => route.fulfill({ status: 503, body }));
    await open('evalstore/p/slow/experiments/one');
    await page.getByRole('checkbox', { name: 'Select the row' }).first().click();
    await page.getByRole('button', { name: 'Add to dataset' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('alert').getByText(body).waitFor();
    expect(await dialog.getByRole('button', { name: 'Add', exact: true }).count()).to.equal(0);
    await page.unroute(lists);
    await dialog.getByRole('button', { name: 'Try again' }).click();
    await dialog.getByRole('combobox', { name: 'Dataset' }).and(page.locator(':focus')).waitFor();
    await dialog.getByLabel('Name of the new dataset').waitFor();
    await close();
  });
});
