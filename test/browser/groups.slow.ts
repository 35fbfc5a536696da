// Groups of a comparison by what a trace has as a whole, in a real browser: each opens the inputs that it counts.
import { expect } from 'chai';
import { createExperiment, createProject } from '../support/objects.js';
import { sharedServer } from '../support/start-server.js';
import { openPage, sharedBrowser } from './browser.js';

/** A trace whose score is on a span below its root. */
const trace = (seconds: number, index: number) => [
  {
    span_id: `${index}`,
    root_span_id: `${index}`,
    input: `Question ${index}?`,
    metrics: { start: 1, end: 1 + seconds },
  },
  { root_span_id: `${index}`, span_parents: [`${index}`], scores: { ok: seconds / 4 } },
];

describe('groups of a comparison in the console', () => {
  const server = sharedServer();
  const browser = sharedBrowser();

  it('by a metric or by a score of a span open their inputs, and their trials', async () => {
    const project = await createProject(server(), { name: 'groups' });
    const ids: string[] = [];
    for (const name of ['one', 'two']) {
      const { id } = await createExperiment(server(), project.id, { name });
      await server().insert(`experiment/${id}`, [1, 2, 2].flatMap(trace));
      ids.push(id);
    }
    // Another trial, which is in another group.
    const [slow] = trace(4, 1);
    await server().insert(`experiment/${ids[1]}`, [{ ...slow, span_id: '3', root_span_id: '3' }]);
    await server().insert(`experiment/${ids[1]}`, [{ ...slow, span_id: '4', root_span_id: '4' }]);
    const { page, open, expectClean, close } = await openPage(browser(), server());
    const inputs = page.locator('.row-link');
    const outputs = page.getByRole('region', { name: 'Outputs' });
    for (const [by, value] of [
      ['scores.ok', '0.5'],
      ['metrics.duration', '2'],
    ] as const) {
      await open(`evalstore/p/groups/compare?e=${ids.join(',')}&by=${by}`);
      await page.getByRole('link', { name: value, exact: true }).click();
      await page.getByText(`Only traces with ${by} = ${value} are listed.`).waitFor();
      await page.getByRole('link', { name: 'Question 1?' }).waitFor();
      expect(await inputs.allInnerTexts()).to.have.members(['Question 1?', 'Question 2?']);
      await inputs.first().click();
      await outputs.getByText('It has no output.').first().waitFor();
      expect(await outputs.getByText('trial').count()).to.equal(0);
    }
    await open(`evalstore/p/groups/compare?e=${ids.join(',')}&by=metrics.duration`);
    await page.getByRole('link', { name: '4', exact: true }).click();
    await page.getByRole('link', { name: 'Question 1?' }).click();
    await outputs.getByText('No listed trace of this experiment has this input.').waitFor();
    await outputs.getByText('trial 2 of 2').waitFor();
    // The number in the link counts the inputs of all groups.
    await page.getByText('Only traces with').waitFor();
    await page.getByRole('link', { name: '0 improvements' }).click();
    await page.getByText('No input matches').waitFor();
    expect(await page.getByText('Only traces with').count()).to.equal(0);
    await page.goBack();
    await page.getByRole('button', { name: 'List all' }).click();
    await page.getByText('3 inputs').waitFor();
    await page.getByRole('link', { name: 'Question 1?' }).click();
    await outputs.getByText('trial 3 of 3').waitFor();
    expectClean();
    await close();
  });
});
