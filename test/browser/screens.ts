// The screens of the console, with what each shows, for the tests of all of them.
import type { Page } from 'playwright-core';
import type { TestServer } from '../support/start-server.js';
import { loadFiles } from './files.js';
import { loadGsm8k } from './gsm8k.js';
import { loadSupportBot } from './support-bot.js';

/** Of experiments, by their names. */
export type Ids = Readonly<Record<string, string>>;

export type Path = string | ((ids: Ids) => string);

export const pathOf = (path: Path, ids: Ids): string =>
  typeof path === 'string' ? path : path(ids);

export const comparison: Path = (ids) =>
  `evalstore/p/gsm8k/compare?e=${ids['175b_finetuning']},${ids['175b_verification']}`;

/** The link to a public experiment, which needs no session. */
export const sharedLink: Path = (ids) =>
  `evalstore/object?object_type=experiment&object_id=${ids['6b_finetuning']}`;

export interface Screen {
  readonly path: Path;
  /** Text that is there when the screen is complete. */
  readonly shows: string;
  /** What is done before it is looked at. */
  readonly act?: (page: Page) => Promise<unknown>;
  /** So many different ones it sends, at most. */
  readonly requests?: number;
}

/** Who asks, the projects, which rows a page has, these rows, their number, their histogram, and newer rows. */
export const usualRequests = 7;

export const openFirst = (page: Page) => page.locator('.row-link').first().click();

