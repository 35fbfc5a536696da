// The table of a project for tests that run nothing: typed paths, and a path of each sort that declines.
import {
  pathKey,
  type ColumnPaths,
  type LeafColumns,
  type SegmentPaths,
} from '../../../src/schema/event-relation.js';
import { prepareQuery } from '../../../src/query/compile.js';
import { compileForTrino } from '../../../src/query/trino/compile.js';
import type { QueryAst } from '../../../src/query/syntax/ast.js';
import { tableAt, type TrinoTable } from '../../../src/query/trino/table.js';
import { testTime } from '../golden-file.js';

type Kind = keyof LeafColumns;

const leaf = (name: string, ...kinds: readonly Kind[]): LeafColumns => ({
  number: kinds.includes('number') ? name : null,
  string: kinds.includes('string') ? (kinds.includes('number') ? `${name}~2` : name) : null,
  boolean: kinds.includes('boolean') ? name : null,
  elsewhere: kinds.includes('elsewhere') ? `${name}~elsewhere` : null,
});

const paths = (
  field: string,
  kinds: Readonly<Record<string, readonly Kind[]>>,
  texts: readonly string[] = [],
): ColumnPaths => ({
  leaves: new Map(
    Object.entries(kinds).map(([path, of]) => {
      const steps = path.split('/');
      return [pathKey(steps), leaf([field, ...steps].join('/'), ...of)] as const;
    }),
  ),
  textPaths: new Set(texts.map((path) => pathKey(path.split('/')))),
  complete: true,
});

const numbers = (...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, ['number'] as const]));
const strings = (...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, ['string'] as const]));

const segment: SegmentPaths = {
  metadata: paths(
    'metadata',
    {
      ...strings('a', 'model', 'environment', 'user_id', 'language', 'method', 'w', 'größe'),
      ...strings('customer/tier', 'escalation/reason'),
      ...numbers('b', 'n', 'cost_usd', 'steps', 'problem', 'escalation/level'),
      cached: ['boolean'],
      v: ['number', 'string'],
      odd: ['string', 'elsewhere'],
    },
    ['list', 'deep'],
  ),
  scores: paths('scores', numbers('a', 'b', 'x', 'y', 'Factuality', 'Relevance', 'correct')),
  metrics: paths('metrics', numbers('start', 'end', 'tokens', 'prompt_tokens')),
  input: paths('input', strings('a', 'b'), ['']),
  output: paths('output', numbers('a', 'b')),
  expected: paths('expected', strings('a')),
  span_attributes: paths('span_attributes', strings('name', 'type', 'purpose')),
};

export const table: TrinoTable = {
  from: tableAt(['evalstore', 'p1', 'events'], 7),
  segments: [segment, { ...segment, metadata: paths('metadata', strings('model')) }],
};

/** What the compiler makes of a query. */
export const trinoOf = (ast: QueryAst, timeZone: number | string = 0) =>
  compileForTrino(prepareQuery(ast), {
    table,
    objectIds: ['o1'],
    context: { timeZone, nowMicros: testTime },
  });
