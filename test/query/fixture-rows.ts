// Rows of mixed JSON that the query tests read.
export type FixtureRow = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** `metadata.v` holds something else in every row; r7 holds numbers that no double holds. */
export const fixtureRows: readonly FixtureRow[] = [
  {
    id: 'r1',
    created: '2024-01-01 05:00:00',
    input: '"What is 2+2?"',
    output: '"4"',
    scores: '{"x":1,"y":0.25}',
    metadata: '{"model":"gpt-4","v":1,"w":1,"when":"2024-01-01T05:00:00Z"}',
    metrics: '{"start":10,"end":12.5,"tokens":100}',
    tags: ['a', 'b'],
    span_attributes: '{"name":"root","type":"task"}',
  },
  {
    id: 'r2',
    created: '2024-01-01 23:30:00.5',
    input: '{"q":"capital of France","n":[1,2,{"k":null}]}',
    output: '"Paris"',
    expected: '"Paris"',
    scores: '{"x":0.5}',
    metadata: '{"model":"gpt-4","v":"1","w":1,"a key":{"b":true}}',
    metrics: '{"start":1,"end":4}',
    tags: ['b'],
  },
  {
    id: 'r3',
    created: '2024-01-02 00:00:00.000001',
    input: '[1,"two",{"b":2,"a":[1]},null]',
    scores: '{"x":0}',
    metadata: '{"model":"claude","v":true,"w":"true","0":"zero","":"empty","*":"star"}',
    tags: [],
  },
  {
    id: 'r4',
    created: '2024-02-10 12:00:00',
    input: '"50% of caf\u00e9_s"',
    scores: '{"x":null,"y":1}',
    metadata: '{"model":"claude","v":[1,{"b":2,"a":1.0}],"w":[1,{"a":1,"b":2}]}',
  },
  {
    id: 'r5',
    created: '2024-02-11 12:00:00',
    input: '42',
    scores: '{"x":true}',
    metadata: '{"model":null,"v":{"b":2,"a":1},"w":{"a":1.0,"b":2}}',
  },
  {
    id: 'r6',
    created: '2024-03-31 12:00:00',
    metadata: '{"v":null,"model":"gpt-4","say":"it\'s \\"q\\" \\\\ done"}',
    scores: '{"x":0.75,"y":0.5}',
    object_kind: 'project_logs',
    object_id: 'p1',
    span_parents: ['s1'],
    root_span_id: 's1',
    is_root: false,
  },
  {
    id: 'r7',
    created: '2025-01-01 00:00:00',
    _lossless: true,
    input: '9007199254740993',
    metadata:
      '{"v":9007199254740993,"big":1e400,"dec":0.1000000000000000055511151231257827,"model":7}',
  },
  {
    id: 'r8',
    created: '2025-01-02 00:00:00',
    object_kind: 'dataset',
    object_id: 'd1',
    expected: 'false',
    output: '"\\u001f/"',
    tags: ['\u001f'],
    metadata: '{"v":"\u{1f600}","model":"Gpt-4","w":"\\u001f/","list":["\\u001f"]}',
  },
];

/** Columns that a row does not give. */
export const defaults = (index: number): FixtureRow => ({
  _xact_id: 1000196022104358912 + Math.floor(index / 2) * 1000,
  _position: index % 2,
  _deleted: false,
  _lossless: false,
  object_kind: 'experiment',
  object_id: 'e1',
  project_id: 'p1',
  org_id: 'o1',
  span_id: `s${index + 1}`,
  root_span_id: `s${index + 1}`,
  is_root: true,
});

/** As a literal of SQL. */
export const quoted = (value: unknown): string =>
  typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
