// Whether a cluster answers as DuckDB does: queries over rows of constants, which both engines compute. They have each rule of the
// compiler's tables, and the texts, numbers and times on which engines tend to differ.
import { join, sql, word, type Sql } from '../../duckdb/sql.js';
import { pathKey, type LeafColumns, type SegmentPaths } from '../../schema/event-relation.js';
import { generateQuery, prepareQuery } from '../compile.js';
import { textRows } from '../sql/output.js';
import { parseQuery } from '../syntax/parse.js';
import { comparable, jsonOf } from './answer.js';
import { compileForTrino, type TrinoQuery } from './compile.js';

// prettier-ignore
const texts = [
  'a', 'ABC kiss', 'gpt-4%_\\', "it's", '', ' 1 ', '1d', 'inf', 'NaN', '1e23', '-.5E-3', '0x10', '1\n', 'straße', 'STRASSE', 'İi',
  'ΣΑΣ', '\u212aelvin', 'mo\u017fs', '😀', '豈', '\u001f\t"', '2024-02-29',
];

// prettier-ignore
const numbers = [0, 1, -1, 0.1, 0.2, 2.5, -0.5, 1e23, 5e-324, 1.7976931348623157e308, 9007199254740991, 1e7, 3];

// prettier-ignore
const times = [
  '0000-01-01 00:00:00', '1969-12-31 23:59:59.999999', '2024-02-29 12:34:56.789012', '2024-03-31 01:30:00', '2027-01-02 00:00:00',
  '9999-12-31 23:59:59.999999',
];

// prettier-ignore
const columns = [
  'object_id', 'object_kind', '_xact_id', 'root_span_id', '_position', 'id', 'created', 'is_root', 'tags', 'output', 's', 'n', 'm', 'b',
];

/** Each text is in one row, beside numbers and times in turn; a value in eleven or less is NULL. */
const row = (text: string, index: number): Sql => {
  const turn = <T>(values: readonly T[], by: number): T | null =>
    index % 11 === by ? null : (values[(index * (by + 1)) % values.length] ?? null);
  const list = index % 5 === 0 ? sql`NULL` : sql`ARRAY[${text}, ${'b'}]`;
  const number = (by: number) => sql`CAST(${turn(numbers, by)} AS double)`;
  return sql`(${'o'}, ${'experiment'}, ${BigInt(index + 1)}, ${'t'}, 0, ${`r${index}`}, CAST(${turn(times, 3)} AS timestamp(6)), ${index % 2 === 0}, ${list}, ${JSON.stringify(index % 4 === 0 ? [text] : text)}, CAST(${index === 7 ? null : text} AS varchar), ${number(1)}, ${number(4)}, CAST(${turn([true, false], 5)} AS boolean))`;
};

const rows = sql`(SELECT * FROM (VALUES ${join(texts.map(row))}) AS probe(${join(columns.map(word))}))`;

const leaf = (kind: keyof LeafColumns, name: string) => {
  const none = { number: null, string: null, boolean: null, elsewhere: null };
  return [pathKey([name]), { ...none, [kind]: name }] as const;
};

const paths: SegmentPaths = {
  metadata: {
    leaves: new Map([
      leaf('string', 's'),
      leaf('number', 'n'),
      leaf('number', 'm'),
      leaf('boolean', 'b'),
    ]),
    textPaths: new Set(),
    complete: true,
  },
};

/** Expressions with semicolons between them, in which `@` stands for `metadata.`. */
const expressions = (text: string): readonly string[] =>
  text.split(';').map((each) => each.trim().replaceAll('@', 'metadata.'));

