// Renaming and deleting in a real browser.
import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { sharedServer } from '../support/start-server.js';
import { openPage, sharedBrowser } from './browser.js';

const openMenu = (within: Page | Locator) =>
  within.getByRole('button', { name: 'Manage ▾', exact: true }).click();

async function rename(page: Page, name: string): Promise<void> {
  await page.getByLabel(/^Name of the (project|experiment|dataset|prompt)$/).fill(name);
  await page.keyboard.press('Enter');
}

async function remove(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Delete …' }).click();
  const confirm = page.getByRole('button', { name: 'Delete', exact: true });
  await page.keyboard.type(`not ${name}`);
  expect(await confirm.isDisabled()).to.equal(true);
  await page.getByLabel('to confirm').fill(name);
  await confirm.click();
}

describe('the manage menu of the console', () => {
  const server = sharedServer();
  const browser = sharedBrowser();
  const namesOf = async (kind: string): Promise<readonly unknown[]> =>
    (
      (await server().request('GET', `/v1/${kind}`)).json()['objects'] as readonly {
        name: unknown;
      }[]
    ).map(({ name }) => name);

  it('renames and deletes a project', async () => {
    await server().post('/v1/project', { name: 'kept' });
    await server().post('/v1/project', { name: 'first name' });
    const { page, open, close } = await openPage(browser(), server());
    await open('');
    const row = (name: string) => page.getByRole('row').filter({ hasText: name });
    await openMenu(row('first name'));
    await rename(page, 'kept');
    await page.getByRole('alert').getByText('kept').waitFor();
    await rename(page, 'second name');
    await row('second name').waitFor();
    expect(await namesOf('project')).to.have.members(['kept', 'second name']);

    await openMenu(row('second name'));
    await remove(page, 'second name');
    await row('second name').waitFor({ state: 'detached' });
    await row('kept').waitFor();
    expect(await namesOf('project')).to.deep.equal(['kept']);
    await close();
  });

  for (const kind of ['experiment', 'dataset', 'prompt'])
    it(`renames and deletes ${kind === 'experiment' ? 'an' : 'a'} ${kind}`, async () => {
      const { id: project_id } = await server().post('/v1/project', { name: `of ${kind}` });
      for (const name of ['kept', 'first name'])
        await server().post(`/v1/${kind}`, {
          project_id,
          name,
          ...(kind === 'prompt' ? { slug: name, prompt_data: {} } : {}),
        });
      const { page, open, expectClean, close } = await openPage(browser(), server());
      await open(`evalstore/p/of ${kind}/${kind}s/first name`);
      // The list has the new name before it is read again.
      const lists = ({ pathname, searchParams }: URL) =>
        pathname === `/v1/${kind}` && !searchParams.has('slug');
      await openMenu(page);
      await page.route(lists, () => {});
      await rename(page, 'second/name');
      await page.getByRole('heading', { name: 'second/name', exact: true }).waitFor();
      await page
        .getByRole('link', { name: `${kind}s` })
        .first()
        .click();
      await page.getByRole('link', { name: 'second/name' }).click();
      await page.unroute(lists);
      await page.reload();
      await page.getByRole('heading', { name: 'second/name', exact: true }).waitFor();
      expect(await namesOf(kind)).to.have.members(['kept', 'second/name']);

      await openMenu(page);
      await remove(page, 'second/name');
      await page.waitForURL(new RegExp(`/${kind}s$`));
      await page.getByRole('link', { name: 'kept' }).waitFor();
      expect(await page.getByText('second/name').count()).to.equal(0);
      expect(await namesOf(kind)).to.deep.equal(['kept']);
      expectClean();
      await close();
    });
});
