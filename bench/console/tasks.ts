// What users do with a million events, each with the input after which the time runs and what shows the answer.
import type { ConsolePage } from './browser.js';

export interface Task {
  readonly name: string;
  /** Milliseconds that it may take; null where the limit follows from its requests alone. */
  readonly limit: number | null;
  readonly isSignedIn?: boolean;
  readonly path: string;
  /** An expression that is true when the page is ready to begin; rows with their count without. */
  readonly begins?: string;
  /** What comes before the last input. */
  readonly prepare?: (opened: ConsolePage) => Promise<unknown>;
  /** The last input; without, the time runs from the start of the navigation. */
  readonly act?: (opened: ConsolePage) => Promise<unknown>;
  /** An expression that is true when the answer is shown, or `download`. */
  readonly until: string;
}

const settled = `document.querySelector('.grid-scroll:not(.stale) .row-link') !== null`;
const hasParameter = (name: string, value = ''): string =>
  `(new URLSearchParams(location.search).get('${name}') ?? '').includes(${JSON.stringify(value)}) && new URLSearchParams(location.search).has('${name}')`;
const counted = `/^[\\d,]+ traces?$/.test(document.querySelector('.count')?.textContent ?? '')`;
const text = (selector: string, wanted: string): string =>
  `[...document.querySelectorAll(${JSON.stringify(selector)})].some((one) => one.textContent.includes(${JSON.stringify(wanted)}))`;

export const shown = {
  /** Rows, their count and their histogram. */
  complete: `${settled} && ${counted} && document.querySelector('.histogram') !== null`,
};

const logs = 'evalstore/p/bench/logs';
const logsWith = (parameters: Readonly<Record<string, string>>): string =>
  `${logs}?${new URLSearchParams(parameters).toString()}`;

const yesterday = { t: '24h' };
const refunds = "output ilike 'refund'";
const slowest = { sort: 'metrics.duration desc' };
const deep = 'metadata.features.rag.k';
const tier = 'metadata.customer.tier';
const enterprise = { f: `${tier} = 'enterprise'` };

/** Of a person who types fast. */
const betweenKeysMs = 100;

const typed =
  (filter: string) =>
  async ({ page }: ConsolePage) => {
    await page.keyboard.press('/');
    await page.keyboard.type(filter, { delay: betweenKeysMs });
    await page.keyboard.press('Escape');
  };

const press =
  (key: string) =>
  ({ page }: ConsolePage) =>
    page.keyboard.press(key);

const option = (label: string): string => text('[role=option]', label);

const openTrace = `document.querySelector('[data-span-detail] .field-section') !== null`;

