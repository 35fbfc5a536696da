// A link to a public experiment, in a real browser without a session: it shows that experiment, and nothing else.
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { uploaded } from '../support/attachments.js';
import { openServer } from '../support/hosted-server.js';
import { createExperiment, createProject } from '../support/objects.js';
import { asking } from '../spec/access/asking.js';
import { addOrganisation, strangerKey } from '../support/other-organisation.js';
import { clientAt, sharedServer, type TestServer } from '../support/start-server.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { openPage, sharedBrowser } from './browser.js';
import { loadGsm8k } from './gsm8k.js';
import { expectImage, png } from './media.js';

const linkTo = (id: string) =>
  `evalstore/object?${new URLSearchParams({ object_type: 'experiment', object_id: id }).toString()}`;

describe('the link to an experiment', () => {
  const server = sharedServer();
  const browser = sharedBrowser();
  const ids: Record<string, string> = {};
  before(async () => {
    await loadGsm8k(server());
    const { objects } = (await server().request('GET', '/v1/experiment')).json();
    for (const { id, name } of objects as readonly { id: string; name: string }[]) ids[name] = id;
  });

  it('is made by its owner, shows it without a key, and ends with another click', async () => {
    const owner = await openPage(browser(), server());
    await owner.open('evalstore/p/gsm8k/experiments/175b_verification');
    await owner.page.getByRole('button', { name: 'Share' }).click();
    await owner.page.getByRole('button', { name: 'Make public' }).click();
    const link = await owner.page.locator('.share .snippet pre').innerText();

    const { page, requests, expectClean, close } = await openPage(browser(), server(), {}, false);
    await page.goto(link);
    await page.getByText('1,319 traces').waitFor();
    await page.getByRole('heading', { name: '175b_verification', exact: true }).waitFor();
    await page.getByRole('row').filter({ hasText: 'correct' }).getByText('0.56255').waitFor();
    // What it is compared with is not public.
    expect(await page.locator('body').innerText()).not.to.include('finetuning');
    await page.locator('.row-link').first().click();
    const span = page.getByRole('region', { name: 'Span' });
    await span.getByRole('heading', { name: 'input' }).waitFor();
    expect(await span.getByRole('button', { name: 'Add to dataset' }).count()).to.equal(0);
    expect(await span.getByText('feedback').count()).to.equal(0);
    await page.keyboard.press('5');
    await page.keyboard.press('x');
    expect(await page.getByText('selected').count()).to.equal(0);
    await page.keyboard.press('Escape');
    await page.getByRole('combobox', { name: 'Filter', exact: true }).fill('scores.correct = 0');
    await page.keyboard.press('Enter');
    await page.getByText('577 traces').waitFor();
    await page.reload();
    await page.getByText('577 traces').waitFor();
    await page.locator('.row-link').first().click();
    await span.waitFor();
    // A member sees the same rows and the same trace.
    const member = await owner.page.context().newPage();
    await member.goto(page.url());
    await member.getByText('577 traces').waitFor();
    await member.getByRole('region', { name: 'Span' }).waitFor();
    const shown = new URL(member.url());
    expect(shown.pathname).to.match(/\/experiments\/175b_verification$/);
    expect([...shown.searchParams.keys()].toSorted()).to.deep.equal(['f', 'r']);
    await member.close();
    await page.getByRole('button', { name: 'Query' }).click();
    expect(await page.getByText('Copy as').count()).to.equal(0);
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'csv' }).click();
    const file = await readFile(await (await saved).path(), 'utf8');
    expect(file.split('\r\n').length + file.split('\n').length).to.be.above(577);
    const asked = requests.filter((url) => /\/(v1|query|ping)\b/.test(new URL(url).pathname));
    const own = `${server().url}/v1/experiment/${ids['175b_verification']}`;
    expect(asked.filter((url) => !url.startsWith(own))).to.deep.equal([]);
    expectClean();
    await close();

    await owner.page.getByRole('button', { name: 'Make private' }).click();
    await owner.page.getByRole('button', { name: 'Make public' }).waitFor();
    const late = await openPage(browser(), server(), {}, false);
    await late.page.goto(link);
    await late.page.getByLabel('API key').waitFor();
    await late.page.getByLabel('API key').fill(server().key);
    await late.page.keyboard.press('Enter');
    await late.page.getByText('0.24412').waitFor();
    await late.close();
    owner.expectClean();
    await owner.close();
  });

  it('shows the attachments that its events name', async () => {
    const id = ids['6b_finetuning']!;
    await server().request('PATCH', `/v1/experiment/${id}`, { public: true });
    const key = await uploaded(server(), png(120, 80));
    const input = {
      type: 'braintrust_attachment',
      key,
      filename: 'cat.png',
      content_type: 'image/png',
    };
    await server().insert(`experiment/${id}`, [{ id: 'with a cat', input }]);
    const { page, open, expectClean, close } = await openPage(browser(), server(), {}, false);
    await open(`${linkTo(id)}&id=with+a+cat`);
    await expectImage(page.getByAltText('cat.png'), 120);
    expectClean();
    await close();
  });

  it('opens the row that it names, also for a member who may read no more than that', async () => {
    const id = ids['6b_finetuning']!;
    await server().request('PATCH', `/v1/experiment/${id}`, { public: true });
    const { service_token: token } = await asking(server).addAccount();
    const member = { ...clientAt(server().url, token), url: server().url };
    const query = `select: id, root_span_id | from: experiment('${id}') | limit: 1`;
    const { data } = (await server().request('POST', '/query', { query })).json();
    const [row] = data as readonly { id: string; root_span_id: string }[];
    for (const client of [null, member]) {
      const options = [client ?? server(), {}, client !== null] as const;
      const { page, open, expectClean, close } = await openPage(browser(), ...options);
      await open(`${linkTo(id)}&id=${row!.id}`);
      await page.getByRole('region', { name: 'Span' }).waitFor();
      expect(new URL(page.url()).searchParams.get('r')).to.equal(row!.root_span_id);
      if (client === null) expectClean();
      await open(linkTo(ids['6b_verification']!));
      const refusal = client === null ? 'API key' : 'This object cannot be opened';
      await page.getByText(refusal, { exact: true }).waitFor();
      await close();
    }
  });

  it('shows the sign-in for one that is not public, and for one that there is not', async () => {
    const missing = '00000000-0000-4000-8000-000000000000';
    for (const id of [ids['6b_verification']!, missing, 'no id']) {
      const { page, open, close } = await openPage(browser(), server(), {}, false);
      await open(linkTo(id));
      await page.getByLabel('API key').waitFor();
      expect(await page.locator('body').innerText()).not.to.include('verification');
      await close();
    }
  });

  it('asks again after a failure that is no refusal', async () => {
    const id = ids['6b_finetuning']!;
    await server().request('PATCH', `/v1/experiment/${id}`, { public: true });
    const { page, open, close } = await openPage(browser(), server(), {}, false);
    const body = 'too many requests';
    await page.route(`**/v1/experiment/${id}`, (route) => route.fulfill({ status: 429, body }), {
      times: 1,
    });
    await open(linkTo(id));
    await page.getByRole('alert').getByText(body).waitFor();
    expect(await page.getByLabel('API key').count()).to.equal(0);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('1,319 traces').or(page.getByText('1,320 traces')).waitFor();
    await close();
  });
});

