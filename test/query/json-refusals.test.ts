// What a query that is JSON is refused for, and where its message says that it is.
import { parseJson } from '../../src/json/parse.js';
import { branch } from './json-form.js';
import {
  areRefused,
  call,
  compileJson,
  eq,
  filtered,
  from,
  ident,
  literal,
  many,
  read,
  selected,
  star,
  type Refusal,
} from './json-nodes.js';

describe('queries as JSON', () => {
  const refusals: readonly Refusal[] = [
    ['no object', () => read([]), 'query: expected an object, got an array'],
    ['no source', () => read({ select: star }), 'query: missing "from", for example {"op"'],
    [
      'nothing to select',
      () => read({ from }),
      'query: missing "select", or "dimensions" and "measures"',
    ],
    [
      'an empty select',
      () => read({ select: [], from }),
      'query: "select" is empty: select all fields with {"op": "star"}',
    ],
    [
      'select beside measures',
      () => read({ select: star, measures: [{ expr: call('count', { op: 'star' }) }], from }),
      'query: "dimensions" and "measures" cannot be combined with "select": remove one of them',
    ],
    [
      'an unknown clause',
      () => read({ selct: star, from }),
      'query: unknown member "selct" (did you mean \'select\'?)',
    ],
    [
      'custom columns',
      () => read({ select: star, from, custom_columns: [1] }),
      'query.custom_columns: not supported: name the expressions with "alias" in "select"',
    ],
    [
      'a star in an expression',
      () => filtered({ op: 'star' }),
      'query.filter.op: a star is allowed only in "select" and as the argument of count',
    ],
    [
      'a shape of a function',
      () => selected({ ...call('now'), shape: 'spans' }),
      'query.select[0].expr: "shape" belongs to the source in "from"',
    ],
    [
      'a long interval',
      () => selected({ op: 'interval', value: 1e9 + 1, unit: 'day' }),
      'query.select[0].expr: an interval has at most 1000000000 of its units',
    ],
    [
      'a number beyond all doubles',
      () => selected(parseJson('{"op": "literal", "value": [1e999]}')),
      'query.select[0].expr.value: the number is too large',
    ],
    [
      'many conditions',
      () => selected({ op: 'if', conds: many(101, branch(literal(true), literal(1))) }),
      'query.select[0].expr: the conditions are nested deeper than 100 levels',
    ],
    [
      'the name of a column of pivot',
      () =>
        read({
          from,
          measures: [{ expr: call('now') }],
          pivot: [{ expr: ident('n'), alias: 'm' }],
        }),
      'query.pivot[0].alias: not supported: the columns are named by their values',
    ],
    [
      'nothing in from',
      () => read({ select: star, from: [] }),
      'query.from: expected a source, for example {"op": "function"',
    ],
    [
      'an object as text',
      () => filtered({ btql: 1 }),
      'query.filter.btql: expected the text of an expression, got 1',
    ],
    [
      'a filter of traces beside spans',
      () => compileJson({ select: star, from, trace_filter: literal(true) }),
      "query.trace_filter: trace_filter requires the shape 'traces' or 'summary': use 'filter'",
    ],
    [
      'a filter of the rows of traces beside spans',
      () => compileJson({ select: star, from, span_filter: literal(true) }),
      "query.span_filter: span_filter requires the shape 'traces': use 'filter'",
    ],
    [
      'what to infer',
      () => read({ infer: [literal(1)], from }),
      'query.infer[0]: expected an "ident" or a "star"',
    ],
    [
      'nothing to infer',
      () => read({ infer: [], from }),
      'query.infer: expected at least one path, or {"op": "star"}',
    ],
    [
      'an order of what is inferred',
      () => read({ infer: star, from, sort: [{ expr: ident('id') }] }),
      "query.infer[0]: 'sort' cannot be combined with 'infer': remove one of them",
    ],
    [
      'a source that is a name',
      () => read({ select: star, from: ident('experiment') }),
      'query.from: expected a source, for example {"op": "function"',
    ],
    [
      'an unknown source',
      () => read({ select: star, from: call('experimnt', literal('e1')) }),
      'query.from.name: unknown source "experimnt" (did you mean \'experiment\'?): expected one of experiment, project_logs, dataset, project',
    ],
    [
      'no id',
      () => read({ select: star, from: call('experiment') }),
      'query.from: expected at least one id in "args"',
    ],
    [
      'an id that is a number',
      () => read({ select: star, from: call('experiment', literal('e1'), literal(2)) }),
      'query.from.args[1]: expected an id, as {"op": "literal", "value": "<id>"}',
    ],
    [
      'an unknown shape',
      () => read({ select: star, from: { ...from, shape: 'tree' } }),
      'query.from.shape: expected one of "spans", "traces", "summary", "versions", got "tree"',
    ],
    [
      'a star with replacements',
      () => read({ select: [{ op: 'star', replace: { id: literal(1) } }], from }),
      'query.select[0].replace: not supported: select the fields by name',
    ],
    [
      'an item that is an expression',
      () => read({ select: [ident('id')], from }),
      'query.select[0]: unknown member "op"',
    ],
    [
      'an item that is a text',
      () => read({ select: ['id'], from }),
      'query.select[0]: expected {"expr": …, "alias": …}, got "id"',
    ],
    [
      'an unknown operation',
      () => filtered({ op: 'and', children: [literal(1), literal(1), { op: 'eqq' }] }),
      'query.filter.children[2].op: unknown operation "eqq" (did you mean \'eq\'?)',
    ],
    [
      'no operation',
      () => filtered({ left: 1 }),
      'query.filter: expected an expression such as {"op": "ident", "name": ["id"]}: "op" is missing',
    ],
    [
      'an unknown member',
      () => filtered({ ...eq(ident('id'), literal(1)), rihgt_: 1 }),
      'query.filter: unknown member "rihgt_"',
    ],
    [
      'a missing side',
      () => filtered({ op: 'eq', left: ident('id') }),
      'query.filter: expected "right", an expression such as',
    ],
    [
      'a list that is no constant',
      () => filtered({ op: 'in', left: ident('id'), right: ident('tags') }),
      'query.filter.right: expected a literal whose value is an array',
    ],
    [
      'a path without name',
      () => selected(ident()),
      'query.select[0].expr.name: expected at least one name',
    ],
    [
      'a path that begins with an index',
      () => selected(ident(1)),
      'query.select[0].expr.name[0]: expected the name of a field, got 1',
    ],
    [
      'a fraction as index',
      () => selected(ident('tags', 0.5)),
      'query.select[0].expr.name[1]: expected a name or an index, got 0.5',
    ],
    [
      'a function with two names',
      () => selected({ op: 'function', name: ident('a', 'b'), args: [] }),
      'query.select[0].expr.name: the name of a function has one part',
    ],
    [
      'an unknown function',
      () => compileJson({ select: [{ expr: call('lowr', ident('id')) }], from }),
      "query.select[0].expr: unknown function 'lowr' (did you mean 'lower'?)",
    ],
    [
      'distinct values of another function',
      () => selected({ ...call('sum', ident('id')), duplicate_treatment: 'Distinct' }),
      'query.select[0].expr.duplicate_treatment: only count takes "Distinct"',
    ],
    [
      'an unknown unit',
      () => selected({ op: 'interval', value: 1, unit: 'days' }),
      'query.select[0].expr.unit: expected one of "microsecond"',
    ],
    [
      'a wrong text',
      () => filtered({ btql: 'id = = 1' }),
      "query.filter.btql line 1, column 6: expected an expression, found '='",
    ],
    [
      'a text that does not bind',
      () => compileJson({ select: star, from, filter: { btql: 'true and\nlowr(id)' } }),
      "query.filter.btql line 2, column 1: unknown function 'lowr'",
    ],
    [
      'an unknown direction',
      () => read({ select: star, from, sort: [{ expr: ident('id'), dir: 'up' }] }),
      'query.sort[0].dir: expected one of "asc", "desc", got "up"',
    ],
    [
      'an unknown alias',
      () => compileJson({ select: [{ expr: ident('id') }], from, sort: [{ expr: ident('idd') }] }),
      "query.sort[0].expr: sort: unknown alias 'idd'",
    ],
    [
      'a limit below 0',
      () => read({ select: star, from, limit: -1 }),
      'query.limit: expected an integer of at least 0, got -1',
    ],
    [
      'a limit that is a text',
      () => read({ select: star, from, limit: '5' }),
      'query.limit: expected an integer of at least 0, got "5"',
    ],
    [
      'a preview below -1',
      () => read({ select: star, from, preview_length: -2 }),
      'query.preview_length: expected an integer of at least -1, got -2',
    ],
    [
      'a cursor that is a number',
      () => read({ select: star, from, cursor: 1 }),
      'query.cursor: expected a cursor, got 1',
    ],
    [
      'a foreign cursor',
      () => compileJson({ select: star, from, limit: 1, cursor: 'abc' }),
      'query.cursor: cursor: not a cursor of this query',
    ],
    [
      'a sample with a seed',
      () => read({ select: star, from, sample: { method: { type: 'count', value: 1 }, seed: 3 } }),
      'query.sample.seed: not supported: without it, the same rows are picked',
    ],
    [
      'a rate above 1',
      () => read({ select: star, from, sample: { method: { type: 'rate', value: 2 } } }),
      'query.sample.method.value: expected a number from 0 to 1, got 2',
    ],
    [
      'an unpivot of three',
      () =>
        read({ select: star, from, unpivot: [{ expr: ident('tags'), alias: ['a', 'b', 'c'] }] }),
      'query.unpivot[0].alias: expected a name, or an array of two names',
    ],
  ];
  areRefused(refusals);
});
