// A session that the server or another tab ends, in a real browser: unsaved texts stay for their user, and only for them.
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { asking } from '../spec/access/asking.js';
import { createProject } from '../support/objects.js';
import { sharedServer } from '../support/start-server.js';
import { openPage, sharedBrowser } from './browser.js';

const fieldOf = (page: Page) => page.getByRole('textbox', { name: 'expected' });

const signIn = async (page: Page, key: string) => {
  await page.getByLabel('API key').fill(key);
  await page.keyboard.press('Enter');
};

describe('texts that are not saved when a session ends', () => {
  const server = sharedServer();
  const browser = sharedBrowser();
  before(async () => {
    const { id: project_id } = await createProject(server(), { name: 'ended' });
    const body = { project_id, name: 'kept' };
    const { id } = (await server().request('POST', '/v1/dataset', body)).json();
    await server().insert(
      `dataset/${String(id)}`,
      ['r', 's'].map((id) => ({ id, input: id })),
    );
  });

  /** A page with a record that is being edited. */
  async function edited(id: string) {
    const opened = await openPage(browser(), server());
    await opened.open(`evalstore/p/ended/datasets/kept?oid=${id}`);
    await opened.page.getByRole('region', { name: 'Span' }).waitFor();
    await opened.page.getByRole('button', { name: 'Edit' }).click();
    await fieldOf(opened.page).fill('"mine"');
    return opened;
  }

  it('are there after the sign-in, which says what was not saved', async () => {
    const { page, close } = await edited('r');
    const body = 'the session has ended: sign in again';
    await page.route('**/query', (route) =>
      route.request().postData()?.includes('select: id, input, expected, metadata, tags') === true
        ? route.fulfill({ status: 401, body })
        : route.continue(),
    );
    await page.getByRole('button', { name: 'Save' }).click();
    await page
      .getByRole('alert')
      .getByText(`“Save a record” failed: ${body}`, { exact: true })
      .waitFor();
    await page.unroute('**/query');
    await signIn(page, server().key);
    await fieldOf(page).waitFor();
    expect(await fieldOf(page).inputValue()).to.equal('"mine"');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('gridcell', { name: 'mine', exact: true }).waitFor();
    expect(await page.getByText('failed').count()).to.equal(0);
    await close();
  });

  it('stay when another tab signs out and in, and are not for another user', async () => {
    const { page, close } = await edited('s');
    const other = await page.context().newPage();
    await other.goto(`${server().url}/app/evalstore`);
    const restart = async (key: string) => {
      await other.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await signIn(other, key);
      await other.getByRole('heading', { level: 1, name: 'Projects' }).waitFor();
      await page.bringToFront();
      await page.getByRole('region', { name: 'Span' }).waitFor();
    };
    await restart(server().key);
    await fieldOf(page).waitFor();
    expect(await fieldOf(page).inputValue()).to.equal('"mine"');
    const stranger = await asking(server).addAccount(['Owners']);
    await restart(stranger.service_token);
    await page.getByRole('button', { name: 'Edit' }).click();
    await fieldOf(page).waitFor();
    expect(await fieldOf(page).inputValue()).not.to.equal('"mine"');
    await close();
  });
});
