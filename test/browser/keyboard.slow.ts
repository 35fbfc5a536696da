// Every screen of the console by keyboard alone.
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { sharedServer } from '../support/start-server.js';
import { waitUntil } from '../support/wait-until.js';
import { openPage, sharedBrowser } from './browser.js';
import {
  comparison,
  loadScreens,
  openFirst,
  pathOf,
  sharedLink,
  type Ids,
  type Path,
} from './screens.js';

/** What a screen reader calls the element that has the focus. */
const focusedName = `(() => {
  const one = document.activeElement;
  return one.getAttribute('aria-label') ?? (one.labels?.[0] ?? one).innerText.trim();
})()`;

/** Presses Tab until the element with this name has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  const seen: string[] = [];
  for (let step = 0; step < 200; step += 1) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate<string>(focusedName);
    if (focused === name) return;
    seen.push(focused);
  }
  throw new Error(`Tab does not lead to ${name}, but to ${seen.join(' | ')}`);
}

/** As a person without a mouse opens a link. */
async function follow(page: Page, name: string, heading: string): Promise<void> {
  await tabTo(page, name);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: heading }).waitFor({ state: 'attached' });
}

describe('the console without a mouse', () => {
  const server = sharedServer();
  const browser = sharedBrowser();
  let ids: Ids;
  before(async () => {
    ids = await loadScreens(server());
  });

  const walked: readonly (readonly [Path, string])[] = [
    ['', 'Projects'],
    ['evalstore/p/support-bot/logs', 'Logs of support-bot'],
    ['evalstore/p/gsm8k/experiments', 'Experiments'],
    ['evalstore/p/gsm8k/experiments/175b_verification', 'Traces of 175b_verification'],
    ['evalstore/p/gsm8k/compare', 'Select two experiments to compare'],
    [comparison, 'Comparison of 175b_finetuning, 175b_verification'],
    ['evalstore/p/gsm8k/datasets', 'Datasets'],
    ['evalstore/p/gsm8k/datasets/problems', 'Records of problems'],
    ['evalstore/p/gsm8k/datasets/problems?versions=1', 'Versions of problems'],
    ['evalstore/p/support-bot/prompts', 'Prompts'],
    ['evalstore/p/support-bot/prompts/answer', 'Answer'],
    ['evalstore/p/gsm8k/query', 'Query'],
    ['evalstore/settings/keys', 'Keys'],
    ['evalstore/settings/members', 'Members'],
    ['evalstore/settings/audit', 'Audit log'],
    ['evalstore/settings/health', 'Health'],
  ];

  /** Whatever takes clicks has to be reached by Tab, or by the keys of the widget that it is in. */
  const unreached = `[...document.querySelectorAll('a[href], button:not(:disabled), input, select, textarea, summary')]
    .filter((one) => one.checkVisibility({ visibilityProperty: true }) && !walkedElements.has(one))
    .filter((one) => !one.closest('[role=grid] [role=rowgroup], [role=tree], [role=listbox], .line'))
    .map((one) => one.outerHTML.slice(0, 200))`;

  const expectEverythingReached = async (page: Page) => {
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
  };

  for (const [path, heading] of walked)
    it(`${heading}: Tab leads to everything that takes a click, and on`, async () => {
      const { page, open, close } = await openPage(browser(), server());
      await open(pathOf(path, ids));
      await page.getByRole('heading', { level: 1, name: heading }).waitFor({ state: 'attached' });
      await expectEverythingReached(page);
      await close();
    });

  it('one input of a comparison: Tab leads to everything that takes a click, and on', async () => {
    const { page, open, close } = await openPage(browser(), server());
    await open(pathOf(comparison, ids));
    await page.getByText('1,319 inputs').waitFor();
    await openFirst(page);
    await page.getByRole('region', { name: 'Outputs' }).waitFor();
    await expectEverythingReached(page);
    await close();
  });

  it('the sign-in: Tab leads to everything that takes a click, and on', async () => {
    const { page, open, close } = await openPage(browser(), server(), {}, false);
    await open('');
    await page.getByLabel('API key').waitFor();
    await expectEverythingReached(page);
    await close();
  });

  it('what is typed right after a completion follows it', async () => {
    const { page, open, close } = await openPage(browser(), server());
    await open('evalstore/p/support-bot/logs');
    await page.getByText('600 traces').waitFor();
    const filter = page.getByRole('combobox', { name: 'Filter', exact: true });
    for (let round = 0; round < 20; round += 1) {
      await filter.fill('');
      await page.keyboard.type('tier');
      await page.getByRole('option', { name: 'metadata.customer.tier' }).waitFor();
      await page.keyboard.press('Tab');
      await page.keyboard.type('= 1');
      expect(await filter.inputValue()).to.equal('metadata.customer.tier = 1');
    }
    await close();
  });

  it('rows are selected, and JSON is folded, also without single keys', async () => {
    const { page, open, expectClean, close } = await openPage(browser(), server());
    await page.addInitScript(`localStorage.setItem('evalstore-keys-off', '')`);
    await open('evalstore/p/support-bot/logs');
    await page.getByText('600 traces').waitFor();
    await page.locator('.row-link').first().focus();
    await page.keyboard.press('Space');
    for (const _ of [1, 2]) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Shift+Space');
    await page.getByText('3 traces selected').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Span' }).waitFor();
    const lines = page.getByRole('region', { name: 'metadata', exact: true });
    const line = lines.locator('.line').filter({ has: page.locator(':focus') });
    await tabTo(page, 'metadata');
    await tabTo(page, 'Fold line 1');
    await page.keyboard.press('ArrowDown');
    expect(await line.innerText()).to.match(/"customer": \{$/);
    const customer = lines.getByRole('button', { name: 'Fold customer', expanded: true });
    await customer.and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    await line.getByText('… 2 lines }').waitFor();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await line.getByText('… 5 lines }').waitFor();
    expect(await lines.locator('.line').count()).to.equal(1);
    expectClean();
    await close();
  });

  it('keys that compose a text run nothing', async () => {
    const { page, open, close } = await openPage(browser(), server());
    await open('evalstore/p/support-bot/logs');
    await page.getByText('600 traces').waitFor();
    const before = page.url();
    const devTools = await page.context().newCDPSession(page);
    const compose = async (name: string) => {
      const field = page.getByRole('combobox', { name, exact: true });
      await field.focus();
      const text = { text: 'query', selectionStart: 5, selectionEnd: 5 };
      await devTools.send('Input.imeSetComposition', text);
      await page.keyboard.press('Enter');
      await devTools.send('Input.insertText', { text: 'query' });
      expect(await field.inputValue()).to.equal('query');
      expect(page.url()).to.equal(before);
    };
    await compose('Filter');
    await page.keyboard.press('Control+k');
    await compose('Go to a page or run an action');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Query' }).waitFor();
    await close();
  });

  it('the key after j acts on the next row, even before the browser paints', async () => {
    const { page, open, close } = await openPage(browser(), server());
    await open('evalstore/p/support-bot/logs');
    await page.getByRole('gridcell').first().waitFor();
    for (const [key, row] of Object.entries({ j: '1', k: '0' }))
      expect(
        await page.evaluate<string>(`(() => {
          const pressed = new KeyboardEvent('keydown', { key: '${key}', bubbles: true });
          document.body.dispatchEvent(pressed);
          return document.activeElement.getAttribute('data-row');
        })()`),
      ).to.equal(row);
    await close();
  });

  it('a trace that hides its table has the focus', async () => {
    const { page, open, close } = await openPage(browser(), server(), { width: 600 });
    await open('evalstore/p/support-bot/logs');
    await page.getByRole('gridcell').first().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Span' }).waitFor();
    expect(await page.evaluate(focusedName)).to.equal('Trace');
    await tabTo(page, 'Previous trace');
    await close();
  });

  it('every route is opened, used and left by keyboard alone', async () => {
    const { page, open, expectClean, close } = await openPage(browser(), server(), {}, false);
    await open('');
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await page.keyboard.type(server().key);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Projects' }).waitFor();
    await follow(page, 'gsm8k', 'Logs of gsm8k');
    await follow(page, 'Experiments', 'Experiments');
    for (const name of ['175b_finetuning', '175b_verification']) {
      await tabTo(page, `Compare ${name}`);
      await page.keyboard.press('Space');
    }
    await follow(page, 'Compare 2', 'Comparison of 175b_finetuning, 175b_verification');
    await page.getByText('1,319 inputs').waitFor();
    const outputs = page.getByRole('region', { name: 'Outputs' });
    await page.keyboard.press('j');
    await waitUntil('a row has the focus', async () =>
      page.evaluate<boolean>(`document.activeElement.classList.contains('row-link')`),
    );
    await page.keyboard.press('Enter');
    await outputs.waitFor();
    const first = page.url();
    await page.keyboard.press('n');
    await waitUntil('the next input is open', () => Promise.resolve(page.url() !== first));
    await page.keyboard.press('p');
    await waitUntil('the first one is open again', () => Promise.resolve(page.url() === first));
    await page.keyboard.press('Escape');
    await outputs.waitFor({ state: 'detached' });
    await tabTo(page, 'Inputs');
    await page.keyboard.press('End');
    await page.getByText('76 inputs').waitFor();
    await follow(page, 'Datasets', 'Datasets');
    await follow(page, 'problems', 'Records of problems');
    await follow(page, 'Prompts', 'Prompts');
    await follow(page, 'Query', 'Query');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').waitFor();
    await page.keyboard.type('175b_verification');
    await page.getByRole('option', { name: '175b_verification' }).waitFor();
    await page.keyboard.press('Enter');
    await page
      .getByRole('heading', { level: 1, name: 'Traces of 175b_verification' })
      .waitFor({ state: 'attached' });
    await follow(page, 'Settings', 'Keys');
    await follow(page, 'Members', 'Members');
    await follow(page, 'Audit log', 'Audit log');
    await follow(page, 'Retention', 'Retention');
    await follow(page, 'Health', 'Health');
    await tabTo(page, 'Sign out');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    expectClean();
    await close();
  });

  it('the link to a public experiment: Tab leads to everything that takes a click, and on', async () => {
    const { page, open, close } = await openPage(browser(), server(), {}, false);
    await open(pathOf(sharedLink, ids));
    await page.getByText('1,319 traces').waitFor();
    await expectEverythingReached(page);
    await close();
  });
});
