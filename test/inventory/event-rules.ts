// What inserts mean, rule by rule: requests one after the other, and the rows that are fetched then.
import type { Json } from './probe.js';

interface EventRule {
  readonly rule: string;
  /** Lists of events, each a request. */
  readonly requests: readonly (readonly Json[])[];
  /** Fields of the rows, latest first. */
  readonly rows: readonly Json[];
}

const rule = (
  text: string,
  requests: readonly (readonly Json[])[],
  ...rows: readonly Json[]
): EventRule => ({ rule: text, requests, rows });

const parent = { id: 'p', span_id: 'P', root_span_id: 'R' };

export const eventRules: readonly EventRule[] = [
  rule('an id is any non-empty string', [[{ id: 'not a UUID / at all' }]], {
    id: 'not a UUID / at all',
  }),
  rule(
    'the same id again replaces the whole row',
    [[{ id: 'a', input: 1, output: 2 }], [{ id: 'a', input: 3 }]],
    { id: 'a', input: 3, output: null },
  ),
  rule(
    'a merge goes into objects, and replaces arrays and scalars',
    [
      [{ id: 'a', metadata: { o: { x: 1 }, l: [1, 2], s: 1 } }],
      [{ id: 'a', _is_merge: true, metadata: { o: { y: 2 }, l: [3], s: 2 } }],
    ],
    { metadata: { o: { x: 1, y: 2 }, l: [3], s: 2 } },
  ),
  rule(
    'in a merge null overwrites and absent fields stay',
    [[{ id: 'a', input: 1, output: 2 }], [{ id: 'a', _is_merge: true, output: null }]],
    { input: 1, output: null },
  ),
  rule('a merge without a live row is a plain insert', [[{ id: 'a', _is_merge: true, input: 1 }]], {
    id: 'a',
    input: 1,
  }),
  rule(
    'a merge keeps created and the span ids',
    [
      [{ ...parent, span_parents: ['S'], created: '2024-01-01T00:00:00Z' }],
      [
        {
          id: 'p',
          _is_merge: true,
          span_id: 'other',
          root_span_id: 'other',
          span_parents: ['other'],
          created: '2025-01-01T00:00:00Z',
        },
      ],
    ],
    { span_id: 'P', root_span_id: 'R', span_parents: ['S'], created: '2024-01-01T00:00:00Z' },
  ),
  rule(
    '_merge_paths replace the value at each path',
    [
      [{ id: 'a', metadata: { o: { x: 1 }, p: { x: 1 } } }],
      [
        {
          id: 'a',
          _is_merge: true,
          _merge_paths: [['metadata', 'o']],
          metadata: { o: { y: 2 }, p: { y: 2 } },
        },
      ],
    ],
    { metadata: { o: { y: 2 }, p: { x: 1, y: 2 } } },
  ),
  rule(
    '_parent_id names a live row',
    [[parent], [{ id: 'c', _parent_id: 'p' }]],
    { id: 'c', span_parents: ['P'], root_span_id: 'R', is_root: false },
    { id: 'p', is_root: true },
  ),
  rule(
    '_parent_id names an earlier event of the request',
    [[parent, { id: 'c', _parent_id: 'p' }]],
    { id: 'c', span_parents: ['P'], root_span_id: 'R' },
    { id: 'p' },
  ),
  rule('span_id alone is also the root_span_id', [[{ id: 'a', span_id: 'S' }]], {
    span_id: 'S',
    root_span_id: 'S',
    span_parents: null,
  }),
  rule('span_parents [] is none', [[{ id: 'a', span_parents: [] }]], {
    span_parents: null,
    is_root: true,
  }),
  rule(
    'a root is a row without span_parents, whatever its ids',
    [[{ id: 'a', span_id: '1234567890abcdef', root_span_id: '1234567890abcdef1234567890abcdef' }]],
    { is_root: true },
  ),
  rule(
    'created is normalised to UTC microseconds',
    [[{ id: 'a', created: '2024-01-01T05:00:00.123456+05:00' }]],
    { created: '2024-01-01T00:00:00.123456Z' },
  ),
  rule(
    '_object_delete takes the row out of later reads',
    [[{ id: 'a' }, { id: 'b' }], [{ id: 'a', _object_delete: true }]],
    { id: 'b' },
  ),
  rule('_object_delete of an unknown id is accepted', [[{ id: 'a', _object_delete: true }]]),
  rule(
    'a deleted id that is inserted later is a new row',
    [
      [{ id: 'a', input: 1, created: '2024-01-01T00:00:00Z' }],
      [{ id: 'a', _object_delete: true }],
      [{ id: 'a', _is_merge: true, output: 2, created: '2025-01-01T00:00:00Z' }],
    ],
    { input: null, output: 2, created: '2025-01-01T00:00:00Z' },
  ),
  rule(
    'events of a request apply in order, one version per id at its last place',
    [
      [
        { id: 'a', input: 1, root_span_id: 'T' },
        { id: 'b', root_span_id: 'T' },
        { id: 'a', _is_merge: true, output: 2 },
      ],
    ],
    { id: 'a', input: 1, output: 2 },
    { id: 'b' },
  ),
  rule(
    'boolean scores become 0 and 1',
    [[{ id: 'a', scores: { yes: true, no: false, none: null } }]],
    {
      scores: { yes: 1, no: 0, none: null },
    },
  ),
  rule('other metrics take any value', [[{ id: 'a', metrics: { tokens: 1, note: ['any'] } }]], {
    metrics: { tokens: 1, note: ['any'] },
  }),
  rule(
    'what is read only in fetched rows is ignored',
    [
      [
        {
          id: 'a',
          _xact_id: '1',
          project_id: 'x',
          experiment_id: 'x',
          log_id: 'x',
          is_root: false,
          comments: [],
          audit_data: [],
          facets: {},
          _audit_source: 'app',
          _pagination_key: 'k',
        },
      ],
    ],
    { id: 'a', is_root: true },
  ),
  rule(
    'classifications are merged like metadata',
    [
      [{ id: 'a', classifications: { topic: { first: [1] }, tone: [{ id: 'calm' }] } }],
      [{ id: 'a', _is_merge: true, classifications: { topic: { second: 2 } } }],
      [
        {
          id: 'a',
          _is_merge: true,
          _merge_paths: [['classifications', 'tone']],
          classifications: { tone: {} },
        },
      ],
    ],
    { classifications: { topic: { first: [1], second: 2 }, tone: {} } },
  ),
  rule(
    'names that JavaScript treats specially are never merged',
    [
      [{ id: 'a', metadata: { x: 1 } }],
      [JSON.parse('{"id":"a","_is_merge":true,"metadata":{"constructor":{"y":1},"x":2}}') as Json],
    ],
    { metadata: { x: 2 } },
  ),
];

/** Requests that are refused with 400, and a part of the sentence. */
export const refusedEvents: readonly (readonly [rule: string, event: Json, text: string])[] = [
  ['_is_merge with _parent_id', { id: 'a', _is_merge: true, _parent_id: 'b' }, '_parent_id'],
  ['an unknown parent', { id: 'a', _parent_id: 'nobody' }, 'nobody'],
  ['_parent_id with span fields', { id: 'a', _parent_id: 'b', span_id: 's' }, 'span_id'],
  ['an old name beside the new one', { id: 'a', input: 1, inputs: 2 }, 'inputs'],
  ['an unknown event field', { id: 'a', unheard_of: 1 }, 'events[0]'],
  ['a score that is no number', { id: 'a', scores: { s: 'high' } }, 'events[0].scores.s'],
  ['a known metric that is no number', { id: 'a', metrics: { tokens: 'many' } }, 'metrics.tokens'],
  ['an empty id', { id: '' }, 'events[0].id'],
];