export const screens: Readonly<Record<string, Screen>> = {
  home: { path: '', shows: 'support-bot' },
  logs: { path: 'evalstore/p/support-bot/logs', shows: 'It is on its way.' },
  'empty logs': { path: 'evalstore/p/gsm8k/logs', shows: 'Waiting for the first event' },
  'logs without a match': {
    path: "evalstore/p/support-bot/logs?f=metadata.k = 'none'",
    shows: 'No rows match the filter',
  },
  'logs with a wrong filter': {
    path: 'evalstore/p/support-bot/logs?f=lowr(id)',
    shows: "unknown function 'lowr'",
  },
  trace: {
    path: 'evalstore/p/support-bot/logs',
    shows: 'It is on its way.',
    requests: 11,
    act: async (page) => {
      await openFirst(page);
      await page.getByRole('region', { name: 'Span' }).waitFor();
    },
  },
  'files in a span': {
    path: 'evalstore/p/files/logs',
    shows: '1 trace',
    requests: 14,
    act: async (page) => {
      await openFirst(page);
      await page.getByRole('img', { name: 'cat.png' }).waitFor();
      await page.getByText('It is not uploaded yet.').waitFor();
      await page.locator('.attachment').last().scrollIntoViewIfNeeded();
      await page.locator('audio').waitFor();
    },
  },
  'menu of a column': {
    path: 'evalstore/p/support-bot/logs',
    shows: 'It is on its way.',
    requests: 8,
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
  experiment: {
    path: 'evalstore/p/gsm8k/experiments/175b_verification',
    shows: '0.24412',
    requests: 11,
  },
  'sharing of an experiment': {
    path: 'evalstore/p/gsm8k/experiments/6b_finetuning',
    shows: '1,319 traces',
    requests: 11,
    act: async (page) => {
      await page.getByRole('button', { name: 'Public' }).click();
      await page.getByRole('button', { name: 'Make private' }).waitFor();
    },
  },
  'no such experiment': {
    path: 'evalstore/p/gsm8k/experiments/x',
    shows: 'There is no experiment',
  },
  comparison: {
    path: 'evalstore/p/gsm8k/experiments/175b_verification',
    shows: '0.24412',
    // Those of two screens: the click may come before the first one has asked for its histogram.
    requests: 2 * usualRequests,
    act: async (page) => {
      await page.getByRole('link', { name: '76 regressions' }).click();
      await page.getByText('76 inputs').waitFor();
      await openFirst(page);
      await page.locator('del').first().waitFor();
    },
  },
  'experiments to choose from': {
    path: 'evalstore/p/gsm8k/compare',
    shows: 'Select two experiments to compare',
  },
  'experiments side by side': { path: comparison, shows: '1,319 inputs' },
  'three experiments side by side': {
    path: (ids) => `${comparison(ids)},${ids['6b_verification']}`,
    shows: 'Changes of',
    // The summary and the distributions of the third.
    requests: usualRequests + 2,
  },
  'menu of what is compared': {
    path: comparison,
    shows: '1,319 inputs',
    act: async (page) => {
      await page.getByRole('button', { name: '2 experiments' }).click();
      await page.getByRole('checkbox', { name: '6b_finetuning' }).waitFor();
    },
  },
  'comparison by groups': {
    path: (ids) => `${comparison(ids)}&by=scores.correct`,
    shows: '2 groups',
  },
  'query of a comparison': {
    path: comparison,
    shows: '1,319 inputs',
    act: (page) => page.getByRole('button', { name: 'Query' }).click(),
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
  dataset: { path: 'evalstore/p/gsm8k/datasets/problems', shows: '1,319 records', requests: 10 },
  'versions of a dataset': {
    path: 'evalstore/p/gsm8k/datasets/problems?versions=1',
    shows: 'added',
    act: async (page) => {
      await page.getByRole('region', { name: 'Changes' }).locator('summary').first().click();
      await page.locator('ins').first().waitFor();
    },
  },
  'record being edited': {
    path: 'evalstore/p/gsm8k/datasets/problems',
    shows: '1,319 records',
    requests: 12,
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
    requests: 14,
    act: async (page) => {
      await openFirst(page);
      await page.getByRole('button', { name: 'History' }).click();
      await page.getByText('created', { exact: true }).click();
    },
  },
  'import of records': {
    path: 'evalstore/p/gsm8k/datasets/problems',
    shows: '1,319 records',
    requests: 10,
    act: async (page) => {
      await page.getByRole('button', { name: 'Import' }).click();
      await page.getByLabel('Or paste').fill('a,b\n1,2');
      await page.getByRole('button', { name: 'Read the text' }).click();
      await page.getByText('1 record.').waitFor();
    },
  },
  'selected rows': {
    path: 'evalstore/p/support-bot/logs',
    shows: 'It is on its way.',
    act: async (page) => {
      await page.keyboard.press('x');
      await page.getByText('1 trace selected').waitFor();
    },
  },
  'span for a dataset': {
    path: 'evalstore/p/support-bot/logs',
    shows: 'It is on its way.',
    requests: 12,
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
    requests: 9,
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
  retention: { path: 'evalstore/settings/retention', shows: 'Nothing expires.' },
  'audit log': { path: 'evalstore/settings/audit', shows: 'support-bot' },
  'health of the server': { path: 'evalstore/settings/health', shows: 'Rows in segments' },
  query: {
    path: 'evalstore/p/gsm8k/query',
    shows: 'Run',
    act: async (page) => {
      await page.getByRole('button', { name: 'Run' }).click();
      await page.getByText('50 rows').waitFor();
    },
  },
  'no such page': { path: 'evalstore/nothing', shows: 'Page not found' },
};

/** Evaluations, traces and prompts, so that every screen has something to show. @returns ids of the experiments by their names */
export async function loadScreens(server: TestServer): Promise<Ids> {
  const ids: Record<string, string> = {};
  await loadGsm8k(server);
  const { objects } = (await server.request('GET', '/v1/experiment')).json();
  for (const { id, name } of objects as readonly { id: string; name: string }[]) ids[name] = id;
  await server.request('PATCH', `/v1/experiment/${ids['6b_finetuning']}`, { public: true });
  const project_id = await loadSupportBot(server);
  await loadFiles(server);
  for (const content of ['Answer: {{input}}', 'Answer briefly: {{input}}']) {
    const prompt_data = { prompt: { type: 'completion', content } };
    const body = { project_id, name: 'Answer', slug: 'answer', prompt_data };
    (await server.request('PUT', '/v1/prompt', body)).json();
  }
  return ids;
}
