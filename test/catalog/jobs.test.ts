// How long the records of jobs are kept: all that run, and of those that ended the last 1,000, for 30 days.
import path from 'node:path';
import { expect } from 'chai';
import { Catalog } from '../../src/catalog/catalog.js';
import { JobRecords } from '../../src/catalog/jobs.js';
import { sql } from '../../src/duckdb/sql.js';
import { Writer } from '../../src/duckdb/writer.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const dayMs = 86_400_000;

describe('records of jobs', () => {
  const directory = temporaryDirectory();
  let writer: Writer;
  let records: JobRecords;

  beforeEach(async () => {
    const file = path.join(directory(), 'meta.duckdb');
    writer = await Writer.open(file, { memoryMb: 100, threads: 1 });
    await Catalog.open(writer);
    records = await JobRecords.open(writer);
  });

  afterEach(() => writer.close());

  /** Jobs `name 0`, `name 1`, …, of which each ended a millisecond before the one with the next number, the last one at `last`. */
  const add = (name: string, count: number, last: number | null) =>
    writer.transaction((connection) =>
      connection.run(sql`
        INSERT INTO job
        SELECT ${name} || ' ' || i, 'purge', 'p', 'p', CASE WHEN ${last === null} THEN 'running' ELSE 'done' END, 0, 0, 0,
          ${last === null ? null : BigInt(last - count + 1)} + i, NULL, NULL, NULL, NULL
        FROM range(${BigInt(count)}) t(i)`),
    );

  async function endOne(): Promise<void> {
    const { id } = records.newFile();
    const job = { id, kind: 'purge', projectId: 'p', objectId: 'p', rows: 0, bytes: 0 } as const;
    await records.begin({ ...job, by: null });
    await records.end({ id, rows: 0, bytes: 0, error: null });
    expect(await records.find(id)).to.include({ state: 'done' });
  }

  const isKnown = async (id: string) => (await records.find(id)) !== undefined;

  it('are the last 1,000 of those that ended', async () => {
    const now = Date.now();
    await add('ended', 1_001, now - 1_000);
    await add('running', 2, null);
    await endOne();
    expect(await Promise.all(['ended 0', 'ended 1', 'ended 2'].map(isKnown))).to.deep.equal([
      false,
      false,
      true,
    ]);
    expect(
      await writer.read(sql`SELECT count(*) AS n FROM job WHERE state = 'done'`),
    ).to.deep.equal([{ n: 1_000n }]);
    expect(await records.running()).to.have.lengthOf(2);
  });

  it('are forgotten 30 days after their end', async () => {
    const now = Date.now();
    await add('old', 1, now - 30 * dayMs - 60_000);
    await add('recent', 1, now - 30 * dayMs + 60_000);
    await endOne();
    expect(await isKnown('old 0')).to.equal(false);
    expect(await isKnown('recent 0')).to.equal(true);
  });
});
