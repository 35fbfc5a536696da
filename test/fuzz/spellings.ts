// Random queries in each of their spellings: as clauses, as JSON and as SQL they have one answer.
import { expect } from 'chai';
import * as fc from 'fast-check';
import type { Expr, ExpressionItem, QueryAst } from '../../src/query/syntax/ast.js';
import { parseQuery } from '../../src/query/syntax/parse.js';
import { printExpression } from '../../src/query/syntax/print.js';
import { jsonForm } from '../query/json-form.js';
import { newSeed } from '../support/seed.js';
import { doubleQuoted } from './print.js';
import { request, type Request } from './arbitrary-query.js';
import { queryText } from './query.js';
import { openState, sourceOf, type State, type StateName } from './states.js';

export type Spelling = 'json' | 'sql';

/** Null for a query that the spelling has no words for. */
const spellings: Readonly<Record<Spelling, (ast: QueryAst) => unknown>> = {
  json: (ast) => (new Set(ast.from.map(({ kind }) => kind)).size === 1 ? jsonForm(ast) : null),
  sql: (ast) => {
    const { sample, unpivot, pivot, previewLength, traceFilter, spanFilter } = ast;
    const isPlain =
      unpivot.length + pivot.length === 0 &&
      [sample, previewLength, traceFilter, spanFilter].every((part) => part === null);
    return isPlain ? sqlForm(ast) : null;
  },
};

/**
 * Aggregates whose answers can differ between two runs of one query: any value is as good as another, and a sum of integers
 * beyond 2^53 that cancel each other depends on the order in which threads add them.
 */
const varying = /any_value|\b(sum|avg|stddev)\([^)]*\bbig\b/;

interface Compared {
  readonly queries: number;
  /** Those that had rows. */
  readonly answered: number;
  readonly failure: string | null;
}

async function compareSpellings(
  spelling: Spelling,
  { seed, queries, state: name }: { seed: number; queries: number; state: StateName },
): Promise<Compared> {
  const state = await openState(name, seed);
  const tally = { queries: 0, answered: 0 };
  const drawn = request.filter(({ query, source }) => {
    const text = queryText(query, sourceOf(state.conversation, source).text);
    return !varying.test(text) && spellings[spelling](parseQuery(text)) !== null;
  });
  try {
    const details = await fc.check(
      fc.asyncProperty(fc.noBias(drawn), async (each) => {
        tally.queries += 1;
        tally.answered += Number(await compare(state, each, spelling));
      }),
      { seed, numRuns: queries },
    );
    return { ...tally, failure: details.failed ? String(details.errorInstance) : null };
  } finally {
    await state.server.stop();
  }
}

/** @returns whether there were rows */
async function compare(state: State, each: Request, spelling: Spelling): Promise<boolean> {
  const text = queryText(each.query, sourceOf(state.conversation, each.source).text);
  const other = spellings[spelling](parseQuery(text));
  const ask = (query: unknown) =>
    state.server.request('POST', '/query', { query, tz_offset: each.zone ?? undefined });
  const [wanted, got] = [await ask(text), await ask(withoutMaps(other))];
  const [first, second] = [answerOf(wanted), answerOf(got)];
  if (first === second) return wanted.status === 200 && !first.startsWith('{"data":[]');
  throw new Error(`${text}\n${JSON.stringify(withoutMaps(other))}\n${first}\n${second}`);
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** The rows and their types, or why there are none; not the cursor, whose code is about the whole query. */
function answerOf({ status, text }: Answer): string {
  if (status !== 200) return `${status} ${text.replace(/^query[^:]*: /, '')}`;
  return text.slice(0, text.indexOf('"freshness"')).replace(/,"cursor":.*/, '');
}

const withoutMaps = (value: unknown): unknown => {
  if (value instanceof Map)
    return Object.fromEntries(Array.from(value, ([key, part]) => [key, withoutMaps(part)]));
  if (Array.isArray(value)) return value.map(withoutMaps);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withoutMaps(part)]));
};

