// Keys, members and the health of the server in a real browser: what the page does is what the interface then says.
import { expect } from 'chai';
import { longQuery, slowQueries, startQuery } from '../support/long-query.js';
import { createProject } from '../support/objects.js';
import { outcome, sharedServer, testKey } from '../support/start-server.js';
import { openPage, sharedBrowser } from './browser.js';

describe('settings in the console', () => {
  const server = sharedServer({ environment: { EVALSTORE_SLOW_QUERY_MS: '1' } });
  const browser = sharedBrowser();
  const status = async (key: string) =>
    (await server().request('GET', '/ping', undefined, { key })).status;

  it('make a key, show its secret once, and revoke it', async () => {
    const { page, open, expectClean, close } = await openPage(browser(), server());
    await open('evalstore/settings');
    await page.getByLabel('Name of the new key').fill('ci');
    await page.getByLabel('Expires').selectOption({ label: '7 days' });
    await page.getByRole('button', { name: 'Create' }).click();
    const secret = await page.locator('.secret code').innerText();
    expect(await status(secret)).to.equal(200);
    const { objects } = (await server().request('GET', '/v1/api_key')).json();
    const made = (objects as readonly { name: string; expires: string }[]).find(
      ({ name }) => name === 'ci',
    );
    const days = (Date.parse(made?.expires ?? '') - Date.now()) / 86_400_000;
    expect(days).to.be.within(6.9, 7);
    await page.reload();
    const row = page.getByRole('row').filter({ hasText: 'ci' });
    await row.getByRole('button', { name: 'Revoke ci' }).click();
    expect(await page.locator('body').innerText()).not.to.include(secret);
    const revoke = page.getByRole('button', { name: 'Revoke', exact: true });
    expect(await revoke.isDisabled()).to.equal(true);
    await page.getByLabel('Type ci to confirm').fill('ci');
    await revoke.click();
    await row.waitFor({ state: 'detached' });
    expect(await status(secret)).to.equal(401);
    expect(await status(testKey)).to.equal(200);
    expectClean();
    await close();
  });

  it('add a user to a group and remove them; a service account gets a token that is shown once', async () => {
    const { page, open, expectClean, close } = await openPage(browser(), server());
    await open('evalstore/settings/members');
    await page.getByLabel('Email address').fill('ada@example.com');
    await page.getByLabel('Group').selectOption({ label: 'Viewers' });
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    const row = page.getByRole('row').filter({ hasText: 'ada@example.com' });
    await row.getByText('Viewers').waitFor();
    await row.getByRole('button', { name: 'Remove' }).click();
    await page.getByLabel('Type ada@example.com to confirm').fill('ada@example.com');
    await page.keyboard.press('Enter');
    await row.waitFor({ state: 'detached' });
    // While the dialog is open, typed text goes to its field.
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    await page.getByLabel('Kind of member').selectOption({ label: 'Service account' });
    await page.getByLabel('Name of the service account').fill('robot');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    expect(await status(await page.locator('.secret code').innerText())).to.equal(200);
    // The form is reset.
    await page.getByLabel('Email address').waitFor();
    expect(await page.getByLabel('Kind of member').inputValue()).to.equal('user');
    await page.getByRole('link', { name: 'Audit log' }).click();
    await page
      .getByRole('row')
      .filter({ hasText: 'service token' })
      .filter({ hasText: 'create' })
      .waitFor();
    const grant = page.getByRole('cell', {
      name: /^role [-\da-f]{36} on organization .* to group/,
    });
    await grant.first().waitFor();
    expectClean();
    await close();
  });

  it('say what the server refuses, where it was asked', async () => {
    const { page, open, close } = await openPage(browser(), server());
    await open('evalstore/settings/members');
    const owner = page.getByRole('row').filter({ hasText: 'Owners' });
    const name = await owner.getByRole('cell').first().innerText();
    await owner.getByRole('button').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox').fill(name);
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await dialog.getByRole('alert').filter({ hasText: 'owner' }).waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await owner.waitFor();
    expect(await status(testKey)).to.equal(200);
    await close();
  });

  it('show the health of the server as the interface answers it', async () => {
    const project = (await server().request('POST', '/v1/project', { name: 'counted' })).json();
    const path = `/v1/project_logs/${String(project['id'])}/insert`;
    (await server().request('POST', path, { events: [{ input: 1 }, { input: 2 }] })).json();
    const answer = (await server().request('GET', '/status')).json();
    const { rows } = answer['buffered'] as { rows: number };
    const { page, open, expectClean, close } = await openPage(browser(), server());
    await open('evalstore/settings/health');
    await page.getByText(`${rows} rows, `).first().waitFor();
    await page.getByText('not known yet: growth is measured for an hour').waitFor();
    await page.getByRole('row').filter({ hasText: 'flush' }).waitFor();
    await page.getByRole('row').filter({ hasText: 'Attachments' }).waitFor();
    await page.getByText(String(answer['last_xact_id'])).waitFor();
    await page.getByRole('row').filter({ hasText: 'counted' }).waitFor();
    expectClean();
    await close();
  });

  it('cancel a running query with one click, and list it as a slow one', async () => {
    const { text } = await longQuery(server());
    const { id, answer } = await startQuery(server(), text);
    const { page, open, expectClean, close } = await openPage(browser(), server());
    await open('evalstore/settings/health');
    const running = page.getByRole('region', { name: 'Running queries' });
    await running.getByText(text).waitFor();
    await running.getByRole('button', { name: 'Cancel' }).click();
    expect((await outcome(answer))[0]).to.equal(400);
    await running.waitFor({ state: 'detached' });
    expect(await page.getByRole('dialog').count()).to.equal(0);
    const slow = page.getByRole('region', { name: 'Slow queries' });
    await slow.getByText(text).first().waitFor();
    expect((await slowQueries(server())).map((each) => each.id)).to.include(id);
    expectClean();
    await close();
  });

  it('set the retention of the organisation and of a project, and say what the next run removes', async () => {
    const { id } = await createProject(server(), { name: 'aging' });
    await server().insert(`project_logs/${id}`, [
      { id: 'old', created: '2024-01-01T00:00:00Z' },
      { id: 'new' },
    ]);
    const daysOf = async (path: string) =>
      ((await server().get(path))['settings'] as { retention_days?: number } | null)
        ?.retention_days;
    const { page, open, expectClean, close } = await openPage(browser(), server());
    await open('evalstore/settings/retention');
    await page.getByLabel('Project', { exact: true }).selectOption({ label: 'aging' });
    await page.getByText('Nothing expires.').waitFor();
    const save = page.getByRole('button', { name: 'Save' });
    await page.getByLabel('Days of the organisation').fill('20000');
    await save.first().click();
    await page.getByText('The next run removes nothing: no trace is older than').waitFor();
    await page.getByLabel('Days of the project').fill('3');
    await save.last().click();
    await page.getByText(/^The next run removes 1 row version, .* older than 20/).waitFor();
    const { org_id } = await server().get(`/v1/project/${id}`);
    expect(await daysOf(`/v1/organization/${String(org_id)}`)).to.equal(20_000);
    expect(await daysOf(`/v1/project/${id}`)).to.equal(3);
    await page.getByLabel('Days of the organisation').fill('');
    await save.first().click();
    await page.getByLabel('Days of the project').fill('');
    await save.last().click();
    await page.getByText('Nothing expires.').waitFor();
    expectClean();
    await close();
  });

  it('tell a key that may only read what it may not do', async () => {
    const { objects } = (await server().request('GET', '/v1/group')).json();
    const viewers = (objects as readonly { id: string; name: string }[]).find(
      ({ name }) => name === 'Viewers',
    );
    const body = {
      invite_users: {
        service_accounts: [{ name: 'viewer', token_name: 'viewer' }],
        group_ids: [viewers!.id],
      },
    };
    const answer = (await server().request('PATCH', '/v1/organization/members', body)).json();
    const [{ service_token: key }] = answer['added_users'] as [{ service_token: string }];
    const { id } = (await server().request('POST', '/v1/project', { name: 'seen' })).json();
    const dataset = { project_id: id, name: 'questions' };
    (await server().request('POST', '/v1/dataset', dataset)).json();

    const { page, open, close } = await openPage(browser(), {
      url: server().url,
      request: (method, path, sent) => server().request(method, path, sent, { key }),
    });
    await open('evalstore/p/seen/datasets/questions');
    await page.getByRole('button', { name: 'New record' }).click();
    await page.getByRole('textbox', { name: 'input' }).fill('1');
    await page.getByRole('button', { name: 'Save' }).click();
    await page
      .getByRole('alert')
      .getByText('this key may not change the dataset "questions"')
      .waitFor();
    await open('evalstore/settings/audit');
    await page.getByText('There is no entry that this key may read').waitFor();
    await close();
  });
});
