// A data directory that a newer release wrote is refused in one sentence, and nothing of it is changed.
import { execFile } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { sql } from '../../src/duckdb/sql.js';
import { Writer } from '../../src/duckdb/writer.js';
import { filesIn } from '../support/files-in.js';
import { rejection } from '../support/rejection.js';
import { openServer } from '../support/hosted-server.js';
import { runToExit } from '../support/start-server.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const entryOf = (name: string): string =>
  fileURLToPath(new URL(`../../src/${name}.js`, import.meta.url));

interface Failure {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

describe('a data directory of a newer release', () => {
  const directory = temporaryDirectory();

  const fails = async (command: string, ...parameters: readonly string[]) =>
    (await rejection(
      promisify(execFile)(process.execPath, [entryOf(command), ...parameters], {
        env: { ...process.env, EVALSTORE_DATA_DIR: directory() },
      }),
    )) as unknown as Failure;

  for (const component of ['store', 'catalog'])
    it(`is refused by the server and by every command: ${component}`, async () => {
      const dir = directory();
      const server = await openServer({ dir });
      await server.request('POST', '/v1/project', { name: 'p' });
      await server.stop();
      const writer = await Writer.open(path.join(dir, 'meta.duckdb'), {
        memoryMb: 256,
        threads: 1,
      });
      const [row] = await writer.read(
        sql`SELECT count(*) AS known FROM migration WHERE component = ${component}`,
      );
      const known = Number(row?.['known']);
      await writer.transaction((connection) =>
        connection.run(
          sql`INSERT INTO migration VALUES (${component}, ${BigInt(known)}, current_localtimestamp())`,
        ),
      );
      // What it wrote stays in the log, which a command that is refused must not move.
      await writer.abandon();

      const before = await filesIn(dir);
      const sentence = `the data directory was written by a newer release: ${component} has ${known + 1} migrations, this release knows ${known}\n`;
      const environment = { EVALSTORE_API_KEY: 'another-key-of-tests', EVALSTORE_ORG: 'renamed' };
      const refused = await runToExit({ dir, environment });
      expect(refused).to.deep.include({ code: 1, output: '', log: `cannot start: ${sentence}` });
      for (const parameters of component === 'store' ? [['list'], ['add']] : [['add']])
        expect(await fails('keys', ...parameters)).to.deep.include({
          code: 1,
          stdout: '',
          stderr: sentence,
        });
      const rebuild = await fails('rebuild-manifest');
      expect(rebuild).to.deep.include({ code: 1, stdout: '', stderr: sentence });
      if (component === 'store')
        expect(await fails('check-data')).to.deep.include({
          code: 2,
          stdout: '',
          stderr: sentence,
        });
      expect(await filesIn(dir)).to.deep.equal(before);
    }).timeout(60_000);
});
