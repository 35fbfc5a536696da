// The steps that make the tables: those that were released stay as they are, and together they make the present tables.
import { createHash } from 'node:crypto';
import path from 'node:path';
import { expect } from 'chai';
import { Catalog } from '../../src/catalog/catalog.js';
import { catalogSteps } from '../../src/catalog/tables.js';
import { contentOf, type Sql } from '../../src/duckdb/sql.js';
import type { Step } from '../../src/duckdb/migrate.js';
import { Writer } from '../../src/duckdb/writer.js';
import { EventLog, logDirectory } from '../../src/store/log/event-log.js';
import { migrateBufferTables } from '../../src/store/recovery/buffer-tables.js';
import { storeSteps } from '../../src/store/manifest/migrations.js';
import { prepareTables } from '../../src/store/manifest/migrations.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { presentSchema, schemaOf } from './schema.js';

/** What a step does to a directory with two generations of buffered rows. */
const statementsOf = async (step: Step): Promise<readonly Sql[]> =>
  typeof step === 'function'
    ? step({ read: () => Promise.resolve([{ name: 'buffer_1' }, { name: 'buffer_7' }]) })
    : step;

const digestsOf = (steps: readonly Step[]): Promise<readonly string[]> =>
  Promise.all(
    steps.map(async (step) => {
      const statements = JSON.stringify((await statementsOf(step)).map(contentOf));
      const text = statements.replaceAll(/(?:\\n|\s)+/g, ' ');
      return createHash('sha256').update(text).digest('hex').slice(0, 16);
    }),
  );

describe('the steps that make the tables', () => {
  const directory = temporaryDirectory();

  it('are never edited once they are released', async () => {
    expect(await digestsOf(catalogSteps)).to.deep.equal([
      'e4fe9dd46f5bb198',
      '7bd2301b1df0763b',
      'fb9d1e8a837280a8',
      '26a6b1f63ac3a77b',
      '6a6d2a4de0068797',
      'ba70d7579fa2d3ca',
      'd5ac30cea532015d',
      '1bafc598674ee064',
      '7bb80c30b7ab742c',
      'ea24641cdcdede72',
      '92046fab07a77fb3',
    ]);
    expect(await digestsOf(storeSteps)).to.deep.equal([
      '1ff43b3ab2ee841e',
      'db1db7fc12988e11',
      'b16bf29b1d8d17f8',
      '0d115e56a3dcf653',
      '2cddcaa592f114c8',
      '1d7ab52d3031a940',
      '4f53cda18c2baa0c',
    ]);
  });

  it('make the present tables', async () => {
    const settings = { memoryMb: 256, threads: 1 };
    const writer = await Writer.open(path.join(directory(), 'meta.duckdb'), settings);
    await Catalog.open(writer);
    await prepareTables(writer);
    const log = await EventLog.open(logDirectory(directory()));
    await migrateBufferTables(writer, log);
    await log.close();
    await writer.close();
    expect(await schemaOf(directory())).to.deep.equal(presentSchema);
  });
});
