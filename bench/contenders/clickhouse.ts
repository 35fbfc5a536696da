// ClickHouse in this process, with its native JSON type for everything but the texts.
import path from 'node:path';
import { Session } from 'chdb';
import type { Dataset } from '../generator/dataset.js';
import type { AnswerRow, Contender, Surroundings } from './contender.js';
import type { LeafColumn } from './leaf-columns.js';

const storedColumns = {
  id: 'String',
  created: "DateTime64(3, 'UTC')",
  span_id: 'String',
  root_span_id: 'String',
  span_parents: 'Array(String)',
  tags: 'Array(String)',
  input: 'String',
  output: 'String',
  expected: 'String',
  scores: 'JSON',
  metadata: 'JSON',
  metrics: 'JSON',
  context: 'JSON',
  span_attributes: 'JSON',
} as const;

const variants = { text: 'String', flag: 'Bool' } as const;

/** The native type keeps whole and fractional numbers of one path apart. */
export function leafSql({ column, path: steps, type }: LeafColumn): string {
  const place = [column, ...steps.map((step) => `\`${step}\``)].join('.');
  if (type !== 'number') return `${place}.:${variants[type]}`;
  return `coalesce(${place}.:Float64, toFloat64(${place}.:Int64))`;
}

const createTable = (leafColumns: readonly LeafColumn[]): string => {
  const stored = Object.entries(storedColumns).map(([name, type]) => `${name} ${type}`);
  const leaves = leafColumns.map((leaf) => `${leaf.name} ALIAS ${leafSql(leaf)}`);
  const indexes = ['id', 'root_span_id'].map(
    (name) => `INDEX by_${name} ${name} TYPE bloom_filter GRANULARITY 1`,
  );
  return `CREATE TABLE event (${[...stored, ...leaves, ...indexes].join(', ')})
    ENGINE = MergeTree ORDER BY created`;
};

const names = Object.keys(storedColumns).join(', ');

const insertFrom = (dataset: Dataset): string => {
  const types = Object.entries(storedColumns).map(([name, type]) => `${name} ${type}`);
  return `INSERT INTO event (${names}) SELECT ${names}
    FROM file('${dataset.path}', 'JSONEachRow', $$${types.join(', ')}$$)
    SETTINGS date_time_input_format = 'best_effort', input_format_json_read_objects_as_strings = 1`;
};

/** Merged parts stay on disk for a while; they do not count. */
const activeBytes =
  "SELECT sum(bytes_on_disk) AS bytes FROM system.parts WHERE active AND table = 'event'";

export async function openClickhouse(surroundings: Surroundings): Promise<Contender> {
  const session = new Session(path.join(surroundings.directory, 'clickhouse'));
  const run = async (query: string): Promise<readonly AnswerRow[]> => {
    const answer = await session.queryAsync(query, { format: 'JSONEachRow' });
    return answer
      .text()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as AnswerRow);
  };
  await run(
    `SET max_threads = ${surroundings.threads}, max_memory_usage = ${surroundings.memoryMb}000000`,
  );
  await run(
    'SET allow_suspicious_types_in_group_by = 1, output_format_json_quote_64bit_integers = 0',
  );
  const [version] = await run('SELECT version() AS version');
  return {
    name: 'clickhouse',
    title: 'ClickHouse, native JSON',
    version: `ClickHouse ${String(version?.['version'])} (chdb)`,
    insert: async (dataset) => {
      await run(createTable(surroundings.leaves));
      await run(insertFrom(dataset));
    },
    run: (sql) => run(sql),
    settle: () => run('OPTIMIZE TABLE event FINAL'),
    answer: ({ clickhouse }) => run(clickhouse),
    bytesOnDisk: async () => Number((await run(activeBytes))[0]?.['bytes']),
    close: async () => session.close(),
  };
}
