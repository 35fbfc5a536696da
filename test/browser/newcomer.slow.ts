// The path of a newcomer as one story: from the first start on an empty directory to two experiments side by side, by what the
// server prints and the pages show.
import { exec, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { clientAt } from '../support/client.js';
import { openPage, sharedBrowser } from './browser.js';

const run = promisify(exec);

// From dist/test/browser.
const root = fileURLToPath(new URL('../../../', import.meta.url));

interface Started {
  readonly url: string;
  readonly key: string;
  readonly stop: () => Promise<void>;
}

/** What `npm start` runs behind the build, which would replace the files that this test runs from. */
async function npmStart(dataDirectory: string): Promise<Started> {
  const { EVALSTORE_API_KEY: _, ...environment } = process.env;
  const { scripts } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as {
    readonly scripts: { readonly start: string };
  };
  const child = spawn('sh', ['-c', scripts.start.split(' && ').at(-1)!], {
    cwd: root,
    env: { ...environment, EVALSTORE_PORT: '0', EVALSTORE_DATA_DIR: dataDirectory },
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  const closed = once(child, 'close');
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const listening = /^evalstore listening on (http:\S+)$/m;
  while (!listening.test(output)) {
    expect(child.exitCode, output).to.equal(null);
    await Promise.race([once(child.stdout, 'data'), closed]);
  }
  return {
    url: listening.exec(output)![1]!,
    key: /^API key, shown only this once: (\S+)$/m.exec(output)![1]!,
    stop: async () => {
      process.kill(-child.pid!, 'SIGTERM');
      await closed;
    },
  };
}

describe('a newcomer', () => {
  let server: Started | undefined;
  // Before its directory is removed.
  after(() => server?.stop());
  const directory = temporaryDirectory();
  const browser = sharedBrowser();

  it('starts the server, signs in, logs an event, scores it, keeps it in a dataset, and compares two experiments', async () => {
    server = await npmStart(directory());
    const { url, key } = server;
    const { page, expectClean, close } = await openPage(
      browser(),
      { url, ...clientAt(url) },
      {},
      false,
    );
    /** What the page shows, exactly; `edit` is what a person changes in it. */
    const runShown = async (edit: (command: string) => string = (command) => command) => {
      const commands = await page.locator('.snippet pre').allInnerTexts();
      const shell = { shell: '/bin/bash', env: { ...process.env, EVALSTORE_KEY: key } };
      const { stdout } = await run(edit(commands.join('\n')), shell);
      expect(stdout).to.include('row_ids');
      return commands.join('\n');
    };

    await page.goto(url);
    await page.getByLabel('API key').fill(key);
    await page.keyboard.press('Enter');
    await page.getByLabel('Name of the new project').fill('my first');
    await page.keyboard.press('Enter');
    await page.getByText('Waiting for the first event').waitFor();
    await runShown((command) => {
      expect(command).to.include('<your key>');
      return command.replace('<your key>', key);
    });
    const trace = page.getByRole('row').filter({ hasText: 'Where is my order?' });
    await trace.click();

    const span = page.getByRole('region', { name: 'Span' });
    await span.getByText('On its way.').waitFor();
    await page.keyboard.press('5');
    await span.getByRole('status').getByText('Saved').waitFor();
    await span.getByText('0.5', { exact: true }).waitFor();
    await page.keyboard.press('d');
    await page.getByLabel('Name of the new dataset').fill('questions');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('status').getByRole('link', { name: 'questions' }).click();
    await page.getByText('1 record', { exact: true }).waitFor();
    await page.getByRole('row').filter({ hasText: 'Where is my order?' }).waitFor();

    await page.getByRole('link', { name: 'Experiments' }).click();
    await page.getByText('Waiting for the first experiment').waitFor();
    const command = await runShown();
    await page.getByRole('link', { name: 'baseline' }).waitFor();
    const second = command
      .replace('"baseline"', '"second"')
      .replace('"output": "2"', '"output": "3"')
      .replace('"correct": 1', '"correct": 0');
    await run(second, {
      shell: '/bin/bash',
      env: { ...process.env, EVALSTORE_KEY: key },
    });
    await page.getByLabel('Compare second').check();
    await page.getByLabel('Compare baseline').check();
    await page.getByRole('link', { name: 'Compare 2' }).click();
    await page.getByRole('link', { name: '1 regression' }).waitFor();
    await page.getByText('1 input', { exact: true }).waitFor();
    await page.getByRole('grid', { name: 'Inputs' }).locator('.row-link').click();
    const outputs = page.getByRole('region', { name: 'Outputs' });
    await outputs.locator('del').getByText('2').waitFor();
    await outputs.locator('ins').getByText('3').waitFor();
    expectClean();
    await close();
  });
});
