import { expect } from 'chai';
import { decodeEvents } from '../support/decode-events.js';
import { type EventOfStrings, eventOfStrings } from '../support/json-strings.js';
import type { EventObjectKind } from '../../src/schema/event-row.js';

const uuid = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

function decodeText(eventText: string, kind: EventObjectKind = 'experiment'): EventOfStrings {
  const [event] = decodeEvents(kind, `{"events":[${eventText}]}`);
  if (event === undefined) throw new Error('no event came back');
  return eventOfStrings(event);
}

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

const decode = (event: object, kind?: EventObjectKind) => decodeText(JSON.stringify(event), kind);

describe('event/decode', () => {
  it('makes an id where none is sent', () => {
    expect(decode({})).to.deep.include({ idGenerated: true, isMerge: false, isDelete: false });
    expect(decode({}).id).to.match(uuid);
    expect(decode({ id: null }).id).to.match(uuid);
    expect(decode({ id: ' any text ' })).to.include({ id: ' any text ', idGenerated: false });
  });

  it('keeps the JSON text of the fields that were sent, null for JSON null', () => {
    const event = decodeText(
      '{ "input" : {"b": 1, "a": [ null ]}, "output": "\\u00e9\\u0000", "error": null, "metadata": {} }',
    );
    expect(event.json).to.deep.equal({
      input: '{"b":1,"a":[null]}',
      output: '"é\\u0000"',
      error: null,
      metadata: '{}',
    });
    expect(event.lossless).to.equal(false);
  });

  it('keeps numbers that a double cannot hold and the order of integer keys', () => {
    const event = decodeText(
      '{"input":{"n":12345678901234567890},"output":{"b":1,"2":2},"metadata":{"__proto__":1e400}}',
    );
    expect(event.json).to.deep.equal({
      input: '{"n":12345678901234567890}',
      output: '{"b":1,"2":2}',
      metadata: '{"__proto__":1e400}',
    });
    expect(event.lossless).to.equal(true);
  });

  it('calls only those events lossless that are', () => {
    const body = '{"events":[{"input":1e400},{"input":{"1":2}},{"input":1.5,"log_id":1e400}]}';
    const lossless = decodeEvents('experiment', body).map((event) => event.lossless);
    expect(lossless).to.deep.equal([true, false, false]);
  });

  it('checks exact forms as what they stand for', () => {
    const text =
      '{"scores":{"a":0.12345678901234567891},"metrics":{"tokens":12345678901234567890}}';
    expect(decodeText(text).json).to.deep.equal({
      scores: '{"a":0.12345678901234567891}',
      metrics: '{"tokens":12345678901234567890}',
    });
    expect(() => decodeText('{"scores":{"b":1,"1":"x"}}')).to.throw(
      'events[0].scores["1"]: expected a finite number or null, got "x"',
    );
  });

  it('stores values that are nested 500 levels deep and refuses bodies deeper than 1,000', () => {
    expect(decodeText(`{"input":${nested(500)}}`).json.input).to.equal(nested(500));
    for (const levels of [998, 5000, 900_000]) {
      expect(() => decodeText(`{"input":${nested(levels)}}`)).to.throw(
        'request body is nested more than 1000 levels deep',
      );
    }
  });

  it('makes booleans the scores 0 and 1', () => {
    expect(decode({ scores: { a: true, b: 0.5, c: null, d: false } }).json.scores).to.equal(
      '{"a":1,"b":0.5,"c":null,"d":0}',
    );
    expect(decodeText('{"scores":{"b":true,"1":0.12345678901234567891}}').json.scores).to.equal(
      '{"b":1,"1":0.12345678901234567891}',
    );
  });

  it('takes any value for metrics, context and span attributes that it does not know', () => {
    const event = { metrics: { start: 1.5, end: null, x: 'y' }, context: { a: [] } };
    expect(decode(event).json.metrics).to.equal('{"start":1.5,"end":null,"x":"y"}');
    expect(decode({ span_attributes: { purpose: 1, type: 'llm' } }).json.span_attributes).to.equal(
      '{"purpose":1,"type":"llm"}',
    );
  });

  it('normalises created to microseconds', () => {
    expect(decode({ created: '1970-01-01T01:00:00.000001+01:00' }).created).to.equal(1n);
    expect(decode({ created: null }).created).to.equal(null);
  });

  it('reads the span fields, an empty list of parents as none', () => {
    expect(decode({ span_id: 's', root_span_id: 'r', span_parents: ['p'] })).to.deep.include({
      spanId: 's',
      rootSpanId: 'r',
      spanParents: ['p'],
    });
    expect(decode({ span_parents: [] }).spanParents).to.equal(null);
    expect(decode({ span_id: null, span_parents: null })).to.include({
      spanId: null,
      spanParents: null,
    });
  });

  it('takes old names for the present ones', () => {
    expect(decode({ inputs: [1] }).json).to.deep.equal({ input: '[1]' });
    expect(decode({ output: 2, inputs: null }, 'dataset').json).to.deep.equal({
      input: null,
      expected: '2',
    });
    expect(
      decode({ _is_merge: true, _merge_paths: [['inputs', 'inputs']] }).mergePaths,
    ).to.deep.equal([['input', 'inputs']]);
  });

  it('takes names of objects of JavaScript in paths for what they are', () => {
    const paths = ['__proto__', 'constructor', 'toString'].map((name) => [name, name]);
    expect(decode({ _is_merge: true, _merge_paths: paths }).mergePaths).to.deep.equal(paths);
  });

  it('reads merges, deletes and parents; null and false are as if absent', () => {
    expect(decode({ id: 'a', _is_merge: true, _merge_paths: [['metadata', 'x']] })).to.deep.include(
      {
        isMerge: true,
        mergePaths: [['metadata', 'x']],
      },
    );
    expect(decode({ id: 'a', _object_delete: true }).isDelete).to.equal(true);
    expect(decode({ _parent_id: 'p', span_parents: [], span_id: null }).parentId).to.equal('p');
    expect(
      decode({ _is_merge: false, _object_delete: null, _parent_id: null, _merge_paths: null }),
    ).to.deep.include({ isMerge: false, isDelete: false, parentId: null, mergePaths: [] });
    expect(decode({ _parent_id: 'p', _is_merge: false }).parentId).to.equal('p');
  });

  it('tells tags and the dataset record that were not sent from null', () => {
    expect(decode({}).scalars).to.deep.equal({});
    const nulls = { tags: null, dataset_record_id: null };
    expect(decode(nulls).scalars).to.deep.equal(nulls);
    const sent = { tags: [], dataset_record_id: 'd' };
    expect(decode(sent).scalars).to.deep.equal(sent);
  });

  it('accepts a list without events', () => {
    expect(decodeEvents('dataset', '{"events":[]}')).to.deep.equal([]);
  });
});

