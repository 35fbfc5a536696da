// Values that are shown one after another in the same place, in a real browser: nothing of one is applied to the next.
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { sharedServer } from '../support/start-server.js';
import { openPage, sharedBrowser } from './browser.js';
import { expectImage, png } from './media.js';

const image = (content: Buffer) => ({
  image_url: { url: `data:image/png;base64,${content.toString('base64')}` },
});

const openRow = async (page: Page, number: number) => {
  await page.getByRole('button', { name: `row-${number}` }).click();
  await page.getByRole('heading', { name: `Row ${number}` }).waitFor();
  return page.getByRole('region', { name: 'Row', exact: true });
};

describe('a value that follows another one in the console', () => {
  const server = sharedServer();
  const browser = sharedBrowser();

  /** Logs events with these inputs, and shows them as the rows of a query. */
  const openRows = async (project: string, inputs: readonly unknown[]) => {
    const { id } = await server().post('/v1/project', { name: project });
    const events = inputs.map((input, index) => ({ id: `row-${index + 1}`, input }));
    await server().insert(`project_logs/${String(id)}`, events);
    const query = `select: id, input | from: project_logs('${String(id)}') | sort: id`;
    const { open, ...opened } = await openPage(browser(), server());
    await open(`evalstore/p/${project}/query?${new URLSearchParams({ q: query }).toString()}`);
    return opened;
  };

  it('has none of its lines folded, and none of its strings opened', async () => {
    const long = 'x'.repeat(200);
    const inputs = [
      { question: 'first' },
      'second',
      { long },
      `"${'third '.repeat(40)}`,
      'ä'.repeat(2500),
    ];
    const { page, expectClean, close } = await openRows('lines', inputs);
    const first = await openRow(page, 1);
    await first.getByRole('button', { name: 'Fold input' }).click();
    await first.getByText('… 1 line ').waitFor();
    const second = await openRow(page, 2);
    await second.getByText('"second"').waitFor();
    const third = await openRow(page, 3);
    await third.getByRole('button', { name: 'show all' }).click();
    await third.getByText(long, { exact: true }).waitFor();
    const fourth = await openRow(page, 4);
    await fourth.getByText('third').waitFor();
    const fifth = await openRow(page, 5);
    await fifth.getByText('4.9 kB', { exact: true }).waitFor();
    await fifth.getByRole('button', { name: '… 4.9 kB, show all' }).waitFor();
    await page.getByText(/ · 5\.\d kB · version/).waitFor();
    expect(await page.getByRole('button', { name: 'Back to the JSON' }).count()).to.equal(0);
    expectClean();
    await close();
  });

  it('shows its image after one that is broken', async () => {
    const inputs = [image(Buffer.from('no image')), image(png(20, 10))];
    const { page, close } = await openRows('images', inputs);
    const broken = await openRow(page, 1);
    await broken.locator('.attachment').scrollIntoViewIfNeeded();
    await broken.getByText('The browser cannot show this content').waitFor();
    const whole = await openRow(page, 2);
    await expectImage(whole.getByRole('img'), 20);
    await close();
  });
});
