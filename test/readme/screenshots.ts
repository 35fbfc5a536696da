// Pictures of the console for the README and the manual, of the GSM8K evaluation: `node dist/test/readme/screenshots.js` takes them again.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Page } from 'playwright-core';
import { openPage, type Theme } from '../browser/browser.js';
import { launchOptions } from '../browser/executable.js';
import { loadGsm8k } from '../browser/gsm8k.js';
import { startServer } from '../support/start-server.js';

// From dist/test/readme.
const directory = fileURLToPath(new URL('../../../src/manual/pictures/', import.meta.url));

interface Picture {
  readonly path: string;
  readonly theme: Theme;
  /** Brings the page into the state that is shown. */
  readonly act: (page: Page) => Promise<unknown>;
}

const pictures: Readonly<Record<string, Picture>> = {
  experiment: {
    path: 'evalstore/p/gsm8k/experiments/175b_verification',
    theme: 'light',
    act: (page) => page.getByRole('img', { name: 'Traces by correct' }).waitFor(),
  },
  comparison: {
    path: 'evalstore/p/gsm8k/experiments/175b_verification',
    theme: 'light',
    act: async (page) => {
      await page.getByRole('link', { name: '76 regressions' }).click();
      await page.getByText('76 inputs').waitFor();
      await page.locator('.row-link').nth(2).click();
      await page.locator('del').first().waitFor();
    },
  },
  dataset: {
    path: 'evalstore/p/gsm8k/datasets/problems',
    theme: 'dark',
    act: async (page) => {
      await page.getByText('1,319 records').waitFor();
      await page.locator('.row-link').nth(1).click();
      await page.getByRole('region', { name: 'Span' }).waitFor();
    },
  },
};

const data = await mkdtemp(path.join(tmpdir(), 'evalstore-screenshots-'));
const server = await startServer({ dir: data });
const browser = await chromium.launch(await launchOptions());
try {
  await loadGsm8k(server);
  await mkdir(directory, { recursive: true });
  for (const [name, { path: address, theme, act }] of Object.entries(pictures)) {
    const shown = await openPage(browser, server, { theme, width: 1280, height: 720 });
    await shown.open(address);
    await act(shown.page);
    await shown.page.waitForLoadState('networkidle');
    await shown.page.screenshot({ path: path.join(directory, `${name}.png`) });
    shown.expectClean();
    await shown.close();
  }
} finally {
  await browser.close();
  await server.stop();
  await rm(data, { recursive: true });
}
