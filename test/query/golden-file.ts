// Golden transcripts: a query and what the compiler and the engine make of it.
//
//   # name
//   select: id | from: experiment('e1')
//   ---- rows
//
// or `---- error` alone. `---- tz` (minutes) is an input too. A few cases also show the SQL of one part of the generator, which
// `---- shows` names: so a change of the generator changes few lines, and a reader sees all of them.
//
//   ---- shows
//   the SQL of a sort by a path
//   ---- sql
//   ---- params
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { toStatement } from '../../src/duckdb/sql.js';
import { QueryError } from '../../src/errors.js';
import type { EventRelation } from '../../src/schema/event-relation.js';
import {
  compileQuery,
  generatePivotValues,
  generateQuery,
  prepareQuery,
  type CompiledQuery,
} from '../../src/query/compile.js';
import type { CursorReader, PagePosition } from '../../src/query/cursor/page-cursor.js';
import { cursorOf } from '../../src/query/cursor/query-cursor.js';
import type { QueryAst } from '../../src/query/syntax/ast.js';
import { readJsonQuery } from '../../src/query/syntax/json/query.js';
import { parseQuery } from '../../src/query/syntax/parse.js';
import { parseJson } from '../../src/json/parse.js';
import { pivotValues } from '../../src/query/bind/pivot.js';
import { oneBranch, otherRelations, type Engine } from './fixture.js';
import { isSameSql, laidOut } from './golden-sql.js';

export interface GoldenCase {
  readonly name: string;
  readonly query: string;
  readonly sections: ReadonlyMap<string, string>;
}

const folder = fileURLToPath(new URL('../../../grammar/golden/', import.meta.url));

export const goldenFiles = (): readonly string[] =>
  readdirSync(folder).filter((name) => name.endsWith('.txt'));

export function readGolden(file: string): readonly GoldenCase[] {
  const text = readFileSync(folder + file, 'utf8');
  return text
    .split(/^# /m)
    .slice(1)
    .map((part) => {
      const [head = '', ...bodies] = part.split(/^---- /m);
      const [name = '', ...query] = head.split('\n');
      const sections = bodies.map((body): [string, string] => {
        const end = body.indexOf('\n');
        return [body.slice(0, end), body.slice(end + 1).trimEnd()];
      });
      return { name, query: query.join('\n').trim(), sections: new Map(sections) };
    });
}

const order = ['shows', 'tz', 'error', 'sql', 'params', 'warnings', 'rows'];

export function writeGolden(file: string, cases: readonly GoldenCase[]): void {
  const text = cases.map(({ name, query, sections }) => {
    const parts = order
      .filter((section) => sections.has(section))
      .map((section) => `---- ${section}\n${sections.get(section)}\n`);
    return `# ${name}\n${query}\n${parts.join('')}`;
  });
  writeFileSync(folder + file, text.join('\n'));
}

/** What the sections of a case should be; rows and columns have to be the same however the rows are stored. */
export async function actualSections(
  { query, sections }: GoldenCase,
  engine: Engine,
): Promise<ReadonlyMap<string, string>> {
  const tz = sections.get('tz');
  const given = [...sections].filter(([name]) => name === 'tz' || name === 'shows');
  try {
    const compiled = await compileIn(engine, query, oneBranch, Number(tz ?? 0));
    await engine.explain(compiled.rows);
    const rows = await rowsOf(compiled, engine);
    for (const [name, relation] of Object.entries(otherRelations)) {
      const other = await compileIn(engine, query, relation, Number(tz ?? 0));
      expect(await rowsOf(other, engine), name).to.equal(rows);
      expect(other.columns, name).to.deep.equal(compiled.columns);
    }
    return new Map([
      ...given,
      ...(sections.has('shows') ? sqlSections(compiled) : []),
      ...(compiled.warnings.length === 0
        ? []
        : ([['warnings', compiled.warnings.join('\n')]] as const)),
      ['rows', rows],
    ]);
  } catch (error) {
    if (error instanceof QueryError) return new Map([...given, ['error', error.message]]);
    throw error;
  }
}

function sqlSections({ rows }: CompiledQuery): readonly (readonly [string, string])[] {
  const { text, values } = toStatement(rows);
  return [
    ['sql', text],
    ['params', printedValues(values)],
  ];
}

/** The SQL as the case has it, unless more than its layout differs; it is laid out then. */
export function withLayoutOf(
  { sections }: GoldenCase,
  actual: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const [kept, text] = [sections.get('sql'), actual.get('sql')];
  if (text === undefined) return actual;
  const shown = kept !== undefined && isSameSql(kept, text) ? kept : laidOut(text);
  return new Map([...actual, ['sql', shown]]);
}

/**
 * What a case says once it is written anew. Rows that it has are what the language means: they stay, also where
 * the query gives others by now, or is refused.
 */
export function rewritten(golden: GoldenCase, actual: ReadonlyMap<string, string>): GoldenCase {
  const rows = golden.sections.get('rows');
  const kept: readonly (readonly [string, string])[] = rows === undefined ? [] : [['rows', rows]];
  return { ...golden, sections: new Map([...actual, ...kept]) };
}

export const testTime = 1_735_900_000_000_000n;

export const reader: CursorReader = { secret: Buffer.alloc(32, 7), orgId: 'org' };

/** A query that begins with a brace is JSON. */
export const astOf = (query: string): QueryAst =>
  query.startsWith('{') ? readJsonQuery(parseJson(query)) : parseQuery(query);

export function compile(query: string, relation: EventRelation, timeZone = 0): CompiledQuery {
  const ast = astOf(query);
  const after = positionIn(ast);
  return compileQuery(ast, { relation, after, timeZone, nowMicros: testTime });
}

function positionIn(ast: QueryAst): PagePosition | null {
  const cursor = cursorOf(ast, reader);
  return cursor && { ...cursor, rootSpanId: cursor.rootSpanId ?? '' };
}

/** Runs the query that finds the columns of a `pivot` first. */
async function compileIn(
  engine: Engine,
  query: string,
  relation: EventRelation,
  timeZone: number,
): Promise<CompiledQuery> {
  const ast = astOf(query);
  const after = positionIn(ast);
  const options = { relation, after, timeZone, nowMicros: testTime };
  const prepared = prepareQuery(ast);
  const values = generatePivotValues(prepared, options);
  if (values === null) return generateQuery(prepared, options);
  const rows = await engine.all(values);
  const texts = rows.map(({ row }) => String(row));
  return generateQuery(prepareQuery(ast, pivotValues(ast, texts)), options);
}

const printedValues = (values: readonly unknown[]): string =>
  JSON.stringify(values, (_key, value: unknown) =>
    typeof value === 'bigint' ? `${value}n` : value,
  );

async function rowsOf(compiled: CompiledQuery, engine: Engine): Promise<string> {
  const rows = await engine.result(compiled.columns, compiled.valueRows);
  return rows.map(({ text, kinds }) => `${kinds} ${text}`).join('\n');
}