/** An expression for each rule of operators, functions and nodes. */
export const scalarProbes = expressions(String.raw`
  @n + @m; @n - @m; @n * @m; @n / @m; @n % @m; -@n; (@n * @m) * 0.5; @n = @m / 0; @n / (@m / 0); @n * 1e300 * 1e300 is null;
  @n = 0.1; @n != 0.1; @n < 0.1; @n <= 0.1; @n > 0.1; @n >= 0.1; @n <=> @m; @n <=> null;
  @s = 'b'; @s != 'b'; @s < 'b'; @s <= 'b'; @s > 'b'; @s >= 'b'; @s <=> 'b'; @s <=> 1;
  @b = true; @b != true; @b < true; @b <= true; @b > true; @b >= true; @b <=> true;
  created = '2024-02-29T13:34:56.789012+01:00'; created != '2024-02-29'; created < '2024-02-29'; created >= '1970-01-01';
  not @b; @b and @n > 0; @b or @n > 0 or is_root; @b ? @s : id; @n is null;
  @s in ['a', 1, '😀']; @n in [0, 1e23, null]; created in ['2027-01-02'];
  tags includes 'b'; tags includes 'a'; contains(tags, 'straße');
  @s like '%4\\%_%'; @s like 'stra%e'; @s like ''; @s like 'gpt_4%'; output like '%i%'; output like 'ABC%';
  @s ilike 'K'; @s ilike 's%'; @s ilike '%KISS'; @s ilike 'strasse'; output ilike '%K%';
  coalesce(@s, 'none'); coalesce(@n, @m, 0); concat(@s, '-', id); len(@s); len(tags);
  abs(@n); floor(@n); ceil(@n); to_string(@s); to_number(@s); to_number(@b); to_integer(@n);
  second(created); minute(created); hour(created); day(created); week(created); month(created); year(created);
  date_trunc('quarter', created); now(); current_timestamp(); current_date(); now() - interval 1 week;
  created + interval 1 month; created - interval 90 minutes; created + interval 1 year; created - interval 3 milliseconds;
  _xact_id; experiment_id; @s; @n; tags`);

/** An expression for each aggregate. */
const aggregateProbes = expressions(String.raw`
  count(*); count(@n); count(@s); count_distinct(@s); count_distinct(@n); count_distinct(created);
  sum(@b); sum(len(@s) * 0.1); sum(@n > 9); avg(len(@s)); avg(@b);
  min(@n); max(@n); min(@s); max(@s); min(created); max(created); max(@b);
  percentile(len(@s), 0.5); percentile(@n / 3, 0.95); percentile(@n, 0); percentile(to_number(id), 0.5)`);

const outputs = (probes: readonly string[]) =>
  probes.map((probe, index) => `${probe} as p${index}`).join(', ');

const queries = {
  rows: `select: ${outputs(scalarProbes)} | from: experiment('o') | sort: metadata.s, id | limit: 100`,
  sorted: `select: id | from: experiment('o') | sort: metadata.n desc, created, metadata.b desc | limit: 7`,
  totals: `measures: ${outputs(aggregateProbes)} | from: experiment('o')`,
  groups: `dimensions: metadata.b as b, week(created) as w | measures: ${outputs(aggregateProbes)} | from: experiment('o') | filter: metadata.n is not null | final_filter: count(*) > 0 | sort: w desc`,
};

export interface ConformanceQuery {
  readonly name: string;
  readonly trino: TrinoQuery;
  /** For DuckDB: SELECT of the JSON text of each row. */
  readonly texts: Sql;
}

/** In New York by minutes; the hour is one of a leap day. */
const context = { timeZone: 300, nowMicros: 1_709_209_999_123_456n };

export const conformanceQueries = (): readonly ConformanceQuery[] =>
  Object.entries(queries).map(([name, text]) => {
    const prepared = prepareQuery(parseQuery(text));
    const trino = compileForTrino(prepared, {
      table: { from: rows, segments: [paths] },
      objectIds: ['o'],
      context,
    });
    if ('declined' in trino) throw new Error(`conformance ${name}: ${trino.declined}`);
    const branches = [{ name: 'probe', rows, hasLossless: false, paths }];
    const { columns: types, rows: all } = generateQuery(prepared, {
      ...context,
      relation: { branches },
    });
    return { name, trino, texts: textRows(types, all) };
  });

/**
 * Where the answers differ, in one sentence; null if they agree.
 * @param expected the JSON text of each row of DuckDB's answer
 * @param found the rows of Trino's answer
 */
export function difference(
  { name, trino }: ConformanceQuery,
  expected: readonly string[],
  found: readonly (readonly unknown[])[],
): string | null {
  if (expected.length !== found.length)
    return `${name}: ${expected.length} rows are ${found.length}`;
  const names = name === 'rows' ? scalarProbes : trino.columns.map((column) => column.name);
  for (const [index, text] of expected.entries()) {
    const values = Object.values(JSON.parse(text) as object);
    for (const [place, column] of trino.columns.entries()) {
      const [ours, theirs] = [values[place], jsonOf(column, found[index]?.[place])].map(comparable);
      if (ours !== theirs) return `${name}, row ${index}, ${names[place]}: ${ours} is ${theirs}`;
    }
  }
  return null;
}
