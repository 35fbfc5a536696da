// Every screen, in both themes and at two widths: nothing that axe finds, no complaint of the browser, no other host.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { sharedServer } from '../support/start-server.js';
import { openPage, sharedBrowser, type Theme } from './browser.js';
import { loadGsm8k } from './gsm8k.js';
import { loadSupportBot } from './support-bot.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

async function violations(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe);
  const found: unknown = await page.evaluate(
    `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }).then(({ violations }) => violations)`,
  );
  return (found as readonly Violation[]).map(
    ({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 300)} ${nodes[0]?.failureSummary}`,
  );
}

interface Screen {
  readonly path: string;
  /** Text that is there when the screen is complete. */
  readonly shows: string;
  /** What is done before it is looked at. */
  readonly act?: (page: Page) => Promise<unknown>;
}

const openFirst = (page: Page) => page.locator('.row-link').first().click();

const screens: Readonly<Record<string, Screen>> = {
  home: { path: '', shows: 'support-bot' },
  logs: { path: 'evalstore/p/support-bot/logs', shows: 'It is on its way.' },
  'empty logs': { path: 'evalstore/p/gsm8k/logs', shows: 'Waiting for the first event' },
  'logs without a match': {
    path: "evalstore/p/support-bot/logs?f=metadata.k = 'none'",
    shows: 'No row passes the filter',
  },
  'logs with a wrong filter': {
    path: 'evalstore/p/support-bot/logs?f=lowr(id)',
    shows: "unknown function 'lowr'",
  },
  trace: {
    path: 'evalstore/p/support-bot/logs',
    shows: 'It is on its way.',
    act: async (page) => {
      await openFirst(page);
      await page.getByRole('region', { name: 'Span' }).waitFor();
    },
  },
  'menu of a column': {
    path: 'evalstore/p/support-bot/logs',
    shows: 'It is on its way.',
    act: async (page) => {
      await page.getByRole('button', { name: 'Output' }).click();
      await page.getByText('Your refund was issued.').first().waitFor();
    },
  },
  'query of a view': {
    path: 'evalstore/p/support-bot/logs',
    shows: 'It is on its way.',
    act: (page) => page.getByRole('button', { name: 'Query' }).click(),
  },
  keys: {
    path: 'evalstore/p/support-bot/logs',
    shows: 'It is on its way.',
    act: (page) => page.keyboard.press('?'),
  },
  experiments: { path: 'evalstore/p/gsm8k/experiments', shows: '0.56255' },
  experiment: { path: 'evalstore/p/gsm8k/experiments/175b_verification', shows: '0.24412' },
  'no such experiment': {
    path: 'evalstore/p/gsm8k/experiments/x',
    shows: 'There is no experiment',
  },
  comparison: {
    path: 'evalstore/p/gsm8k/experiments/175b_verification',
    shows: '0.24412',
    act: async (page) => {
      await page.getByRole('link', { name: '76 regressions' }).click();
      await page.getByText('76 inputs').waitFor();
      await openFirst(page);
      await page.locator('del').first().waitFor();
    },
  },
  'no prompts': { path: 'evalstore/p/gsm8k/prompts', shows: 'No prompts yet' },
  prompts: { path: 'evalstore/p/support-bot/prompts', shows: 'Answer' },
  prompt: {
    path: 'evalstore/p/support-bot/prompts/answer',
    shows: 'Version 2',
    act: async (page) => {
      await page.getByRole('link', { name: 'compare', exact: true }).click();
      await page.locator('ins').first().waitFor();
    },
  },
  datasets: { path: 'evalstore/p/gsm8k/datasets', shows: '1,319' },
  'no datasets': { path: 'evalstore/p/support-bot/datasets', shows: 'No datasets yet' },
  dataset: { path: 'evalstore/p/gsm8k/datasets/problems', shows: '1,319 records' },
  'record being edited': {
    path: 'evalstore/p/gsm8k/datasets/problems',
    shows: '1,319 records',
    act: async (page) => {
      await openFirst(page);
      await page.getByRole('region', { name: 'Span' }).waitFor();
      await page.keyboard.press('e');
      await page.getByRole('textbox', { name: 'expected' }).waitFor();
    },
  },
  'history of a record': {
    path: 'evalstore/p/gsm8k/datasets/problems',
    shows: '1,319 records',
    act: async (page) => {
      await openFirst(page);
      await page.getByRole('button', { name: 'History' }).click();
      await page.getByText('created', { exact: true }).click();
    },
  },
  'import of records': {
    path: 'evalstore/p/gsm8k/datasets/problems',
    shows: '1,319 records',
    act: async (page) => {
      await page.getByRole('button', { name: 'Import' }).click();
      await page.getByLabel('Or paste').fill('a,b\n1,2');
      await page.getByRole('button', { name: 'Read the text' }).click();
      await page.getByText('1 record.').waitFor();
    },
  },
  'rows that are chosen': {
    path: 'evalstore/p/support-bot/logs',
    shows: 'It is on its way.',
    act: async (page) => {
      await page.keyboard.press('x');
      await page.getByText('1 trace chosen').waitFor();
    },
  },
  'span for a dataset': {
    path: 'evalstore/p/support-bot/logs',
    shows: 'It is on its way.',
    act: async (page) => {
      await openFirst(page);
      await page.getByRole('region', { name: 'Span' }).waitFor();
      await page.keyboard.press('d');
      await page.getByText('A record gets').waitFor();
    },
  },
  'moments in time': {
    path: 'evalstore/p/support-bot/logs',
    shows: 'It is on its way.',
    act: async (page) => {
      await page.getByRole('button', { name: 'Now' }).click();
      await page.getByRole('slider').waitFor();
    },
  },
  palette: {
    path: 'evalstore/p/gsm8k/logs',
    shows: 'Waiting for the first event',
    act: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('option', { name: '175b_verification' }).waitFor();
    },
  },
  'keys of the interface': { path: 'evalstore/settings', shows: 'Last used' },
  'a new key': {
    path: 'evalstore/settings/keys',
    shows: 'Last used',
    act: async (page) => {
      await page.getByLabel('Name of the new key').fill('ci');
      await page.keyboard.press('Enter');
      await page.getByText('not shown again').waitFor();
    },
  },
  'key to be revoked': {
    path: 'evalstore/settings/keys',
    shows: 'Last used',
    act: async (page) => {
      await page.getByRole('button', { name: 'Revoke configured' }).click();
      await page.getByText('to confirm').waitFor();
    },
  },
  members: { path: 'evalstore/settings/members', shows: 'Owners' },
  'audit log': { path: 'evalstore/settings/audit', shows: 'support-bot' },
  'state of the server': { path: 'evalstore/settings/server', shows: 'Rows in segments' },
  query: {
    path: 'evalstore/p/gsm8k/query',
    shows: 'Run',
    act: async (page) => {
      await page.getByRole('button', { name: 'Run' }).click();
      await page.getByText('50 rows').waitFor();
    },
  },
  'no such page': { path: 'evalstore/nothing', shows: 'There is no such page' },
};

describe('screens of the console', () => {
  const server = sharedServer();
  const browser = sharedBrowser();
  before(async () => {
    await loadGsm8k(server());
    const project_id = await loadSupportBot(server());
    for (const content of ['Answer: {{input}}', 'Answer briefly: {{input}}']) {
      const prompt_data = { prompt: { type: 'completion', content } };
      const body = { project_id, name: 'Answer', slug: 'answer', prompt_data };
      (await server().request('PUT', '/v1/prompt', body)).json();
    }
  });

  for (const theme of ['light', 'dark'] as const satisfies readonly Theme[])
    for (const width of [1280, 400])
      for (const [name, { path, shows, act }] of Object.entries(screens))
        it(`${name}, ${theme}, ${width} pixels wide`, async () => {
          const { page, open, expectClean, close } = await openPage(browser(), server(), {
            theme,
            width,
          });
          await open(path);
          await page.getByText(shows).first().waitFor({ state: 'attached' });
          await act?.(page);
          // What the server refuses is said by the browser, too.
          if (name !== 'logs with a wrong filter') expectClean();
          expect(await violations(page)).to.deep.equal([]);
          await close();
        });

  const walked = [
    ['', 'Projects'],
    ['evalstore/p/support-bot/logs', 'Logs of support-bot'],
    ['evalstore/p/gsm8k/experiments', 'Experiments'],
    ['evalstore/p/gsm8k/experiments/175b_verification', 'Traces of 175b_verification'],
    ['evalstore/p/gsm8k/datasets', 'Datasets'],
    ['evalstore/p/gsm8k/datasets/problems', 'Records of problems'],
    ['evalstore/p/support-bot/prompts', 'Prompts'],
    ['evalstore/p/support-bot/prompts/answer', 'Answer'],
    ['evalstore/p/gsm8k/query', 'Query'],
    ['evalstore/settings/keys', 'Keys'],
    ['evalstore/settings/members', 'Members'],
    ['evalstore/settings/audit', 'Audit log'],
    ['evalstore/settings/server', 'Server'],
  ] as const;

  /** Whatever takes clicks has to be reached by Tab, or by the keys of the widget that it is in. */
  const unreached = `[...document.querySelectorAll('a[href], button:not(:disabled), input, select, textarea, summary')]
    .filter((one) => one.checkVisibility({ visibilityProperty: true }) && !walkedElements.has(one))
    .filter((one) => !one.closest('[role=grid] [role=rowgroup], [role=tree], [role=listbox], .line'))
    .map((one) => one.outerHTML.slice(0, 200))`;

  for (const [path, heading] of walked)
    it(`${heading}: Tab leads to everything that takes a click, and on`, async () => {
      const { page, open, close } = await openPage(browser(), server());
      await open(path);
      await page.getByRole('heading', { level: 1, name: heading }).waitFor({ state: 'attached' });
      await page.waitForLoadState('networkidle');
      await page.evaluate('window.walkedElements = new Set()');
      for (let step = 0; step < 200; step += 1) {
        await page.keyboard.press('Tab');
        const isAround = await page.evaluate<boolean>(
          `(() => { const one = document.activeElement; const seen = walkedElements.has(one); walkedElements.add(one); return seen && one !== document.body; })()`,
        );
        if (isAround) break;
      }
      expect(await page.evaluate(unreached)).to.deep.equal([]);
      await close();
    });

  for (const theme of ['light', 'dark'] as const)
    it(`the sign-in, ${theme}`, async () => {
      const options = { theme, width: 400 };
      const { page, open, close } = await openPage(browser(), server(), options, false);
      await open('');
      await page.getByLabel('API key').waitFor();
      expect(await violations(page)).to.deep.equal([]);
      await close();
    });
});
