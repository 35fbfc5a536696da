// A page that stays open while the server restarts, the network goes, or another tab signs in: nothing that was typed or shown is lost.
import { EventEmitter, once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import type { Route } from 'playwright-core';
import { addOrganisation, strangerKey } from '../support/other-organisation.js';
import { startServer, type ServerProcess } from '../support/start-server.js';
import { waitUntil } from '../support/wait-until.js';
import { openPage, sharedBrowser } from './browser.js';

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

describe('an open page of the console', () => {
  const browser = sharedBrowser();
  let dir: string;
  let port: number;
  let server: ServerProcess;
  let insert: (events: readonly object[]) => Promise<unknown>;
  const start = async () => {
    server = await startServer({ dir, environment: { EVALSTORE_PORT: String(port) } });
  };
  before(async () => {
    dir = await mkdtemp(path.join(tmpdir(), 'evalstore-'));
    port = await freePort();
    await start();
    await server.stop();
    await addOrganisation(dir);
    await start();
    const { id } = (await server.request('POST', '/v1/project', { name: 'bot' })).json();
    insert = (events) =>
      server.request('POST', `/v1/project_logs/${String(id)}/insert`, { events });
    await insert([{ id: 'a', root_span_id: 'a', span_id: 'a', input: 'before', output: 'x' }]);
  });
  after(async () => {
    await server.stop();
    await rm(dir, { recursive: true, force: true });
  });

  it('keeps its rows and texts while the server is away, and goes on when it is back', async () => {
    const { page, open, close } = await openPage(browser(), server);
    await open('evalstore/p/bot/logs?r=a');
    await page.getByRole('region', { name: 'Span' }).waitFor();
    await page.getByRole('button', { name: 'Live' }).click();
    await page.keyboard.press('c');
    await page.keyboard.type('well done');
    const other = await openPage(browser(), server, {}, false);
    await other.open('');
    await other.page.getByLabel('API key').fill(server.key);
    await server.stop();
    await page.keyboard.press('Enter');
    const feedback = page.locator('.feedback [role=status]');
    await feedback.getByText('The server cannot be reached.').waitFor();
    expect(await page.getByRole('textbox', { name: 'Comment' }).inputValue()).to.equal('well done');
    await page.getByText('The server cannot be reached. Trying again …').waitFor();
    await other.page.keyboard.press('Enter');
    await other.page.getByRole('alert').getByText('The server cannot be reached.').waitFor();
    expect(await other.page.getByText('Trying again').count()).to.equal(0);
    await other.close();
    await page.keyboard.press('.');
    await page.locator('.grid-scroll.stale').waitFor();
    await page.getByRole('gridcell', { name: 'before' }).waitFor();
    await start();
    await insert([{ id: 'b', input: 'after' }]);
    await page.getByRole('gridcell', { name: 'after' }).waitFor();
    await page.getByText('Trying again …').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Comment', exact: true }).click();
    await page.getByRole('listitem').filter({ hasText: 'well done' }).waitFor();
    expect(await page.getByRole('textbox', { name: 'Comment' }).inputValue()).to.equal('');
    await close();
  });

  it('adds each of two tags that follow each other at once', async () => {
    const { page, open, expectClean, close } = await openPage(browser(), server);
    await open('evalstore/p/bot/logs?r=a');
    await page.getByRole('region', { name: 'Span' }).waitFor();
    for (const tag of ['one', 'two']) {
      await page.keyboard.press('t');
      await page.getByRole('textbox', { name: 'Tag' }).fill(tag);
      await page.keyboard.press('Enter');
    }
    const query = "select: tags | from: project_logs('bot') | filter: id = 'a'";
    const projects = (await server.request('GET', '/v1/project')).json()['objects'];
    const [{ id }] = projects as readonly [{ id: string }];
    await waitUntil('both are stored', async () => {
      const answer = await server.request('POST', '/query', { query: query.replace('bot', id) });
      return answer.text.includes('["one","two"]');
    });
    expectClean();
    await close();
  });

  it('restores the score before the last one, with every digit', async () => {
    const projects = (await server.request('GET', '/v1/project')).json()['objects'];
    const [{ id }] = projects as readonly [{ id: string }];
    const digits = '0.1234567890123456789';
    const event = `{"id":"d","span_id":"d","root_span_id":"d","scores":{"s":${digits}}}`;
    await server.request('POST', `/v1/project_logs/${id}/insert`, `{"events":[${event}]}`);
    const query = `select: scores | from: project_logs('${id}') | filter: id = 'd'`;
    const stored = async () => (await server.request('POST', '/query', { query })).text;
    const { page, open, expectClean, close } = await openPage(browser(), server);
    const status = page.locator('.feedback [role=status]');
    const undo = async () => {
      await page.keyboard.press('u');
      await status.getByText('Restored “s”').waitFor();
    };
    await open('evalstore/p/bot/logs?r=d');
    await page.getByRole('heading', { name: 'feedback' }).waitFor();
    await page.keyboard.press('5');
    await status.getByText(`Saved “s” 0.5, was ${digits}`).waitFor();
    await undo();
    expect(await stored()).to.include(`"s":${digits}`);

    const hold = new EventEmitter();
    const held = once(hold, 'answer');
    await page.route('**/feedback', async (route) => {
      await held;
      await route.continue();
    });
    await page.keyboard.press('5');
    await page.keyboard.press('6');
    hold.emit('answer');
    await status.getByText('Saved “s” 0.625').waitFor();
    await undo();
    expect(await stored()).to.include('"s":0.5');
    expectClean();
    await close();
  });

  it('says what failed after its form was closed', async () => {
    const { page, open, close } = await openPage(browser(), server);
    await open('evalstore/p/bot/logs?r=a');
    await page.getByRole('heading', { name: 'feedback' }).waitFor();
    const waiting: Route[] = [];
    await page.route('**/feedback', (route) => {
      waiting.push(route);
    });
    const refuse = async () => {
      await waitUntil('the server is asked', () => waiting.length > 0);
      await page.keyboard.press('Escape');
      await page.getByRole('region', { name: 'Span' }).waitFor({ state: 'detached' });
      await page.getByLabel('Tag', { exact: true }).waitFor({ state: 'detached' });
      await waiting.pop()!.fulfill({ status: 503, body: 'no space is left' });
    };
    const banner = page.getByRole('alert').filter({ hasText: 'no space is left' });
    await page.keyboard.press('5');
    await refuse();
    expect(await banner.locator('span').innerText()).to.equal(
      'Feedback was not saved: no space is left',
    );
    await banner.getByRole('button', { name: 'Close' }).click();
    await banner.waitFor({ state: 'detached' });
    await page.getByRole('checkbox', { name: 'Select the row' }).first().click();
    await page.getByRole('button', { name: 'Tag', exact: true }).click();
    await page.getByLabel('Tag', { exact: true }).fill('odd');
    await page.keyboard.press('Enter');
    await refuse();
    expect(await banner.locator('span').innerText()).to.equal('“Tag” failed: no space is left');
    await close();
  });

  it('needs no network for a server on this machine', async () => {
    const { page, open, expectClean, close } = await openPage(browser(), server);
    await open('evalstore/p/bot/logs');
    await page.getByRole('gridcell', { name: 'before' }).waitFor();
    await page.evaluate(`window.dispatchEvent(new Event('offline'))`);
    await page.getByRole('combobox', { name: 'Filter', exact: true }).fill("id = 'none'");
    await page.keyboard.press('Escape');
    await page.keyboard.press('Enter');
    await page.getByText('No rows match the filter').waitFor();
    expectClean();
    await close();
  });

  it('says so if a part of the console is no longer there, and other pages are', async () => {
    const { page, open, close } = await openPage(browser(), server);
    await open('evalstore/p/bot/logs');
    await page.getByRole('gridcell', { name: 'before' }).waitFor();
    await page.route(/\/workbench-\w+\.js$/, (route) => route.fulfill({ status: 404 }));
    await page.getByRole('link', { name: 'Query', exact: true }).click();
    await page.getByRole('heading', { name: 'This page cannot be shown' }).waitFor();
    await page.getByRole('button', { name: 'Reload' }).waitFor();
    await page.goBack();
    await page.getByRole('gridcell', { name: 'before' }).waitFor();
    await close();
  });

  it('shows nothing of the organisation of another key after a tab signed in with it', async () => {
    const { page, open, close } = await openPage(browser(), server, {}, false);
    const other = await page.context().newPage();
    const signIn = async (key: string) => {
      await page.getByLabel('API key').fill(key);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Projects' }).waitFor();
    };
    await open('');
    await signIn(server.key);
    await other.goto(`${server.url}/app/evalstore/p/bot/logs`);
    await other.getByRole('gridcell', { name: 'before' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await other.getByRole('heading', { name: 'Sign in' }).waitFor();
    await open('');
    await signIn(strangerKey);
    await other.getByText('Your key belongs to the organisation “stranger”').waitFor();
    expect(await other.getByRole('gridcell', { name: 'before' }).count()).to.equal(0);
    await close();
  });

  it('signs out at once, and signs in after the answer to that', async () => {
    const { page, open, close } = await openPage(browser(), server);
    await open('evalstore/p/bot/logs');
    await page.getByRole('gridcell', { name: 'before' }).waitFor();
    const sent: string[] = [];
    const hold = new EventEmitter();
    const held = once(hold, 'answer');
    await page.route('**/app/session', async (route) => {
      sent.push(route.request().method());
      if (route.request().method() === 'DELETE') await held;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').fill(server.key);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Signing in …' }).waitFor();
    expect(sent).to.deep.equal(['DELETE']);
    hold.emit('answer');
    await page.getByRole('gridcell', { name: 'before' }).waitFor();
    expect(sent).to.deep.equal(['DELETE', 'POST']);
    await close();
  });

  it('stays signed in when a request of the session before is refused late', async () => {
    const { page, open, close } = await openPage(browser(), server);
    await open('evalstore/p/bot/logs?r=a');
    await page.getByRole('region', { name: 'Span' }).waitFor();
    const hold = new EventEmitter();
    const held = once(hold, 'answer');
    let asked = 0;
    await page.route('**/feedback', async (route) => {
      asked += 1;
      await held;
      await route.fulfill({ status: 401, body: 'the session is over' });
    });
    let answered = 0;
    page.on('requestfinished', (request) => {
      if (request.url().endsWith('/feedback')) answered += 1;
    });
    await page.keyboard.press('c');
    await page.keyboard.type('late');
    await page.keyboard.press('Enter');
    const list = page.getByRole('region', { name: 'Logs of bot' });
    await list.getByRole('checkbox', { name: 'Select the row' }).first().click();
    await list.getByRole('button', { name: 'Tag', exact: true }).click();
    await list.getByLabel('Tag', { exact: true }).fill('late');
    await page.keyboard.press('Enter');
    await waitUntil('the server is asked twice', () => asked === 2);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').fill(server.key);
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Span' }).waitFor();
    hold.emit('answer');
    await waitUntil('both are answered', () => answered === 2);
    await page.getByRole('link', { name: 'Datasets' }).click();
    await page.getByText('No datasets yet').waitFor();
    expect(await page.getByRole('alert').allInnerTexts()).to.deep.equal([]);
    await close();
  });

  it('sends no further request of an action after its session', async () => {
    const projects = (await server.request('GET', '/v1/project')).json()['objects'];
    const [{ id }] = projects as readonly [{ id: string }];
    await server.request('POST', '/v1/dataset', { project_id: id, name: 'cut' });
    const { page, open, close } = await openPage(browser(), server);
    const other = await page.context().newPage();
    const hold = new EventEmitter();
    const held = once(hold, 'answer');
    const sent: string[] = [];
    let answered = 0;
    await page.context().route(/\/(insert|feedback|query)$/, async (route) => {
      const isRead = route.request().url().endsWith('/query');
      if (isRead && route.request().postData()?.includes('id, tags') !== true)
        return route.continue();
      const response = await route.fetch();
      sent.push(path.basename(route.request().url()));
      await held;
      await route.fulfill({ response });
      answered += 1;
      return undefined;
    });

    await other.goto(`${server.url}/app/evalstore/p/bot/datasets/cut`);
    await other.getByRole('button', { name: 'Import' }).click();
    await other.getByLabel('Or paste').fill('{"input":1}\n'.repeat(1001));
    await other.getByRole('button', { name: 'Read the text' }).click();
    await other.getByRole('button', { name: 'Import 1,001' }).click();
    await page.bringToFront();
    await open('evalstore/p/bot/logs?r=a');
    await page.getByRole('heading', { name: 'feedback' }).waitFor();
    await page.keyboard.press('c');
    await page.keyboard.type('before the end');
    await page.keyboard.press('Enter');
    await page.keyboard.press('5');
    const list = page.getByRole('region', { name: 'Logs of bot' });
    await list.getByRole('checkbox', { name: 'Select the row' }).first().click();
    await list.getByRole('button', { name: 'Tag', exact: true }).click();
    await list.getByLabel('Tag', { exact: true }).fill('cut');
    await page.keyboard.press('Enter');
    await waitUntil('the server is asked by each action', () => sent.length === 3);

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').fill(server.key);
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Span' }).waitFor();
    await other.getByRole('heading', { level: 1, name: 'cut' }).waitFor();
    hold.emit('answer');
    await waitUntil('each is answered', () => answered >= 3);
    for (const tab of [page, other]) {
      await tab.bringToFront();
      await tab.getByRole('link', { name: 'Query', exact: true }).click();
      await tab.getByRole('button', { name: 'Run' }).waitFor();
    }
    expect(sent.toSorted()).to.deep.equal(['feedback', 'insert', 'query']);
    await close();
  });
});
