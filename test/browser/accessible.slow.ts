// Every screen, in both themes, at two widths and narrowed to a third: nothing that axe finds, no complaint of the browser, no other host.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { sharedServer } from '../support/start-server.js';
import { openPage, sharedBrowser } from './browser.js';
import {
  loadScreens,
  openFirst,
  pathOf,
  screens,
  sharedLink,
  usualRequests,
  type Ids,
} from './screens.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

const everything = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** The elements are the same in both themes. */
const colours = ['color-contrast', 'link-in-text-block'];

async function violations(page: Page, rules: readonly string[]): Promise<readonly string[]> {
  await page.evaluate(axe);
  const found: unknown = await page.evaluate(
    `axe.run(document, { runOnly: ${JSON.stringify(rules)} }).then(({ violations }) => violations)`,
  );
  return (found as readonly Violation[]).map(
    ({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 300)} ${nodes[0]?.failureSummary}`,
  );
}

/** Nothing that axe finds in either theme; of the dark one, colours alone are looked at. */
async function expectAccessible(page: Page): Promise<void> {
  expect(await violations(page, everything)).to.deep.equal([]);
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await violations(page, colours)).to.deep.equal([]);
  await page.emulateMedia({ colorScheme: 'light' });
}

describe('screens of the console', () => {
  const server = sharedServer();
  const browser = sharedBrowser();
  let ids: Ids;
  before(async () => {
    ids = await loadScreens(server());
  });

  const widths = [1280, 400];
  /** Nothing is fetched again for it, and no colours are others. */
  const narrowed = { width: 900, height: 800 };

  for (const width of widths)
    for (const [name, { path, shows, requests = usualRequests, act }] of Object.entries(screens))
      it(`${name}, ${width} pixels wide`, async () => {
        const { page, open, expectClean, expectSmall, close } = await openPage(
          browser(),
          server(),
          { width },
        );
        await open(pathOf(path, ids));
        await page.getByText(shows).first().waitFor({ state: 'attached' });
        await act?.(page);
        // What the server refuses is said by the browser, too.
        if (name !== 'logs with a wrong filter') expectClean();
        await expectAccessible(page);
        await expectSmall(requests);
        if (width > narrowed.width) {
          await page.setViewportSize(narrowed);
          expect(await violations(page, everything), 'narrowed').to.deep.equal([]);
        }
        await close();
      });

  for (const width of widths)
    it(`the link to a public experiment, ${width} pixels wide`, async () => {
      const { page, open, expectClean, close } = await openPage(
        browser(),
        server(),
        { width },
        false,
      );
      await open(pathOf(sharedLink, ids));
      await page.getByText('1,319 traces').waitFor();
      await openFirst(page);
      await page.getByRole('region', { name: 'Span' }).waitFor();
      expectClean();
      await expectAccessible(page);
      await close();
    });

  for (const width of widths)
    it(`the sign-in, also with a wrong key, ${width} pixels wide`, async () => {
      const { page, open, close } = await openPage(browser(), server(), { width }, false);
      await open('');
      await page.getByLabel('API key').waitFor();
      await expectAccessible(page);
      await page.getByLabel('API key').fill('wrong');
      await page.keyboard.press('Enter');
      await page.getByRole('alert').waitFor();
      expect(await page.getByLabel('API key').getAttribute('aria-invalid')).to.equal('true');
      await expectAccessible(page);
      await close();
    });
});
