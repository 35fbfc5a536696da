// Random events: few ids and names so that they collide, values of every kind, spelt as JSON text.
import * as fc from 'fast-check';
import type { SentEvent } from './model-row.js';

/** Names of ids and keys; some differ by case alone, some mean something to JavaScript or to SQL. */
export const keys = [
  ...(['a', 'A', 'b', 'a.b', 'x y', '', '0', 'é', 'É', '😀', 'q"t', "o'n", '*', '$'] as const),
  ...(['back\\slash', '__proto__', 'constructor'] as const),
];
export const key: fc.Arbitrary<string> = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('a', 'A', 'b') },
  { weight: 2, arbitrary: fc.constantFrom(...keys) },
);

export const rowId: fc.Arbitrary<string> = fc.constantFrom(
  ...(['r1', 'r2', 'r3', 'r4', 'r5', 'R1', 'é 6', 'r"7'] as const),
);

const plainNumbers = ['0', '1', '1.0', '-2', '0.5', '1e2'];
const bigNumbers = [
  ...(['9007199254740993', '12345678901234567890', '-12345678901234567890'] as const),
  ...(['0.12345678901234567890123', '1.50', '2e-7', '123456789.000000001'] as const),
];
/** Beyond every double; in `input` alone, where nothing calculates. */
const endlessNumber = '1e400';

const words = ['', 'é', '1', 'true', 'null', 'a b', "it's", '😀', '\uffff', 'q"\\t'];
export const word = fc
  .oneof(
    { weight: 3, arbitrary: fc.constantFrom('x', 'X', 'y') },
    { weight: 2, arbitrary: fc.constantFrom(...words) },
  )
  .map((text) => JSON.stringify(text));
const oddText = fc.constantFrom(String.raw`"\u00e9"`, String.raw`"\ud800x"`, '"\\u0000"');

const number = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...plainNumbers) },
  { weight: 1, arbitrary: fc.constantFrom(...bigNumbers) },
);

export const scalar = fc.oneof(
  { weight: 6, arbitrary: number },
  { weight: 5, arbitrary: word },
  { weight: 1, arbitrary: oddText },
  { weight: 3, arbitrary: fc.constantFrom('null', 'true', 'false') },
);

const objectOf = (value: fc.Arbitrary<string>, names = key): fc.Arbitrary<string> =>
  fc
    .uniqueArray(fc.tuple(names, value), { maxLength: 4, size: 'max', selector: ([name]) => name })
    .map(
      (members) =>
        `{${members.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(', ')}}`,
    );

