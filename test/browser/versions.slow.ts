// An earlier version of experiments, in a real browser: every score on the page is that of the version.
import { createExperiment, createProject } from '../support/objects.js';
import { sharedServer } from '../support/start-server.js';
import { openPage, sharedBrowser } from './browser.js';

const scored = (ok: number, output: string) => [
  { id: 'a', input: 'Question?', output, scores: { ok } },
];

describe('earlier versions in the console', () => {
  const server = sharedServer();
  const browser = sharedBrowser();

  it('have the scores of their time on the page of an experiment and in a comparison', async () => {
    const project = await createProject(server(), { name: 'versions' });
    const { id: base } = await createExperiment(server(), project.id, { name: 'base' });
    await server().insert(`experiment/${base}`, scored(0.125, 'short'));
    const { id } = await createExperiment(server(), project.id, { name: 'other' });
    await server().insert(`experiment/${id}`, scored(0.25, 'old'));
    const now = await server().request(
      'GET',
      `/v1/experiment/${id}/summarize?summarize_scores=true`,
    );
    const v = now.headers.get('x-evalstore-version')!;
    await server().insert(`experiment/${id}`, scored(0.75, 'new'));

    const { page, open, expectClean, close } = await openPage(browser(), server());
    const summary = page.getByRole('region', { name: 'Summary' });
    const expectShown = async (score: string, difference: string, bin: string) => {
      await summary.getByText(score, { exact: true }).waitFor();
      await summary.getByText(difference, { exact: true }).waitFor();
      await page
        .getByRole('gridcell')
        .getByText(String(Number(score)))
        .waitFor();
      await page.getByRole('img', { name: `Traces by ok: ${bin}: 1`, exact: true }).waitFor();
    };
    await open(`evalstore/p/versions/experiments/other?c=base&v=${v}`);
    await expectShown('0.25000', '+0.12500', '0.25');
    await summary.getByRole('link', { name: '1 improvement' }).click();
    await page.getByText('1 input', { exact: true }).waitFor();
    await page.getByText('Data as of').waitFor();
    await expectShown('0.25000', '+0.12500', '0.25');
    await page.getByRole('button', { name: 'Query' }).click();
    await page.getByRole('link', { name: 'Edit in the workbench' }).click();
    await page.getByText('Data as of').waitFor();
    await page.getByRole('grid', { name: 'Result' }).getByText('0.25', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Back to now' }).click();
    await page.getByRole('grid', { name: 'Result' }).getByText('0.75', { exact: true }).waitFor();
    await page.goBack();
    await page.goBack();
    await page.locator('.row-link').click();
    const outputs = page.getByRole('region', { name: 'Outputs' });
    await outputs.locator('ins').getByText('old').waitFor();
    await outputs.getByRole('link', { name: 'other' }).click();
    await page.getByRole('complementary').getByText('old').waitFor();
    await expectShown('0.25000', '+0.12500', '0.25');
    await page.goBack();
    await page.getByRole('button', { name: 'Back to now' }).click();
    await outputs.locator('ins').getByText('new').waitFor();
    await expectShown('0.75000', '+0.62500', '0.75');
    expectClean();
    await close();
  });
});