function sqlForm(ast: QueryAst): string {
  const { select, dimensions, measures, filter, finalFilter, sort, limit } = ast;
  const keys = dimensions.map((_, index) => String(index + 1));
  const isDistinct = select === null && measures.length === 0 && finalFilter === null;
  const items = (select ?? [...dimensions, ...measures]).map((item) =>
    item.kind === 'star' ? '*' : itemText(item),
  );
  const sources = ast.from.map(({ kind, id }) => `${kind}('${id}')`).join(', ');
  return [
    `SELECT ${isDistinct ? 'DISTINCT ' : ''}${items.join(', ')}`,
    `FROM ${sources} ${ast.shape}`,
    filter === null ? '' : `WHERE ${sqlText(filter)}`,
    isDistinct || keys.length === 0 ? '' : `GROUP BY ${keys.join(', ')}`,
    finalFilter === null ? '' : `HAVING ${sqlText(finalFilter)}`,
    sort.length === 0
      ? ''
      : `ORDER BY ${sort.map((item) => `${sortText(item.expression)}${item.descending ? ' DESC' : ''}`).join(', ')}`,
    limit === null ? '' : `LIMIT ${limit}`,
  ].join('\n');
}

const itemText = ({ expression, alias }: ExpressionItem): string =>
  `${sqlText(expression)}${alias === null ? '' : ` AS ${doubleQuoted(alias)}`}`;

/** A name by itself may be an alias. */
const sortText = (expression: Expr): string =>
  expression.kind === 'path' && expression.steps.length === 1
    ? doubleQuoted(expression.steps[0])
    : sqlText(expression);

const types: Readonly<Record<string, string>> = {
  to_string: 'text',
  to_number: 'double',
  to_integer: 'integer',
  to_boolean: 'boolean',
  to_date: 'date',
  to_datetime: 'timestamp',
};

/** In the words of SQL where it has some, all operands in parentheses. */
function sqlText(expression: Expr): string {
  const of = (part: Expr | undefined) => `(${part === undefined ? '' : sqlText(part)})`;
  switch (expression.kind) {
    case 'call': {
      const { name, args } = expression;
      if (args === 'star') return `${name}(*)`;
      if (name === 'count_distinct') return `COUNT(DISTINCT ${of(args[0])})`;
      if (name in types) return `CAST(${of(args[0])} AS ${types[name]})`;
      return `${name}(${args.map(sqlText).join(', ')})`;
    }
    case 'unary':
      return `${expression.operator} ${of(expression.operand)}`;
    case 'binary':
      return `${of(expression.left)} ${expression.operator} ${of(expression.right)}`;
    case 'in':
      return expression.list.length === 0
        ? printExpression(expression)
        : `${of(expression.operand)} IN (${expression.list.map(sqlText).join(', ')})`;
    case 'isNull':
      return `${of(expression.operand)} IS NULL`;
    case 'conditional':
      return `CASE WHEN ${sqlText(expression.condition)} THEN ${sqlText(expression.whenTrue)} ELSE ${sqlText(expression.otherwise)} END`;
    default:
      return printExpression(expression);
  }
}

/** A query as JSON, and one as SQL, has the answer of its clauses. `queries` says how many of each. */
export function spellingsAgree(queries: Readonly<Record<Spelling, number>>): void {
  for (const spelling of ['json', 'sql'] as const)
    it(`${spelling}: have the answers of their texts`, async () => {
      const seed = newSeed();
      process.stdout.write(`      seed ${seed}\n`);
      const count = queries[spelling];
      const options = { seed, queries: count, state: 'half' } as const;
      const { answered, failure } = await compareSpellings(spelling, options);
      expect(failure ?? '').to.equal('');
      expect(answered).to.be.at.least(0.4 * count);
    });
}