const fetched = {
  id: 'r',
  _xact_id: '1000192656880881099',
  created: '2026-01-02T03:04:05.000006Z',
  project_id: 'p',
  input: { a: 1 },
  expected: null,
  error: null,
  metadata: null,
  tags: null,
  origin: null,
  classifications: null,
  span_id: 's',
  root_span_id: 's',
  span_parents: null,
  is_root: true,
};

const fetchedSpan = {
  ...fetched,
  output: null,
  scores: null,
  metrics: null,
  context: null,
  span_attributes: null,
  comments: [],
  audit: null,
  audit_data: [{}],
  facets: {},
  _audit_source: 'x',
  _pagination_key: 'p1',
};

describe('event/decode of a fetched row posted back', () => {
  const rows: Readonly<Record<EventObjectKind, object>> = {
    project_logs: { ...fetchedSpan, org_id: 'o', log_id: 'g' },
    experiment: { ...fetchedSpan, experiment_id: 'e', dataset_record_id: null },
    dataset: { ...fetched, dataset_id: 'd' },
  };
  for (const [kind, row] of Object.entries(rows) as [EventObjectKind, object][]) {
    it(`takes a row of ${kind} unchanged`, () => {
      expect(decode(row, kind)).to.deep.include({
        id: 'r',
        created: 1_767_323_045_000_006n,
        spanId: 's',
        rootSpanId: 's',
        spanParents: null,
      });
      expect(decode(row, kind).json.input).to.equal('{"a":1}');
    });
  }
});

