// The chart of rows over time above the logs: its range, its bars, and what a drag over them selects.
import { expect } from 'chai';
import { sharedServer } from '../support/start-server.js';
import { openPage, sharedBrowser } from './browser.js';

describe('the histogram of the console', () => {
  const server = sharedServer();
  const browser = sharedBrowser();

  /** Logs the events in a new project; the path of its logs. */
  const log = async (name: string, events: readonly object[]): Promise<string> => {
    const { id } = (await server().request('POST', '/v1/project', { name })).json();
    const path = `/v1/project_logs/${String(id)}/insert`;
    (await server().request('POST', path, { events })).json();
    return `evalstore/p/${name}/logs`;
  };

  it('reaches from the first row to the last one, decades later', async () => {
    const path = await log('decades', [
      { id: 'first', created: '1970-01-01T00:00:00Z' },
      { id: 'last', created: new Date().toISOString() },
    ]);
    const { page, open, expectClean, close } = await openPage(browser(), server());
    await open(path);
    await page.getByText('1 at most per year').waitFor();
    const [box, bar] = await Promise.all([
      page.locator('.histogram svg').boundingBox(),
      page.locator('.histogram svg rect').last().boundingBox(),
    ]);
    expect(bar!.x + bar!.width).to.be.at.most(box!.x + box!.width + 1);
    expectClean();
    await close();
  });

  it('has bars of calendar months, which select what they count', async () => {
    const path = await log(
      'months',
      ['2021-01-05', '2023-03-01', '2023-03-15', '2023-03-31', '2024-02-05'].map((day) => ({
        created: `${day}T12:00:00Z`,
      })),
    );
    const { page, open, expectClean, close } = await openPage(browser(), server());
    await open(path);
    await page.getByText('3 at most per month').waitFor();
    const bars = page.locator('.histogram svg rect');
    await bars.filter({ hasText: ': 3, 0 with errors' }).click();
    await page.getByText('3 traces', { exact: true }).waitFor();
    const [from, to] = [2, 3].map((month) => new Date(2023, month).toISOString());
    expect(new URL(page.url()).searchParams.get('t')).to.equal(`${from}..${to}`);
    expectClean();
    await close();
  });

  // Half an hour after local midnight. At any time of the year, one of the zones has summer time.
  const firstHours = {
    'Europe/Berlin': ['2020-12-31T23:30Z', '2021-06-30T22:30Z', '2023-12-31T23:30Z'],
    'Australia/Sydney': ['2020-12-31T13:30Z', '2021-06-30T14:30Z', '2023-12-31T13:30Z'],
  };
  for (const [timeZone, times] of Object.entries(firstHours))
    it(`has the months of the calendar in both halves of the year: ${timeZone}`, async () => {
      const months = ['2021-01', '2021-07', '2024-01'];
      const path = await log(
        timeZone.replace('/', '-'),
        times.map((created) => ({ created })),
      );
      const { page, open, expectClean, close } = await openPage(browser(), server(), { timeZone });
      await open(path);
      await page.getByText('1 at most per month').waitFor();
      const starts = months.map((month) => `${month}-01`);
      expect(await page.locator('.histogram th').allInnerTexts()).to.deep.equal(starts);
      const titles = await page.locator('.histogram svg title').allTextContents();
      expect(titles).to.deep.equal(starts.map((start) => `${start}: 1, 0 with errors`));
      expectClean();
      await close();
    });

  it('has whole dates beside an open trace, and its rows whole times and durations', async () => {
    const metrics = { start: 10, end: 10 + 3_599 };
    const path = await log('whole', [
      { id: 'a', root_span_id: 'a', error: 'x', created: new Date().toISOString(), metrics },
      { id: 'b', root_span_id: 'b', error: 'x', created: '2024-03-03T12:00:00Z', metrics },
    ]);
    const { page, open, expectClean, close } = await openPage(browser(), server());
    await open(`${path}?r=a&cols=${encodeURIComponent('created\nmetrics.duration')}`);
    await page.locator('.histogram').waitFor();
    await page.getByRole('gridcell', { name: '59 min 59 s' }).first().waitFor();
    expect(await page.getByRole('img', { name: 'error' }).count()).to.equal(2);
    for (const whole of ['.histogram figcaption > :first-child', '.grid-body .cell.cut'])
      expect(
        await page.evaluate<boolean>(
          `[...document.querySelectorAll('${whole}')].every((one) => one.scrollWidth <= one.clientWidth)`,
        ),
        whole,
      ).to.equal(true);
    expectClean();
    await close();
  });

  it('has the 95th percentile of the durations', async () => {
    const path = await log('durations', [
      { id: 'quick', created: '2026-03-01T12:00:00Z', metrics: { start: 10, end: 10.5 } },
      { id: 'slow', created: '2026-03-02T12:00:00Z', metrics: { start: 10, end: 13 } },
      { id: 'without', created: '2026-03-03T12:00:00Z' },
    ]);
    const { page, open, expectClean, close } = await openPage(browser(), server());
    await open(path);
    await page.getByText('p95 of durations 3.00 s at most').waitFor();
    const durations = page.locator('.histogram table td:last-child');
    expect(await durations.allInnerTexts()).to.deep.equal(['p95 500 ms', 'p95 3.00 s', '']);
    expect(await page.locator('.histogram svg title').allTextContents()).to.satisfy(
      ([first, , last]: readonly string[]) =>
        first?.endsWith('p95 500 ms') && !last?.includes('p95'),
    );
    expect(await page.locator('.histogram .duration').count()).to.equal(2);
    expectClean();
    await close();
  });
});
