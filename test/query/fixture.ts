// An engine that holds the fixture rows, and relations over them that store them in different ways.
import { tmpdir } from 'node:os';
import type { Connection } from '../../src/duckdb/connection.js';
import { Database } from '../../src/duckdb/database.js';
import type { Row } from '../../src/duckdb/rows.js';
import { sql, trusted, type Sql } from '../../src/duckdb/sql.js';
import {
  rowWriter,
  type ResultColumn,
  type ResultValue,
  type WrittenRow,
} from '../../src/json/result-row.js';
import { eventColumns, type ColumnType } from '../../src/schema/event-columns.js';
import type { EventBranch, EventRelation } from '../../src/schema/event-relation.js';
import { scalarFunctions } from '../../src/store/row/scalar-functions.js';
import { defaults, fixtureRows, quoted } from './fixture-rows.js';
import { leafTable, type LeafTable } from './leaf-table.js';

const sqlTypes: Readonly<Record<ColumnType, string>> = {
  bigint: 'BIGINT',
  integer: 'INTEGER',
  string: 'VARCHAR',
  strings: 'VARCHAR[]',
  boolean: 'BOOLEAN',
  timestamp: 'TIMESTAMP',
  json: 'VARCHAR',
};

export interface ResultRow extends WrittenRow {
  readonly place: string | null;
}

export interface Engine {
  readonly all: (query: Sql) => Promise<readonly Row[]>;
  /** What `valueRows` gives, as it is in the answer. */
  readonly result: (columns: readonly ResultColumn[], query: Sql) => Promise<readonly ResultRow[]>;
  /** Throws what the engine's binder has against the text. */
  readonly explain: (query: Sql) => Promise<void>;
  readonly close: () => Promise<void>;
}

export async function openEngine(): Promise<Engine> {
  const settings = {
    memoryMb: 500,
    threads: 2,
    temporaryDirectory: tmpdir(),
    allowedDirectories: [],
  };
  const database = await Database.open(':memory:', settings, scalarFunctions());
  const connection = await database.connect();
  await createEvents(connection);
  return {
    all: (query) => connection.read(query),
    result: async (columns, query) => {
      const write = rowWriter(columns);
      const rows = await connection.read(query);
      return rows.map((row) => {
        const { text, kinds } = write((index) => row[`c${index}`] as ResultValue);
        return { text, kinds, place: (row['place'] ?? null) as string | null };
      });
    },
    explain: async (query) => {
      await connection.read(sql`EXPLAIN ${query}`);
    },
    close: async () => {
      database.disconnect(connection);
      await database.close();
    },
  };
}

async function createEvents(connection: Connection): Promise<void> {
  const columns = Object.entries(eventColumns).map(([name, type]) => `${name} ${sqlTypes[type]}`);
  const run = (text: string) => connection.run(trusted(text));
  await run(`CREATE TABLE event (${columns.join(', ')})`);
  for (const [index, row] of fixtureRows.entries()) {
    const values = { ...defaults(index), ...row };
    const literals = Object.values(values).map((value) =>
      Array.isArray(value) ? `[${value.map(quoted).join(', ')}]` : quoted(value),
    );
    await run(
      `INSERT INTO event (${Object.keys(values).join(', ')}) VALUES (${literals.join(', ')})`,
    );
  }
  for (const { definition, narrow } of [leafTables.all, leafTables.odd, ...leafTables.each]) {
    await run(definition);
    await run(narrow.definition);
  }
}

const buffer = (condition: string, hasLossless = true): EventBranch => ({
  name: `buffer ${condition}`,
  rows: trusted(`(SELECT * FROM event WHERE ${condition})`),
  hasLossless,
  paths: null,
});

function segment({ name, paths, narrow }: LeafTable): EventBranch {
  const rows = trusted(`(SELECT * FROM ${name})`);
  return {
    name: `segment ${name}`,
    rows,
    parts: { rows, from: trusted(name), narrow: trusted(narrow.name), files: null, conditions: [] },
    hasLossless: name.includes('8') || name.includes('7'),
    paths,
  };
}

export const oneBranch: EventRelation = {
  branches: [
    { name: 'buffer 1', rows: sql`(SELECT * FROM event)`, hasLossless: true, paths: null },
  ],
};

const odd = new Set(['r1', 'r3', 'r5', 'r7']);

/** All rows; those that the buffer does not hold in `halves`; each row alone. */
const leafTables = {
  all: leafTable('leaf_1_to_8', fixtureRows),
  odd: leafTable(
    'leaf_1_3_5_7',
    fixtureRows.filter(({ id }) => odd.has(String(id))),
  ),
  each: fixtureRows.map((row, index) => leafTable(`leaf_${index + 1}`, [row])),
};

/** The same rows, stored in other ways. */
export const otherRelations: Readonly<Record<string, EventRelation>> = {
  'two buffers': { branches: [buffer('NOT _lossless', false), buffer('_lossless')] },
  'a segment': { branches: [segment(leafTables.all)] },
  'half and half': {
    branches: [segment(leafTables.odd), buffer("id NOT IN ('r1', 'r3', 'r5', 'r7')")],
  },
  'a segment for every row': { branches: leafTables.each.map(segment) },
};

/** One engine for the tests of a `describe`. */
export function sharedEngine(): () => Engine {
  let engine: Engine;
  before(async () => {
    engine = await openEngine();
  });
  after(() => engine.close());
  return () => engine;
}