const nested: fc.Arbitrary<string> = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small', withCrossShrink: true },
    { weight: 3, arbitrary: scalar },
    {
      weight: 1,
      arbitrary: fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join(',')}]`),
    },
    { weight: 2, arbitrary: objectOf(tie('value')) },
  ),
})).value;

const orNull = (value: fc.Arbitrary<string>) =>
  fc.oneof({ weight: 6, arbitrary: value }, { weight: 1, arbitrary: fc.constant('null') });

const object = orNull(
  objectOf(fc.oneof({ weight: 2, arbitrary: scalar }, { weight: 1, arbitrary: nested })),
);
const anything = fc.oneof(
  { weight: 9, arbitrary: nested },
  { weight: 1, arbitrary: fc.constant(endlessNumber) },
);
const texts = orNull(fc.array(word, { maxLength: 3 }).map((items) => `[${items.join(',')}]`));
const scores = orNull(objectOf(fc.oneof(number, fc.constantFrom('null', 'true', 'false'))));

type Fields = Readonly<Record<string, string>>;

function underOldNames({ input, ...others }: Fields): Fields {
  return input === undefined ? others : { ...others, inputs: input };
}

const recordId = fc.oneof(word, fc.constant('null'));

/** Fields by name, as experiments take them; the old name of `input` is used now and then. */
const someFields = fc
  .record(
    {
      input: anything,
      output: nested,
      expected: nested,
      error: nested,
      scores,
      metadata: object,
      tags: texts,
      metrics: object,
      context: object,
      span_attributes: object,
      origin: object,
      classifications: object,
      dataset_record_id: recordId,
    },
    { requiredKeys: [] },
  )
  .chain((fields) => fc.constantFrom(fields, underOldNames(fields)));

const id = fc.option(rowId, { freq: 8 });
const trace = fc.constantFrom('t1', 't2', 'T1', 'é', '😀', '\uffff', 'r1');
const created = fc.constantFrom(
  '2024-01-01T05:00:00Z',
  '2024-01-01T05:00:00.123456Z',
  '2024-03-01T00:30:00.5+02:00',
  '1969-12-31T23:59:59.999999Z',
);

const plainEvent: fc.Arbitrary<SentEvent> = fc
  .record(
    {
      id,
      fields: someFields,
      created,
      spanId: trace,
      rootSpanId: trace,
      spanParents: fc.array(trace, { maxLength: 2 }),
    },
    { requiredKeys: ['id', 'fields'] },
  )
  .map((event) => event as SentEvent);

const mergePath = fc
  .tuple(
    fc.constantFrom('input', 'inputs', 'metadata', 'scores', 'output', 'classifications'),
    fc.array(key, { maxLength: 2 }),
  )
  .map(([field, rest]) => rest.toSpliced(0, 0, field));

const mergeEvent: fc.Arbitrary<SentEvent> = fc
  .record(
    {
      id,
      fields: someFields,
      isMerge: fc.constant(true),
      mergePaths: fc.array(mergePath, { maxLength: 2 }),
      created,
      spanId: trace,
    },
    { requiredKeys: ['id', 'fields', 'isMerge'] },
  )
  .map((event) => event as SentEvent);

const childEvent: fc.Arbitrary<SentEvent> = fc.record({ id, fields: someFields, parent: rowId });

const deleteEvent: fc.Arbitrary<SentEvent> = fc.record({
  id: rowId,
  fields: fc.constant({}),
  isDelete: fc.constant(true),
});

export const event: fc.Arbitrary<SentEvent> = fc.oneof(
  { weight: 9, arbitrary: plainEvent },
  { weight: 7, arbitrary: mergeEvent },
  { weight: 1, arbitrary: childEvent },
  { weight: 2, arbitrary: deleteEvent },
);

/** Events that must be refused whatever is stored, each with what the answer names. */
export const refusedEvent: fc.Arbitrary<SentEvent & { readonly naming: string }> = fc.constantFrom(
  { id: 'r1', fields: { scores: '{"a":"high"}' }, naming: 'scores.a' },
  { id: 'r1', fields: { unheard_of: '1' }, naming: 'unheard_of' },
  { id: 'r1', fields: { metrics: '{"start":"now"}' }, naming: 'metrics.start' },
  { id: 'r1', fields: { metadata: '[]' }, naming: 'metadata' },
  { id: 'r1', fields: { classifications: '[]' }, naming: 'classifications' },
  { id: 'r1', fields: { tags: '[1]' }, naming: 'tags' },
  { id: 'r1', fields: { input: '1', inputs: '1' }, naming: 'inputs' },
  { id: '', fields: {}, naming: 'id' },
  { id: 'r1', fields: {}, isMerge: true, parent: 'r1', naming: '_parent_id' },
);

const flags = (event: SentEvent): readonly (readonly [string, unknown])[] => [
  ['id', event.id ?? undefined],
  ['_is_merge', event.isMerge],
  ['_merge_paths', event.mergePaths],
  ['_object_delete', event.isDelete],
  ['_parent_id', event.parent],
  ['created', event.created],
  ['span_id', event.spanId],
  ['root_span_id', event.rootSpanId],
  ['span_parents', event.spanParents],
];

function eventText(event: SentEvent): string {
  const control = flags(event)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `"${name}":${JSON.stringify(value)}`);
  const fields = Object.entries(event.fields).map(([name, text]) => `"${name}":${text}`);
  return `{${[...control, ...fields].join(',')}}`;
}

/** The body of an insert. */
export const insertBody = (events: readonly SentEvent[]): string =>
  `{"events":[${events.map(eventText).join(',')}]}`;