describe('the link to an experiment of another organisation', () => {
  const directory = temporaryDirectory();
  const browser = sharedBrowser();
  let server: TestServer;
  beforeEach(async () => {
    const first = await openServer({ dir: directory() });
    await first.stop();
    await addOrganisation(directory());
    server = await openServer({ dir: directory() });
  });
  afterEach(() => server.stop());

  it('shows it to a user who is signed in, while it is public', async () => {
    const { id: projectId } = await createProject(server);
    const experiment = await createExperiment(server, projectId, { name: 'shown', public: true });
    await server.insert(`experiment/${experiment.id}`, [{ input: 'a question', scores: { s: 1 } }]);
    const stranger = { ...clientAt(server.url, strangerKey), url: server.url };
    const { page, open, expectClean, close } = await openPage(browser(), stranger);
    await open(linkTo(experiment.id));
    await page.getByRole('heading', { name: 'shown', exact: true }).waitFor();
    await page.locator('.row-link').first().click();
    await page.getByRole('region', { name: 'Span' }).getByText('a question').waitFor();
    expectClean();
    await server.request('PATCH', `/v1/experiment/${experiment.id}`, { public: false });
    await open(linkTo(experiment.id));
    await page.getByText('Your key belongs to the organisation “stranger”').waitFor();
    await close();
  });
});