describe('event/decode refuses', () => {
  const inExperiment: readonly (readonly [string, string])[] = [
    ['7', 'events[0]: expected an object, got 7'],
    ['{"id":""}', 'events[0].id: expected a non-empty string or null, got ""'],
    ['{"id":5}', 'events[0].id: expected a non-empty string or null, got 5'],
    ['{"frobnicate":1}', 'events[0]: unknown field "frobnicate"'],
    ['{"__proto__":1}', 'events[0]: unknown field "__proto__"'],
    ['{"10":12345678901234567890}', 'events[0]: unknown field "10"'],
    ['{"scores":[]}', 'events[0].scores: expected an object or null, got []'],
    ['{"scores":1}', 'events[0].scores: expected an object or null, got 1'],
    [
      '{"scores":{"accuracy":"high"}}',
      'events[0].scores.accuracy: expected a finite number or null, got "high"',
    ],
    [
      '{"scores":{"a":0.5,"of\\nlines":{}}}',
      'events[0].scores["of\\nlines"]: expected a finite number or null, got {}',
    ],
    [
      '{"scores":{"__proto__":"x"}}',
      'events[0].scores.__proto__: expected a finite number or null, got "x"',
    ],
    ['{"scores":{"a":1e400}}', 'events[0].scores.a: expected a finite number or null, got 1e400'],
    [
      '{"metrics":{"start":"now"}}',
      'events[0].metrics.start: expected a number or null, got "now"',
    ],
    [
      '{"metrics":{"tokens":true}}',
      'events[0].metrics.tokens: expected a number or null, got true',
    ],
    ['{"metadata":[1]}', 'events[0].metadata: expected an object or null, got [1]'],
    ['{"origin":"x"}', 'events[0].origin: expected an object or null, got "x"'],
    ['{"tags":"x"}', 'events[0].tags: expected an array of strings or null, got "x"'],
    ['{"tags":["x",1]}', 'events[0].tags[1]: expected a string, got 1'],
    [
      '{"context":{"caller_lineno":1.5}}',
      'events[0].context.caller_lineno: expected an integer or null, got 1.5',
    ],
    [
      '{"span_attributes":{"name":1}}',
      'events[0].span_attributes.name: expected a string or null, got 1',
    ],
    ['{"span_parents":[null]}', 'events[0].span_parents[0]: expected a string, got null'],
    ['{"span_id":1}', 'events[0].span_id: expected a string or null, got 1'],
    ['{"created":5}', 'events[0].created: expected an ISO 8601 date-time or null, got 5'],
    [
      '{"created":"2024-02-30"}',
      'events[0].created: expected an ISO 8601 date-time or null, got "2024-02-30"',
    ],
    ['{"_is_merge":1}', 'events[0]._is_merge: expected a boolean or null, got 1'],
    ['{"_object_delete":"no"}', 'events[0]._object_delete: expected a boolean or null, got "no"'],
    ['{"_merge_paths":["a"]}', 'events[0]._merge_paths[0]: expected an array of strings, got "a"'],
    ['{"_merge_paths":[["a",1]]}', 'events[0]._merge_paths[0][1]: expected a string, got 1'],
    ['{"_merge_paths":{}}', 'events[0]._merge_paths: expected an array of paths or null, got {}'],
    [
      '{"_is_merge":true,"_parent_id":"p"}',
      'events[0]: _is_merge and _parent_id cannot be sent together',
    ],
    [
      '{"span_id":"s","_parent_id":"p"}',
      'events[0]: span_id and _parent_id cannot be sent together',
    ],
    [
      '{"span_parents":["s"],"_parent_id":"p"}',
      'events[0]: span_parents and _parent_id cannot be sent together',
    ],
    [
      '{"root_span_id":"s","_parent_id":"p"}',
      'events[0]: root_span_id and _parent_id cannot be sent together',
    ],
    [
      '{"input":1,"inputs":2}',
      'events[0]: inputs is the deprecated name of input, send only one of them',
    ],
    [
      '{"inputs":null,"input":null}',
      'events[0]: inputs is the deprecated name of input, send only one of them',
    ],
    [`{"metadata":"${'x'.repeat(200)}"}`, `got "${'x'.repeat(99)}…`],
  ];
  for (const [text, message] of inExperiment) {
    it(`${text.slice(0, 60)} in an experiment`, () => {
      expect(() => decodeText(text))
        .to.throw(message)
        .with.property('status', 400);
    });
  }

  const inDataset: readonly (readonly [string, string])[] = [
    ['{"scores":{}}', 'events[0]: unknown field "scores"'],
    ['{"metrics":{}}', 'events[0]: unknown field "metrics"'],
    ['{"dataset_record_id":"x"}', 'events[0]: unknown field "dataset_record_id"'],
    [
      '{"output":1,"expected":2}',
      'events[0]: output is the deprecated name of expected, send only one of them',
    ],
  ];
  for (const [text, message] of inDataset) {
    it(`${text} in a dataset`, () => {
      expect(() => decodeText(text, 'dataset')).to.throw(message);
    });
  }

  it('the dataset record of a project log', () => {
    expect(() => decodeText('{"dataset_record_id":"x"}', 'project_logs')).to.throw(
      'events[0]: unknown field "dataset_record_id"',
    );
  });

  it('the whole request for one event, and names that event', () => {
    const body = '{"events":[{},{},{},{"scores":{"accuracy":"high"}}]}';
    expect(() => decodeEvents('experiment', body)).to.throw(
      'events[3].scores.accuracy: expected a finite number or null, got "high"',
    );
  });

  const bodies: readonly (readonly [string, string])[] = [
    ['', 'request body is not valid JSON at line 1, column 1: value expected'],
    ['[]', 'request body: expected an object, got []'],
    ['{}', 'request body: the field events is missing'],
    ['{"events":null}', 'events: expected an array, got null'],
    ['{"events":{}}', 'events: expected an array, got {}'],
    ['{"events":[],"extra":1}', 'request body: unknown field "extra"'],
    ['{"events":[{"input":NaN}]}', 'request body is not valid JSON at line 1, column 21'],
  ];
  for (const [body, message] of bodies) {
    it(`the body ${JSON.stringify(body)}`, () => {
      expect(() => decodeEvents('experiment', body))
        .to.throw(message)
        .with.property('status', 400);
    });
  }
});
