// Rows of mixed JSON that the query tests read, and an engine that holds them.
import { tmpdir } from 'node:os';
import { DuckDBScalarFunction, VARCHAR } from '@duckdb/node-api';
import type { Connection } from '../../src/duckdb/connection.js';
import { Database } from '../../src/duckdb/database.js';
import type { Row } from '../../src/duckdb/rows.js';
import { sql, type Sql } from '../../src/duckdb/sql.js';
import { canonicalJson } from '../../src/json/canonical.js';
import { extractJson, type JsonStep } from '../../src/json/extract.js';
import { eventColumns, type ColumnType } from '../../src/schema/event-columns.js';
import type { EventRelation } from '../../src/schema/event-relation.js';

const sqlTypes: Readonly<Record<ColumnType, string>> = {
  bigint: 'BIGINT',
  integer: 'INTEGER',
  string: 'VARCHAR',
  strings: 'VARCHAR[]',
  boolean: 'BOOLEAN',
  timestamp: 'TIMESTAMP',
  json: 'VARCHAR',
};

export type FixtureRow = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** `metadata.v` holds something else in every row; r7 holds numbers that no double holds. */
export const fixtureRows: readonly FixtureRow[] = [
  {
    id: 'r1',
    created: '2024-01-01 05:00:00',
    input: '"What is 2+2?"',
    output: '"4"',
    scores: '{"x":1,"y":0.25}',
    metadata: '{"model":"gpt-4","v":1,"w":1,"when":"2024-01-01T05:00:00Z"}',
    metrics: '{"start":10,"end":12.5,"tokens":100}',
    tags: ['a', 'b'],
    span_attributes: '{"name":"root","type":"task"}',
  },
  {
    id: 'r2',
    created: '2024-01-01 23:30:00.5',
    input: '{"q":"capital of France","n":[1,2,{"k":null}]}',
    output: '"Paris"',
    expected: '"Paris"',
    scores: '{"x":0.5}',
    metadata: '{"model":"gpt-4","v":"1","w":1,"a key":{"b":true}}',
    metrics: '{"start":1,"end":4}',
    tags: ['b'],
  },
  {
    id: 'r3',
    created: '2024-01-02 00:00:00.000001',
    input: '[1,"two",{"b":2,"a":[1]},null]',
    scores: '{"x":0}',
    metadata: '{"model":"claude","v":true,"w":"true","0":"zero","":"empty","*":"star"}',
    tags: [],
  },
  {
    id: 'r4',
    created: '2024-02-10 12:00:00',
    input: '"50% of caf\u00e9_s"',
    scores: '{"x":null,"y":1}',
    metadata: '{"model":"claude","v":[1,{"b":2,"a":1.0}],"w":[1,{"a":1,"b":2}]}',
  },
  {
    id: 'r5',
    created: '2024-02-11 12:00:00',
    input: '42',
    scores: '{"x":true}',
    metadata: '{"model":null,"v":{"b":2,"a":1},"w":{"a":1.0,"b":2}}',
  },
  {
    id: 'r6',
    created: '2024-03-31 12:00:00',
    metadata: '{"v":null,"model":"gpt-4","say":"it\'s \\"q\\" \\\\ done"}',
    scores: '{"x":0.75,"y":0.5}',
    object_kind: 'project_logs',
    object_id: 'p1',
    span_parents: ['s1'],
    root_span_id: 's1',
    is_root: false,
  },
  {
    id: 'r7',
    created: '2025-01-01 00:00:00',
    _lossless: true,
    input: '9007199254740993',
    metadata:
      '{"v":9007199254740993,"big":1e400,"dec":0.1000000000000000055511151231257827,"model":7}',
  },
  {
    id: 'r8',
    created: '2025-01-02 00:00:00',
    object_kind: 'dataset',
    object_id: 'd1',
    expected: 'false',
    output: '"\\u001f/"',
    tags: ['\u001f'],
    metadata: '{"v":"\u{1f600}","model":"Gpt-4","w":"\\u001f/","list":["\\u001f"]}',
  },
];

const defaults = (index: number): FixtureRow => ({
  _xact_id: 1000196022104358912 + Math.floor(index / 2) * 1000,
  _position: index % 2,
  _deleted: false,
  _lossless: false,
  object_kind: 'experiment',
  object_id: 'e1',
  project_id: 'p1',
  org_id: 'o1',
  span_id: `s${index + 1}`,
  root_span_id: `s${index + 1}`,
  is_root: true,
});

const scalarFunction = (
  name: string,
  parameters: number,
  work: (args: readonly string[]) => string | null,
): DuckDBScalarFunction =>
  DuckDBScalarFunction.create({
    name,
    returnType: VARCHAR,
    parameterTypes: Array.from({ length: parameters }, () => VARCHAR),
    mainFunction: (_info, chunk, output) => {
      for (let row = 0; row < chunk.rowCount; row += 1) {
        const args = chunk.getRowValues(row);
        output.setItem(row, args.some((arg) => arg === null) ? null : work(args.map(String)));
      }
      output.flush();
    },
  });

const functions = [
  scalarFunction('json_canonical', 1, ([text = '']) => canonicalJson(text)),
  scalarFunction('json_exact', 2, ([text = '', steps = '[]']) =>
    extractJson(text, JSON.parse(steps) as JsonStep[]),
  ),
];

export interface Engine {
  readonly all: (query: Sql) => Promise<readonly Row[]>;
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
  const database = await Database.open(':memory:', settings, functions);
  const connection = await database.connect();
  await createEvents(connection);
  return {
    all: (query) => connection.read(query),
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
  const run = (text: string) => connection.run({ parts: [text] });
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
}

const quoted = (value: unknown): string =>
  typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);

export const oneArm: EventRelation = {
  arms: [{ name: 'buffer 1', rows: sql`(SELECT * FROM event)`, hasLossless: true, paths: null }],
};

/** The same rows, stored in two places. */
export const twoArms: EventRelation = {
  arms: [
    {
      name: 'buffer 1',
      rows: sql`(SELECT * FROM event WHERE NOT _lossless)`,
      hasLossless: false,
      paths: null,
    },
    {
      name: 'buffer 2',
      rows: sql`(SELECT * FROM event WHERE _lossless)`,
      hasLossless: true,
      paths: null,
    },
  ],
};
