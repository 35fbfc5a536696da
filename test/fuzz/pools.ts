// The values that random rows hold and random queries name, by kind, as JSON texts: few, so that they meet.
import type { Kind } from './evaluate.js';
import type { PathExpr } from './expression.js';

const long = `long ${'x'.repeat(600)} end`;

const strings = [
  ...(['gpt-4', 'GPT-4', 'claude', 'Claude 3', 'hello world', 'Hello, World!', ''] as const),
  ...(['é', 'É', 'café', '50% of cafés', 'ж', '😀', "it's", 'say "hi"', 'a\\b'] as const),
  ...(['line\nbreak', '\u001f', 'true', 'false', 'null', '1', '-2.5', '1e3', '0'] as const),
  ...(['nan', 'inf', '0x1F', '1_000', 'a_b', 'axb', '{"a":{"b":[1,2]}}', '[1,"x"]'] as const),
  ...(['2024-01-01', '2024-02-30', '2024-03-10T12:30:00Z', '2024-13-01T00:00:00Z'] as const),
  long,
];

const texts = (values: readonly unknown[]): readonly string[] =>
  values.map((value) => JSON.stringify(value));

export const instants = [
  '2024-01-01T05:00:00Z',
  '2024-01-01T00:00:00Z',
  '2023-12-31T23:59:59.999999Z',
  '2024-02-29T12:34:56.789Z',
  '2024-03-10T10:30:00+02:00',
  '2024-03-31T00:30:00Z',
  '2024-01-08T07:59:59Z',
  '2021-07-04T16:20:00.5Z',
  '0000-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999999Z',
];

/** What may stand at any place. `timestamp` are texts of timestamps. */
export const values: Readonly<Record<Kind, readonly string[]>> = {
  null: ['null'],
  boolean: ['true', 'false'],
  number: texts([0, 1, 2, -1, 3, 0.5, -2.5, 10, 100, 0.1, 7, 1.5, 2.5, -0.5, 12345.678]),
  big: ['9007199254740993', '9007199254740995', '-9007199254740993'],
  string: texts(strings),
  timestamp: texts([
    ...instants,
    '2024-01-01',
    '2024-02-29T12:34',
    '2024-03-10T12:30:00+0530',
    '2024-01-01T00:00:00-08',
  ]),
  array: [
    ...(['[]', '[1]', '[1,2,3]', '["gpt-4","b"]', '["gpt-4",1,true,null]'] as const),
    ...(['[[1],{"a":1}]', '[{"a":1,"b":2}]', '["é","50% of cafés"]', '[0.5,false]'] as const),
    String.raw`["line\nbreak",{"a\\b":"\u001f"}]`,
  ],
  object: [
    ...(['{}', '{"a":1}', '{"a":1,"b":2}', '{"a":"gpt-4","b":"x"}', '{"a":{"b":[1,2]}}'] as const),
    ...(['{"A":1,"a":2}', '{"a":null}', '{"key with space":true}', '{"é":[1],"ж":{}}'] as const),
  ],
};

/** Equal to others, but with their keys in another order. */
export const unsortedObjects = ['{"b":2,"a":1}', '{"b":"x","a":"gpt-4"}', '{"a":2,"A":1}'];

const path = (field: string, ...steps: readonly (string | number)[]): PathExpr => ({
  kind: 'path',
  field,
  steps,
});

/** Where rows hold values that are mostly of a kind; `timestamp` is what is one for certain. */
export const places: Readonly<Record<Kind, readonly PathExpr[]>> = {
  null: [
    path('metadata', 'nothing'),
    path('metadata', 'never', 'seen'),
    path('nothing_here'),
    path('error'),
    path('metadata', 'num', 'x'),
  ],
  boolean: [
    path('metadata', 'flag'),
    path('metadata', 'Flag'),
    path('output', 'ok'),
    path('is_root'),
    path('metadata', 'deep', 'is ok'),
  ],
  number: [
    path('metadata', 'num'),
    path('metadata', 'Num'),
    path('scores', 'accuracy'),
    path('scores', 'F 1'),
    path('metrics', 'tokens'),
    path('metrics', 'cost'),
    path('input', 'count'),
    path('metadata', 'deep', 'n'),
    path('output', 'list', 0),
    path('output', 'list', -1),
    path('metadata', '0'),
  ],
  big: [path('metadata', 'big'), path('input', 'big')],
  string: [
    path('metadata', 'model'),
    path('metadata', 'Model'),
    path('input', 'question'),
    path('id'),
    path('root_span_id'),
    path('expected'),
    path('metadata', 'ключ'),
    path('metadata', "it's"),
    path('metadata', 'key with space'),
    path('metadata', 'time'),
    path('span_attributes', 'name'),
    path('tags', 0),
  ],
  timestamp: [path('created')],
  array: [
    path('tags'),
    path('metadata', 'list'),
    path('output', 'list'),
    path('span_parents'),
    path('metadata', 'deep', 'list'),
  ],
  object: [
    path('metadata', 'obj'),
    path('metadata'),
    path('scores'),
    path('input'),
    path('metrics'),
    path('metadata', 'deep'),
    path('output', 'list', 2),
  ],
};

/** Where values are of every kind but timestamps, one as often as another. */
export const mixedPlace = path('metadata', 'any');

/** Integers without a text that the documents fix. */
export const hugePlace = path('metadata', 'huge');
