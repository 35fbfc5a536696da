// Chromium with pages of the console, and what is measured inside of them: from the last input to the frame that shows the answer.
import { chromium, type Browser, type Page } from 'playwright-core';
import type { StoreServer } from '../store/server.js';

export const openConsole = (): Promise<Browser> =>
  chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });

export const closeConsole = (browser: Browser): Promise<void> => browser.close();

/** The last minute of the generated events. */
const now = Date.UTC(2024, 1, 29, 23, 59);

/** The clock of the page says when the events are. */
const clock = `{
  const shift = ${now} - Date.now();
  const Real = Date;
  window.Date = class extends Real {
    constructor(...given) { if (given.length === 0) super(Real.now() + shift); else super(...given); }
    static now() { return Real.now() + shift; }
  };
}`;

/** Looked at in each frame; the time is taken when the frame with the answer was given away. */
const probe = `{
  let input = 0;
  const tasks = [];
  for (const type of ['keydown', 'pointerdown', 'pointerup', 'click', 'wheel'])
    addEventListener(type, (event) => { input = event.timeStamp; }, true);
  new PerformanceObserver((list) => tasks.push(...list.getEntries())).observe({ type: 'longtask', buffered: true });
  window.benchUntil = (isShown, begun) => new Promise((done) => {
    const finish = () => {
      const from = begun === 0 ? 0 : input;
      const ms = performance.now() - from;
      setTimeout(() => done({
        ms,
        longestTask: Math.max(0, ...tasks.filter((one) => one.startTime >= from).map((one) => one.duration)),
        elements: document.querySelectorAll('*').length,
      }), 100);
    };
    const look = () => {
      if (input < begun || !isShown()) return requestAnimationFrame(look);
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = finish;
      port2.postMessage(null);
    };
    look();
  });
}`;

/** Of one answer. */
export interface Painted {
  /** Milliseconds from the last input, or from the start of the navigation. */
  readonly ms: number;
  /** Milliseconds of the longest task of the main thread; 0 for none of 50 ms or more. */
  readonly longestTask: number;
  /** In the document. */
  readonly elements: number;
}

export interface ConsolePage {
  readonly page: Page;
  /** The address of a page of the console. */
  readonly at: (path: string) => string;
  readonly key: string;
}

/** A page in a context of its own, so with an empty cache. */
export async function openConsolePage(
  browser: Browser,
  { url, key }: StoreServer,
  isSignedIn: boolean,
): Promise<ConsolePage> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    acceptDownloads: true,
  });
  if (isSignedIn) {
    const answer = await fetch(`${url}/app/session`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
    });
    const [name = '', value = ''] = (answer.headers.get('set-cookie') ?? '').split(/[=;]/);
    await context.addCookies([{ name, value, url }]);
    const session = JSON.stringify(await answer.text());
    await context.addInitScript(`localStorage.setItem('evalstore-session /app/', ${session})`);
  }
  await context.addInitScript(clock);
  await context.addInitScript(probe);
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  return { page, at: (path) => `${url}/app/${path}`, key };
}

/** @param condition an expression of JavaScript that is true when the answer is in the document */
export const navigated = async (
  page: Page,
  address: string,
  condition: string,
): Promise<Painted> => {
  await page.goto(address, { waitUntil: 'commit' });
  return page.evaluate<Painted>(`benchUntil(() => ${condition}, 0)`);
};

export async function acted(
  page: Page,
  act: () => Promise<unknown>,
  condition: string,
): Promise<Painted> {
  const begun = await page.evaluate<number>('performance.now()');
  const painted = page.evaluate<Painted>(`benchUntil(() => ${condition}, ${begun})`);
  await act();
  return painted;
}
