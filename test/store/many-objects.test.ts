// Look-ups of ids and traces in many objects: when the index finds the segments, and when all rows are read instead.
import { expect } from 'chai';
import { join, sql, toStatement } from '../../src/duckdb/sql.js';
import { indexMatches } from '../../src/store/segment/segment-index.js';
import { allRows, experiment, storages, storeIn } from '../support/open-store.js';
import { decodeEvents } from '../support/decode-events.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const objectIds = Array.from({ length: 200 }, (_, index) => `e${index}`);

const absent = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`);

const decoded = () =>
  decodeEvents('experiment', JSON.stringify({ events: [{ id: 'a', root_span_id: 'a' }] }));

/** The statement that finds so many hashes in so many indexes. */
const statement = (hashes: number, files: number) =>
  toStatement(
    indexMatches(
      absent('file', files),
      'root_span_id',
      Array.from({ length: hashes }, (_, hash) => BigInt(hash)),
    ),
  );

describe('look-ups in many objects', () => {
  const directory = temporaryDirectory();
  const opened = storeIn(directory, storages['as buffered rows']);

  beforeEach(async () => {
    const { store } = opened();
    await store.insert(objectIds.map((id) => ({ object: experiment(id), events: decoded() })));
    await store.flush();
    await opened().insert('e0', { id: 'b', root_span_id: 'b' });
    await store.flush();
  });

  for (const by of ['id', 'root_span_id'] as const)
    for (const isHistory of [false, true]) {
      const find = async (ids: readonly string[], values: readonly string[]) => {
        const snapshot = await opened().store.snapshot();
        const { branches } = await snapshot.find(ids, { by, values }, isHistory);
        const rows = branches.map((branch) => sql`SELECT object_id, id FROM ${branch.rows}`);
        const query = join(rows, ' UNION ALL ');
        const found = await allRows(snapshot, query);
        await snapshot.release();
        const { text } = toStatement(query);
        return { segments: branches.length, found: found.map(([object]) => object), text };
      };

      describe(`by ${by}${isHistory ? ', of all versions' : ''}`, () => {
        it('read only the segments that have candidates', async () => {
          const { segments, found } = await find(objectIds, ['a', ...absent('x', 50)]);
          expect(found).to.have.members(objectIds);
          expect(segments).to.equal(1);
        });

        it('leave out objects without rows, however many they are', async () => {
          const wanted = ['e0', ...absent('empty', 1000)];
          const { segments, found } = await find(wanted, ['b', ...absent('x', 200)]);
          expect(found).to.deep.equal(['e0']);
          expect(segments).to.equal(1);
        });

        it('read all rows if objects and values make more hashes than a scan is worth', async () => {
          const { segments, found } = await find(objectIds, ['a', ...absent('x', 200)]);
          expect(found).to.have.members(objectIds);
          expect(segments).to.equal(2);
        });

        it('make a statement that does not grow with the values, which may have any characters', async () => {
          const odd = 'a\u0000"é😀';
          await opened().insert('e7', { id: odd, root_span_id: odd });
          const few = await find(objectIds, [odd, ...absent('x', 200)]);
          const many = await find(objectIds, [odd, ...absent('x', 10_000)]);
          expect(many).to.deep.equal(few);
          expect(many.found).to.deep.equal(['e7']);
        });
      });
    }

  it('make a statement that does not grow with the traces', () => {
    expect(statement(10_000, 20).text).to.equal(statement(1, 1).text);
    expect(statement(10_000, 20).values.map((value) => [value].flat().length)).to.deep.equal([
      20, 10_000,
    ]);
  });
});
