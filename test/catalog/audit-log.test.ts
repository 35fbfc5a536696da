// Reads of a long audit log, in pages.
import path from 'node:path';
import { expect } from 'chai';
import { AuditLog, type AuditEntry, type AuditSelection } from '../../src/catalog/audit-log.js';
import { Catalog } from '../../src/catalog/catalog.js';
import type { ObjectHeader } from '../../src/catalog/header.js';
import { statementsOf } from '../../src/catalog/table-rows.js';
import { sql } from '../../src/duckdb/sql.js';
import { Writer } from '../../src/duckdb/writer.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const everything: AuditSelection = {
  orgIds: ['org'],
  ids: null,
  objectType: null,
  objectId: null,
  userId: null,
  action: null,
  startingAfter: null,
  endingBefore: null,
  limit: null,
};

const entriesMax = 2500;

/** From the first number down to the last. */
const down = (first: number, last: number) =>
  Array.from({ length: first - last + 1 }, (_, index) => first - index);

describe('a long audit log', () => {
  const directory = temporaryDirectory();
  let writer: Writer;
  let log: AuditLog;

  beforeEach(async () => {
    const file = path.join(directory(), 'meta.duckdb');
    writer = await Writer.open(file, { memoryMb: 100, threads: 1 });
    await Catalog.open(writer);
    // Entry n has the id "n", and every thousandth one deletes.
    await writer.transaction((connection) =>
      connection.run(sql`
        INSERT INTO audit_entry
        SELECT n, n::VARCHAR, 'org', n, NULL, NULL, NULL, if(n % 1000 = 7, 'delete', 'create'), 'project', 'p', '"' || n
        FROM range(1, ${BigInt(entriesMax + 1)}) entries(n)`),
    );
    log = await AuditLog.open(writer);
  });
  afterEach(() => writer.close());

  async function pagesOf(selection: Partial<AuditSelection>): Promise<AuditEntry[][]> {
    const pages: AuditEntry[][] = [];
    for await (const page of await log.list({ ...everything, ...selection })) pages.push([...page]);
    return pages;
  }

  const list = async (selection: Partial<AuditSelection>) =>
    (await pagesOf(selection)).flat().map(({ place }) => Number(place));

  it('is read in pages of a thousand entries, newest first', async () => {
    const pages = await pagesOf({});
    expect(pages.map(({ length }) => length)).to.deep.equal([1000, 1000, 500]);
    expect(pages.flat().map(({ id }) => Number(id))).to.deep.equal(down(entriesMax, 1));
    expect(JSON.parse(pages.at(-1)!.at(-1)!.body)).to.deep.equal({
      id: '1',
      org_id: 'org',
      created: '1970-01-01T00:00:00.000001Z',
      user_id: null,
      key_id: null,
      request_id: null,
      action: 'create',
      object_type: 'project',
      object_id: 'p',
      object_name: '"1',
    });
  });

  it('is read up to a limit and between cursors', async () => {
    expect(await list({ limit: 1200 })).to.deep.equal(down(2500, 1301));
    expect(await list({ limit: 1200, startingAfter: '2000' })).to.deep.equal(down(1999, 800));
    expect(await list({ limit: 1200, endingBefore: '5' })).to.deep.equal(down(1205, 6));
    expect(await list({ endingBefore: '1100' })).to.deep.equal(down(2500, 1101));
    expect(await list({ limit: 0 })).to.deep.equal([]);
    expect(await list({ limit: 0, endingBefore: '5' })).to.deep.equal([]);
    expect(await list({ startingAfter: '1' })).to.deep.equal([]);
    expect(await list({ endingBefore: '2500', limit: 1 })).to.deep.equal([]);
  });

  it('finds few entries among many', async () => {
    expect(await list({ action: 'delete' })).to.deep.equal([2007, 1007, 7]);
    expect(await list({ action: 'delete', endingBefore: '7', limit: 1 })).to.deep.equal([1007]);
    expect(await list({ ids: ['3', '2400'] })).to.deep.equal([2400, 3]);
    expect(await list({ orgIds: ['other'] })).to.deep.equal([]);
  });

  it('does not have what is added while it is read', async () => {
    const pages = await log.list(everything);
    const header = { kind: 'project', id: 'p', orgId: 'org', name: 'late' } as ObjectHeader;
    const [statement] = statementsOf([log.entry(header, 'update', null)]);
    await writer.transaction((connection) => connection.run(statement!));
    const found: bigint[] = [];
    for await (const page of pages) found.push(...page.map(({ place }) => place));
    expect(found[0]).to.equal(BigInt(entriesMax));
    expect((await list({ limit: 1 }))[0]).to.equal(entriesMax + 1);
  });
});
