// One object read in all ways that need other files of its segments.
import { join, sql, type Sql } from '../../src/duckdb/sql.js';
import type { Snapshot } from '../../src/store/event-store.js';
import { allRows, rowsOf, type TestStore } from './open-store.js';

/** JSON text, or `refused: ` and a sentence, by the way of reading. */
export type Answers = Readonly<Record<string, string>>;

async function answer(work: () => Promise<unknown>): Promise<string> {
  try {
    return JSON.stringify(await work(), (_key, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    );
  } catch (error) {
    return `refused: ${(error as Error).message}`;
  }
}

async function inSnapshot<T>(
  opened: TestStore,
  read: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  const snapshot = await opened.store.snapshot();
  try {
    return await read(snapshot);
  } finally {
    await snapshot.release();
  }
}

const sorted = (found: Promise<readonly (readonly unknown[])[]>) =>
  found.then((all) => all.toSorted((x, y) => (x.join('\n') < y.join('\n') ? -1 : 1)));

type ArmsOf = (snapshot: Snapshot) => Promise<Sql> | Sql;

const union = (branches: readonly Sql[]) => sql`(${join(branches, ' UNION ALL ')})`;

/** Reads one object in all ways that need other files: rows, narrow rows, an old version, by id, by trace, to build on them. */
export async function readObject(
  opened: TestStore,
  objectId: string,
  version: bigint,
): Promise<Answers> {
  const found: ArmsOf = async (snapshot) => {
    const { branches } = await snapshot.find([objectId], { by: 'id', values: ['5', '7', '99'] });
    return union(branches.map((branch) => sql`SELECT id, input, metadata FROM ${branch.rows}`));
  };
  const traced: ArmsOf = async (snapshot) => {
    const wanted = { by: 'root_span_id', values: ['trace 3'] } as const;
    const { branches } = await snapshot.find([objectId], wanted);
    return union(branches.map((branch) => sql`SELECT id, input, metadata FROM ${branch.rows}`));
  };
  const narrowAt = (at?: bigint) => (snapshot: Snapshot) =>
    union(
      snapshot.live([objectId], at).branches.map(({ parts, rows: all }) => {
        if (parts === undefined) return sql`SELECT id, _xact_id FROM ${all}`;
        const where = parts.conditions.length === 0 ? sql`TRUE` : join(parts.conditions, ' AND ');
        return sql`SELECT id, _xact_id FROM ${parts.narrow} WHERE ${where}`;
      }),
    );
  const ways: Readonly<Record<string, ArmsOf>> = {
    rows: (snapshot) => rowsOf(snapshot, objectId),
    narrow: narrowAt(),
    'narrow, past': narrowAt(version),
    past: (snapshot) => rowsOf(snapshot, objectId, version),
    deletions: (snapshot) => snapshot.deletions([objectId]),
    found,
    traced,
  };
  const answers: Record<string, string> = {};
  for (const [way, rowsIn] of Object.entries(ways))
    answers[way] = await answer(() =>
      inSnapshot(opened, async (snapshot) =>
        sorted(allRows(snapshot, sql`SELECT * FROM ${await rowsIn(snapshot)}`)),
      ),
    );
  answers['built on'] = await answer(async () => {
    await opened.insert(objectId, { id: '9', _is_merge: true, metadata: { more: 1 } });
    return sorted(
      inSnapshot(opened, (snapshot) =>
        allRows(
          snapshot,
          sql`SELECT id, input, metadata FROM ${rowsOf(snapshot, objectId)} WHERE id = '9'`,
        ),
      ),
    );
  });
  return answers;
}
