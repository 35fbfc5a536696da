// Several objects of a project in one segment: each is read as a range of its rows.
import { expect } from 'chai';
import { join, sql, type Sql } from '../../src/duckdb/sql.js';
import { storages, storeIn } from '../support/open-store.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const both = (...ids: readonly string[]) => [ids, ids];

describe('objects that share a segment', () => {
  const directory = temporaryDirectory();
  const opened = storeIn(directory, storages['as buffered rows']);

  beforeEach(async () => {
    for (const object of ['e', 'f', 'g'])
      await opened().insert(object, { id: `${object}1` }, { id: `${object}2` });
    await opened().insert('f', { id: 'f2', _object_delete: true }, { id: 'f3' });
    await opened().store.flush();
  });

  /** The ids of the objects' rows: by the rows of the branches, and by their parts. */
  async function idsOf(...objectIds: readonly string[]): Promise<readonly (readonly string[])[]> {
    const snapshot = await opened().store.snapshot();
    const read = async (query: Sql): Promise<readonly string[]> => {
      const ids: string[] = [];
      for await (const chunk of snapshot.stream(query, { queue: 'heavy' }))
        ids.push(...chunk.map(([id]) => id as string));
      return ids.toSorted();
    };
    const { branches } = snapshot.live(objectIds);
    expect(branches.map(({ name }) => name.replace(/ .*/, ''))).to.deep.equal(['segment']);
    const rows = branches.map((branch) => sql`SELECT id FROM ${branch.rows}`);
    const parts = branches.flatMap(({ parts: taken }) => {
      if (taken === undefined) return [];
      const conditions = [sql`true`, ...taken.conditions];
      return [sql`SELECT id FROM ${taken.from} WHERE ${join(conditions, ' AND ')}`];
    });
    const found = [await read(join(rows, ' UNION ALL ')), await read(join(parts, ' UNION ALL '))];
    await snapshot.release();
    return found;
  }

  it('are told apart, one by one', async () => {
    expect(await idsOf('e')).to.deep.equal(both('e1', 'e2'));
    expect(await idsOf('f')).to.deep.equal(both('f1', 'f3'));
    expect(await idsOf('g')).to.deep.equal(both('g1', 'g2'));
  });

  it('are told apart from those between them, and read together', async () => {
    expect(await idsOf('e', 'f')).to.deep.equal(both('e1', 'e2', 'f1', 'f3'));
    expect(await idsOf('g', 'e')).to.deep.equal(both('e1', 'e2', 'g1', 'g2'));
    expect(await idsOf('e', 'f', 'g')).to.deep.equal(both('e1', 'e2', 'f1', 'f3', 'g1', 'g2'));
  });
});
