// A data directory that a newer release wrote is refused in one sentence, and nothing of it is changed.
import path from 'node:path';
import { expect } from 'chai';
import { sql } from '../../src/duckdb/sql.js';
import { Writer } from '../../src/duckdb/writer.js';
import { runEvalstore } from '../support/command-line.js';
import { filesIn } from '../support/files-in.js';
import { openServer } from '../support/hosted-server.js';
import { runToExit } from '../support/start-server.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

describe('a data directory of a newer release', () => {
  const directory = temporaryDirectory();

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
      const ofBoth = [['keys', 'add'], ['repair']];
      const commands = component === 'store' ? [...ofBoth, ['keys', 'list'], ['check']] : ofBoth;
      for (const words of commands)
        expect(runEvalstore(words, { EVALSTORE_DATA_DIR: dir }), words.join(' ')).to.deep.equal({
          status: 1,
          stdout: '',
          stderr: sentence,
        });
      expect(await filesIn(dir)).to.deep.equal(before);
    }).timeout(60_000);
});