export const tasks: readonly Task[] = [
  {
    name: 'sign in: projects with their activity',
    limit: 400,
    isSignedIn: false,
    path: '',
    begins: `document.querySelector('#key') !== null`,
    prepare: ({ page, key }) => page.getByLabel('API key').fill(key),
    act: press('Enter'),
    until: `/[1-9]/.test(document.querySelector('td.number')?.textContent ?? '')`,
  },
  {
    name: 'logs in a browser without a cache: rows',
    limit: 1000,
    path: logs,
    until: settled,
  },
  {
    name: 'logs in a browser without a cache: rows, count and histogram',
    limit: 1000,
    path: logs,
    until: shown.complete,
  },
  {
    name: 'the last 24 hours',
    limit: 300,
    path: logs,
    prepare: ({ page }) => page.getByRole('button', { name: 'All time' }).click(),
    act: ({ page }) => page.getByRole('button', { name: 'Last 24 hours' }).click(),
    until: `${hasParameter('t', '24h')} && ${settled}`,
  },
  {
    name: 'the last 24 hours, output with "refund"',
    limit: 600,
    path: logsWith(yesterday),
    prepare: typed(refunds),
    act: press('Enter'),
    until: `${hasParameter('f', 'refund')} && ${settled}`,
  },
  {
    name: 'the last 24 hours, output with "refund", slowest first',
    limit: 600,
    path: logsWith({ ...yesterday, f: refunds }),
    prepare: ({ page }) => page.getByRole('button', { name: 'Duration', exact: true }).click(),
    act: ({ page }) => page.getByRole('button', { name: 'Descending' }).click(),
    until: `${hasParameter('sort', 'duration')} && ${settled}`,
  },
  {
    name: 'the last 24 hours, output with "refund": open the slowest',
    limit: 600,
    path: logsWith({ ...yesterday, f: refunds, ...slowest }),
    act: ({ page }) => page.locator('.row-link').first().click(),
    until: openTrace,
  },
  {
    name: 'all time, output with "refund", slowest first',
    limit: 600,
    path: logsWith(slowest),
    prepare: typed(refunds),
    act: press('Enter'),
    until: `${hasParameter('f', 'refund')} && ${settled}`,
  },
  {
    name: 'all time, slowest first',
    limit: 600,
    path: logs,
    prepare: ({ page }) => page.getByRole('button', { name: 'Duration', exact: true }).click(),
    act: ({ page }) => page.getByRole('button', { name: 'Descending' }).click(),
    until: `${hasParameter('sort', 'duration')} && ${settled}`,
  },
  {
    name: 'filter: the first letter completes paths',
    limit: 150,
    path: logs,
    prepare: async ({ page }) => {
      await page.keyboard.press('/');
      await page.waitForTimeout(betweenKeysMs);
    },
    act: press('c'),
    until: option(tier),
  },
  {
    name: 'filter: the next letter',
    limit: 150,
    path: logs,
    prepare: async ({ page }) => {
      await page.keyboard.press('/');
      await page.keyboard.type('cus', { delay: betweenKeysMs });
      await page.getByRole('option', { name: tier }).waitFor();
    },
    act: press('t'),
    until: option(tier),
  },
  {
    name: 'filter: values of a path with their counts',
    limit: 150,
    path: logs,
    prepare: async ({ page }) => {
      await page.keyboard.press('/');
      await page.keyboard.type(`${tier} `, { delay: betweenKeysMs });
      await page.waitForTimeout(betweenKeysMs);
    },
    act: press('='),
    until: option('enterprise'),
  },
  {
    name: 'filter: apply it',
    limit: 150,
    path: logs,
    prepare: typed(enterprise.f),
    act: press('Enter'),
    until: `${hasParameter('f', 'enterprise')} && ${settled}`,
  },
  {
    name: 'a path as a column',
    limit: 300,
    path: logs,
    prepare: async ({ page }) => {
      await page.getByRole('button', { name: 'Columns' }).click();
      await page.getByLabel('Path or expression').fill(deep);
    },
    act: press('Enter'),
    until: `${text('[role=columnheader]', deep)} && ${settled}`,
  },
  {
    name: 'sort by it',
    limit: 300,
    path: logsWith({ cols: `created\ninput\n${deep}` }),
    prepare: ({ page }) => page.getByRole('button', { name: deep }).click(),
    act: ({ page }) => page.getByRole('button', { name: 'Descending' }).click(),
    until: `${hasParameter('sort', 'rag')} && ${settled}`,
  },
  {
    name: 'its second page',
    limit: 300,
    path: logsWith({ cols: `created\ninput\n${deep}`, sort: `${deep} desc` }),
    prepare: ({ page }) => page.locator('.row-link').first().focus(),
    act: press('End'),
    until: `document.querySelector('[aria-rowindex="52"] .row-link') !== null`,
  },
  {
    name: 'the most frequent values of a column',
    limit: 150,
    path: logsWith({ cols: `created\ninput\n${tier}` }),
    act: ({ page }) => page.getByRole('button', { name: tier }).click(),
    until: `document.querySelector('.facet-value') !== null`,
  },
  {
    name: 'drag a week in the histogram: rows and their count',
    limit: 200,
    path: logs,
    prepare: async ({ page }) => {
      const box = (await page.locator('.histogram svg').boundingBox())!;
      await page.mouse.move(box.x + box.width * 0.5, box.y + 10);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width * 0.615, box.y + 10, { steps: 4 });
      await page.evaluate(`window.countBefore = document.querySelector('.count').textContent`);
    },
    act: ({ page }) => page.mouse.up(),
    until: `${hasParameter('t')} && ${settled} && ${counted} && document.querySelector('.count').textContent !== window.countBefore`,
  },
  {
    name: 'open a trace',
    limit: 300,
    path: logs,
    act: ({ page }) => page.locator('.row-link').nth(3).click(),
    until: openTrace,
  },
  {
    name: 'the next trace',
    limit: 300,
    path: logs,
    prepare: async ({ page }) => {
      await page.locator('.row-link').nth(3).click();
      await page.getByRole('region', { name: 'Span' }).waitFor();
      await page.evaluate(
        `window.detailBefore = document.querySelector('[data-span-detail]').dataset.spanDetail`,
      );
    },
    act: press('N'),
    until: `${openTrace} && document.querySelector('[data-span-detail]').dataset.spanDetail !== window.detailBefore`,
  },
  {
    name: 'an earlier moment',
    limit: 300,
    path: logs,
    act: press('['),
    until: `${hasParameter('v')} && ${settled}`,
  },
  {
    name: 'workbench: means of all roots by model',
    limit: 300,
    path: 'evalstore/p/bench/query',
    begins: `document.querySelector('#query') !== null`,
    prepare: async ({ page }) => {
      const source = /from: \S+/.exec(await page.locator('#query').inputValue())?.[0];
      await page
        .locator('#query')
        .fill(
          `dimensions: metadata.model as model\nmeasures: count(*) as n, avg(scores.Factuality) as s\n${source}\nfilter: is_root`,
        );
      await page.waitForTimeout(2 * betweenKeysMs);
    },
    act: press('Control+Enter'),
    until: `document.querySelector('.results .row-link') !== null`,
  },
  {
    name: 'the filtered view as Parquet',
    limit: null,
    path: logsWith(enterprise),
    prepare: async ({ page }) => {
      await page.keyboard.press('q');
      await page.getByRole('button', { name: 'parquet' }).waitFor();
    },
    act: ({ page }) => page.getByRole('button', { name: 'parquet' }).click(),
    until: 'download',
  },
];
