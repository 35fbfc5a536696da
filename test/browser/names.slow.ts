// Names of any length and kind in a real browser: every control stays in the window.
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { sharedServer } from '../support/start-server.js';
import { openPage, sharedBrowser } from './browser.js';

const long = 'n'.repeat(200);

/** Whether the screen is wider than its place. */
const isTooWide = (page: Page) =>
  page.evaluate<boolean>(
    `[...document.querySelectorAll('main, .rows-list, dialog[open]')].some((one) => one.scrollWidth > one.clientWidth)`,
  );

describe('names in the console', () => {
  const server = sharedServer();
  const browser = sharedBrowser();
  const ids: string[] = [];
  const make = async (kind: string, body: object) =>
    String((await server().request('POST', `/v1/${kind}`, body)).json()['id']);
  before(async () => {
    const project_id = await make('project', { name: long });
    await make('dataset', { project_id, name: long });
    for (const name of [long, `${long} 2`, 'short']) {
      const id = await make('experiment', { project_id, name });
      const events = [{ input: 1, scores: { [long]: 0.5 } }];
      (await server().request('POST', `/v1/experiment/${id}/insert`, { events })).json();
      ids.push(id);
    }
    await make('api_key', { name: long });
  });

  for (const width of [1280, 400])
    it(`of 200 letters leave all controls in the window, ${width} pixels wide`, async () => {
      const { page, open, expectClean, close } = await openPage(browser(), server(), { width });
      const screens = [
        [`p/${long}/experiments/${long}`, '1 trace'],
        [`p/${long}/experiments/short`, '1 trace'],
        [`p/${long}/compare?e=${ids.join(',')}`, '1 input'],
        [`p/${long}/datasets/${long}?versions=1`, 'No writes to'],
        [`p/${long}/datasets/${long}`, 'No records yet'],
        ['settings/keys', 'Last used'],
      ] as const;
      for (const [path, shows] of screens) {
        await open(`evalstore/${path}`);
        await page.getByText(shows).first().waitFor();
        expect(await isTooWide(page), path).to.equal(false);
      }
      await page.getByRole('button', { name: `Revoke ${long}` }).click();
      await page.getByText('to confirm').waitFor();
      expect(await isTooWide(page), 'dialog').to.equal(false);
      expectClean();
      await close();
    });

  it('lose spaces around them, and are not empty', async () => {
    const { page, open, close } = await openPage(browser(), server());
    await open('');
    const name = page.getByLabel('Name of the new project');
    await name.fill('  ');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('name: expected a non-empty string').waitFor();
    await name.fill(' spaced ');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/p/spaced/logs');
    await page.getByRole('link', { name: 'Datasets' }).click();
    await page.getByLabel('Name of the new dataset').fill(' a/b ');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/datasets/a%2Fb');
    await page.getByText('No records yet').waitFor();
    await close();
  });
});
