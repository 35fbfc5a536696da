// Random queries for readers of frames, with types for some of their paths.
import * as fc from 'fast-check';
import { RequestError } from '../../../src/errors.js';
import { pathTypes, type TypeName } from '../../../src/query/bind/path-types.js';
import { generateQuery, prepareQuery, type PreparedQuery } from '../../../src/query/compile.js';
import { parseQuery } from '../../../src/query/syntax/parse.js';
import { query as anyQuery } from '../../fuzz/arbitrary-query.js';
import type { Expr } from '../../fuzz/expression.js';
import { expressionText, type Style } from '../../fuzz/print.js';
import { clocks } from '../../fuzz/signatures.js';
import { outputsOf, queryText, type Query } from '../../fuzz/query.js';
import { oneBranch } from '../../query/fixture.js';
import { testTime } from '../../query/golden-file.js';

export interface FrameQuery {
  /** The source is the word `source()`. */
  readonly text: string;
  /** Of all paths of JSON in its columns. */
  readonly types: Readonly<Record<string, TypeName>>;
  /** For each column: whether its type is the same whichever rows there are. */
  readonly areFixed: readonly boolean[];
}

const typeNames = [
  ...(['boolean', 'bigint', 'double', 'varchar', 'timestamp', 'json'] as const),
] satisfies readonly TypeName[];

type Node<K extends Expr['kind']> = Extract<Expr, { readonly kind: K }>;

function nodesIn<K extends Expr['kind']>(kind: K, value: unknown): readonly Node<K>[] {
  if (typeof value !== 'object' || value === null) return [];
  const inside = Object.values(value).flatMap((part) => nodesIn(kind, part));
  return 'kind' in value && value.kind === kind ? [value as Node<K>, ...inside] : inside;
}

/** Other sums depend on the order in which threads add integers beyond 2^53. */
const isExact = ({ name, args }: Node<'aggregate'>): boolean =>
  name !== 'any_value' &&
  (!['sum', 'avg', 'stddev'].includes(name) ||
    nodesIn('path', args).every(({ field }) => field === 'scores'));

/** Queries whose values are the same when they are asked again, and whose columns do not depend on the rows. */
const isStable = (query: Query): boolean =>
  query.pivot.length === 0 &&
  !nodesIn('apply', query).some(({ op }) => (clocks as readonly string[]).includes(op)) &&
  nodesIn('aggregate', query).every(isExact);

/** Python has no years before 1 and after 9999. */
export const withinYears = (text: string): string =>
  text.replaceAll('0000-01-01', '1000-01-01').replaceAll('9999-12-31', '2999-12-31');

/** Whether a request can give the path a type: it is a path of JSON in a column. */
function isTypable(name: string, { ast, bound }: PreparedQuery): boolean {
  try {
    pathTypes({ [name]: 'json' }, ast, bound);
    return true;
  } catch (error) {
    if (error instanceof RequestError) return false;
    throw error;
  }
}

const source = "project_logs('source')";
const plain: Style = { parentheses: 'all', aliases: [] };

function frameQuery(query: Query): FrameQuery {
  const text = withinYears(queryText(query, source));
  const prepared = prepareQuery(parseQuery(text));
  const paths = nodesIn('path', outputsOf(query)).map((path) => expressionText(path, plain));
  const types = Object.fromEntries(
    [...new Set(paths)]
      .filter((name) => isTypable(name, prepared))
      .map((name, index) => [name, typeNames[(text.length + index) % typeNames.length]!] as const),
  );
  const { columns } = generateQuery(prepared, {
    relation: oneBranch,
    types: pathTypes(types, prepared.ast, prepared.bound),
    timeZone: 0,
    nowMicros: testTime,
  });
  return {
    text: text.replace(source, 'source()'),
    types,
    areFixed: columns.map(({ typedAs = null }) => typedAs !== null),
  };
}

export const frameQueries = (seed: number, count: number): readonly FrameQuery[] =>
  fc.sample(fc.noBias(anyQuery).filter(isStable).map(frameQuery), { seed, numRuns: count });
