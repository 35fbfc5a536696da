// What `npm run check-data` says about a data directory with attachments.
import { spawnSync } from 'node:child_process';
import { rm, truncate } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { filesOf, uploaded } from './support/attachments.js';
import { openServer } from './support/hosted-server.js';
import { temporaryDirectory } from './support/temporary-directory.js';

const program = fileURLToPath(new URL('../src/check-data.js', import.meta.url));

describe('check-data of attachments', () => {
  const directory = temporaryDirectory();

  const check = () => {
    const env = { ...process.env, EVALSTORE_DATA_DIR: directory() };
    const { status, stdout } = spawnSync(process.execPath, [program], { encoding: 'utf8', env });
    return { status, lines: stdout.trimEnd().split('\n') };
  };

  it('finds files that are missing or have another size', async () => {
    const server = await openServer({ dir: directory() });
    for (const content of ['missing', 'shorter', 'sound']) await uploaded(server, content);
    await server.stop();
    expect(check()).to.deep.equal({ status: 0, lines: [`${directory()}: no problems`] });
    const [missing = '', shorter = ''] = [...(await filesOf(directory()))].sort();
    await rm(path.join(directory(), 'attachments', missing));
    await truncate(path.join(directory(), 'attachments', shorter), 3);
    expect(check()).to.deep.equal({
      status: 1,
      lines: [
        ...[missing, shorter].map(
          (file) => `the file attachments/${file} is missing or damaged: restore it from a backup`,
        ),
        `${directory()}: 2 problems`,
      ],
    });
  });
});
