// A real Chromium with the console of a real server in it, and what every page has to be free of.
import { expect } from 'chai';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import type { TestServer } from '../support/start-server.js';
import { launchOptions } from './executable.js';

/** A server that somebody started. */
export type ConsoleServer = Pick<TestServer, 'url' | 'request'>;

export type Theme = 'light' | 'dark';

export interface PageOptions {
  readonly theme?: Theme;
  readonly width?: number;
  readonly height?: number;
  /** Of the IANA database; that of the machine if absent. */
  readonly timeZone?: string;
}

/** A page that is signed in, and what went wrong in it. */
export interface ConsolePage {
  readonly page: Page;
  /** Opens an address below `/app/`. */
  readonly open: (path: string) => Promise<void>;
  /** Everything that the page asked for. */
  readonly requests: readonly string[];
  /** Fails when the page sent more different requests to the interface, sent one again and again, or has too many elements. */
  readonly expectSmall: (requestsMax: number) => Promise<void>;
  /** Fails when the page complained, or asked another host. */
  readonly expectClean: () => void;
  readonly close: () => Promise<void>;
}

/** One browser for the tests of a `describe`. */
export function sharedBrowser(): () => Browser {
  let browser: Browser;
  before(async () => {
    browser = await chromium.launch(await launchOptions());
  });
  after(() => browser?.close());
  return () => browser;
}

/** However many rows there are. */
const elementsMax = 1500;

/** What is read again while it is shown is read every two seconds, at most. */
const rereadMs = 2000;

const elementsOf = (page: Page): Promise<number> =>
  page.evaluate('document.querySelectorAll("*").length');

function watch(page: Page, origin: string) {
  const requests: string[] = [];
  const asked = new Map<string, number>();
  const complaints: string[] = [];
  const opened = performance.now();
  page.on('request', (request) => {
    requests.push(request.url());
    if (request.resourceType() !== 'fetch') return;
    const name = `${request.method()} ${request.url()} ${request.postData() ?? ''}`;
    asked.set(name, (asked.get(name) ?? 0) + 1);
  });
  page.on('pageerror', (error) => complaints.push(error.stack ?? error.message));
  page.on('console', (message) => {
    if (/error|warning/.test(message.type())) complaints.push(message.text());
  });
  return {
    requests,
    expectSmall: async (requestsMax: number) => {
      const times = 2 + (performance.now() - opened) / rereadMs;
      expect([...asked.keys()]).to.have.length.at.most(requestsMax);
      expect([...asked].filter(([, count]) => count > times)).to.deep.equal([]);
      expect(await elementsOf(page)).to.be.at.most(elementsMax);
    },
    expectClean: () => {
      expect(complaints).to.deep.equal([]);
      const foreign = requests.filter(
        (url) => !url.startsWith(origin) && !/^(data|blob):/.test(url),
      );
      expect(foreign).to.deep.equal([]);
    },
  };
}

/** Signs in as the form does, without typing. */
async function giveSession(context: BrowserContext, server: ConsoleServer): Promise<void> {
  const answer = await server.request('POST', '/app/session');
  const [name = '', value = ''] = (answer.headers.get('set-cookie') ?? '').split(/[=;]/);
  await context.addCookies([{ name, value, url: server.url }]);
  const session = JSON.stringify(answer.text);
  await context.addInitScript(`localStorage.setItem('evalstore-session /app/', ${session})`);
}

export async function openPage(
  browser: Browser,
  server: ConsoleServer,
  { theme = 'light', width = 1280, height = 800, timeZone }: PageOptions = {},
  isSignedIn = true,
): Promise<ConsolePage> {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    permissions: ['clipboard-read', 'clipboard-write'],
    acceptDownloads: true,
    ...(timeZone === undefined ? {} : { timezoneId: timeZone }),
  });
  if (isSignedIn) await giveSession(context, server);
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  return {
    page,
    ...watch(page, server.url),
    open: async (path) => {
      await page.goto(`${server.url}/app/${path}`);
    },
    close: () => context.close(),
  };
}
