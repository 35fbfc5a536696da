// Random bodies of inserts as clients send them and as no client does: each a list of elements spelled in one way, and
// changes of some bytes.
import * as fc from 'fast-check';
import {
  clientSpellings,
  literal,
  modelArbitrary,
  modelOf,
  number,
  object,
  spell,
  text,
  type Model,
  type Spelling,
} from '../json/json-arbitrary.js';
import { oddStrings } from '../support/odd-strings.js';
import { changed, type Change } from './changed-bytes.js';
import { instants, values } from './pools.js';

type Models = fc.Arbitrary<Model>;

const constant = (...models: readonly Model[]): Models => fc.constantFrom(...models);

const strings: Models = fc.oneof(
  constant(...values.string.map((json) => modelOf(JSON.parse(json)))),
  constant(...oddStrings.filter(({ length }) => length < 100).map(text)),
  fc.string({ unit: 'grapheme', maxLength: 70 }).map(text),
  fc.string({ maxLength: 9 }).map(text),
);

/** As clients print them. */
const numbers: Models = fc.oneof(
  constant(
    ...[...values.number, '1.0', '0.0', '-1.0', '0.85', '12.50', '1795333730.199'].map(number),
  ),
  constant(...['9007199254740991', '9007199254740992', '0.1234567890123456'].map(number)),
  fc.integer().map((value) => number(String(value))),
  fc
    .double({ noNaN: true, noDefaultInfinity: true, min: 1e-5, max: 1e15 })
    .map((value) => number(String(value))),
);

const names = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.constantFrom(
      'a',
      'b',
      'role',
      'content',
      'é',
      '😀',
      'a b',
      '2024-01-01',
      '0x1F',
      '',
    ),
  },
  { weight: 1, arbitrary: fc.string({ maxLength: 12 }).filter((name) => !/^\d+$/.test(name)) },
);

/** What a client may keep in a column. */
const usualValue: Models = fc.letrec<{ value: Model }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'body' },
    { weight: 3, arbitrary: strings },
    numbers,
    constant(...['null', 'true', 'false'].map(literal)),
    fc
      .array(tie('value'), { maxLength: 3, depthIdentifier: 'body' })
      .map((items) => ({ kind: 'array' as const, items })),
    fc
      .uniqueArray(fc.tuple(names, tie('value')), {
        maxLength: 4,
        depthIdentifier: 'body',
        selector: ([name]) => name,
      })
      .map(object),
  ),
})).value;

const orNull = (models: Models): Models =>
  fc.oneof({ weight: 5, arbitrary: models }, constant(literal('null')));

const membersOf = (known: Readonly<Record<string, Models>>, others: Models): Models =>
  fc
    .tuple(
      fc.record(known, { requiredKeys: [] }),
      fc.uniqueArray(fc.tuple(names, others), { maxLength: 2, selector: ([name]) => name }),
      fc.boolean(),
    )
    .map(([given, more, isFirst]) => {
      const members = Object.entries(given) as (readonly [string, Model])[];
      return object(isFirst ? [...more, ...members] : [...members, ...more]);
    });

const ids = fc.oneof(fc.uuid().map(text), constant(...['a', 'b', 'row 1', 'é'].map(text)));
const list = (models: Models): Models =>
  fc.array(models, { maxLength: 3 }).map((items) => ({ kind: 'array', items }));
const flag = constant(literal('true'), literal('false'));
const scores = fc.oneof(numbers, flag, constant(literal('null')));
const dates = constant(
  ...[
    ...instants,
    '2026-11-22T20:56:22.123456+00:00',
    '2026-11-22T20:56:22.123Z',
    '2026-01-31T00:00:00.123456789Z',
  ].map(text),
);
const metric = orNull(numbers);
const anyObject = orNull(membersOf({}, usualValue));

const span: Readonly<Record<string, Models>> = {
  id: orNull(ids),
  input: usualValue,
  output: usualValue,
  expected: usualValue,
  error: orNull(usualValue),
  metadata: anyObject,
  tags: orNull(list(strings)),
  created: orNull(dates),
  origin: orNull(membersOf({ object_type: strings, id: ids, _xact_id: strings }, usualValue)),
  classifications: anyObject,
  span_id: orNull(ids),
  root_span_id: orNull(ids),
  span_parents: orNull(list(ids)),
  scores: orNull(membersOf({ accuracy: scores }, scores)),
  metrics: orNull(
    membersOf({ start: metric, end: metric, tokens: metric, prompt_tokens: metric }, usualValue),
  ),
  context: orNull(
    membersOf(
      {
        caller_functionname: orNull(strings),
        caller_lineno: fc.nat().map((line) => number(String(line))),
      },
      usualValue,
    ),
  ),
  span_attributes: orNull(membersOf({ name: orNull(strings), type: orNull(strings) }, usualValue)),
  _is_merge: flag,
  _object_delete: constant(literal('false'), literal('null')),
  _merge_paths: orNull(list(list(strings))),
  _parent_id: constant(literal('null')),
};

type Members = readonly (readonly [string, Model])[];

const shuffled = (fields: Readonly<Record<string, Models>>): fc.Arbitrary<Members> =>
  fc.tuple(fc.record(fields, { requiredKeys: [] }), fc.nat(30)).map(([given, turn]) => {
    const members = Object.entries(given) as (readonly [string, Model])[];
    const start = members.length === 0 ? 0 : turn % members.length;
    return members.slice(start).concat(members.slice(0, start));
  });

/** They have the hashes of `id` and `span_id`. */
const namesWithHashOfField = ['lwqhww', 'hregz9'] as const;

const deletion: Models = fc
  .record({ path: list(strings), delete: list(usualValue) })
  .map((members) => object(Object.entries(members)));

/** Fields that no client sends, that were renamed, that are left out, or that exclude others; values that do not fit. */
const oddMembers: fc.Arbitrary<Members> = fc.array(
  fc.tuple(
    fc.oneof(
      fc.constantFrom(...Object.keys(span)),
      fc.constantFrom(
        'inputs',
        'dataset_record_id',
        'org_id',
        '_xact_id',
        '_audit_source',
        'facets',
        'comment',
      ),
      fc.constantFrom(
        '_array_delete',
        'nonsense',
        '__proto__',
        '7',
        'constructor',
        'prompt_session_id',
      ),
      fc.constantFrom(...namesWithHashOfField),
    ),
    fc.oneof(
      usualValue,
      modelArbitrary,
      list(deletion),
      ids,
      flag,
      constant(literal('null'), object([['__proto__', number('1')]])),
    ),
  ),
  { minLength: 1, maxLength: 3 },
);

const id = (digit: number): Model => text(`${digit}0000000-0000-4000-8000-00000000000A`);
const project: Members = [['project_id', id(4)]];
const ofSpans: readonly Members[] = [
  [...project, ['log_id', text('g')]],
  [['experiment_id', id(1)]],
  [['experiment_id', id(2)], ...project],
];
const ofRecords: readonly Members[] = [
  [['dataset_id', id(3)]],
  [['dataset_id', id(3)], ...project],
];

/** The event with the name of its object before it or behind it. */
const named = (event: fc.Arbitrary<Members>, objects: readonly Members[]): fc.Arbitrary<Members> =>
  fc
    .tuple(event, fc.constantFrom(...objects), fc.boolean())
    .map(([members, object, isFirst]) =>
      isFirst ? object.concat(members) : members.concat(object),
    );

/** Objects with a name that comes twice, with names that are array indexes, unpaired surrogates, numbers of any spelling. */
const oddValue: Models = fc.oneof(
  fc
    .array(fc.tuple(fc.constantFrom('a', 'b', 'é', '__proto__', '1'), usualValue), {
      minLength: 2,
      maxLength: 4,
    })
    .map(object),
  constant(...['\ud800', 'a\udc00b', '\udc00\ud800'].map(text)),
  modelArbitrary,
);

const oddColumn: fc.Arbitrary<Members> = fc.tuple(
  fc.tuple(fc.constantFrom('input', 'expected', 'error', 'metadata', 'origin'), oddValue),
);

/** Objects whose members are checked, with any values of these members. */
const oddMember: fc.Arbitrary<Members> = fc.oneof(
  ...Object.entries({
    scores: { accuracy: usualValue },
    metrics: { start: usualValue, tokens: usualValue },
    context: { caller_functionname: usualValue, caller_lineno: usualValue },
    span_attributes: { name: usualValue, type: usualValue },
    origin: { object_type: usualValue, id: usualValue },
  }).map(([name, known]) => membersOf(known, usualValue).map((value): Members => [[name, value]])),
);

const withOdd = (event: fc.Arbitrary<Members>): fc.Arbitrary<Members> =>
  fc
    .tuple(event, fc.oneof(oddMembers, oddColumn, oddMember), fc.boolean())
    .map(([members, odd, replaces]) => {
      const others = replaces ? members.filter(([name]) => name !== odd[0]![0]) : members;
      return odd.slice(1).concat(others, odd.slice(0, 1));
    });

const spellings = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom<Spelling>(...Object.values(clientSpellings)) },
  fc.record({
    space: fc.constantFrom(' ', '\r\n', '\t'),
    comma: fc.constantFrom(',', ' ,'),
    colon: fc.constantFrom(':', ' : '),
    escapes: fc.constantFrom('none' as const, 'all' as const),
  }),
);

export interface Body {
  readonly bytes: Buffer;
  /** It holds only what clients send, as they spell it. */
  readonly isUsual: boolean;
  readonly elements: number;
  /** The same with some bytes changed, each in another place. */
  readonly changed: readonly Buffer[];
}

/** Fields that spans have and records of datasets have not. */
const spanFields = new Set(['output', 'scores', 'metrics', 'context', 'span_attributes']);

const record = Object.fromEntries(Object.entries(span).filter(([name]) => !spanFields.has(name)));

const usualElements = {
  span: shuffled(span),
  record: shuffled(record),
  row: fc.oneof(named(shuffled(span), ofSpans), named(shuffled(record), ofRecords)),
};

export const changesPerBody = 4;

export type ElementName = keyof typeof usualElements;

interface Drawn {
  readonly elements: readonly (readonly [Members, boolean])[];
  readonly spelling: Spelling;
  readonly hasEscapedNames: boolean;
  readonly changes: readonly Change[];
}

export function bodiesOf(name: ElementName): fc.Arbitrary<Body> {
  const usual = usualElements[name];
  const element = fc.oneof(
    { weight: 5, arbitrary: fc.tuple(usual, fc.constant(true)) },
    fc.tuple(withOdd(usual), fc.constant(false)),
  );
  const changes = fc.array(changed, { minLength: changesPerBody, maxLength: changesPerBody });
  return fc
    .record({
      elements: fc.array(element, { maxLength: 3 }),
      spelling: spellings,
      hasEscapedNames: fc.nat(19).map((chance) => chance === 0),
      changes,
    })
    .map((drawn) => bodyOf(name === 'row' ? 'rows' : 'events', drawn));
}

function bodyOf(list: string, { elements, spelling, hasEscapedNames, changes }: Drawn): Body {
  // Values are spelled apart, so that names of fields have no escapes, as from every client.
  const fields: Spelling = { ...spelling, escapes: hasEscapedNames ? 'all' : 'none' };
  const items = elements.map(([members]) =>
    object(members.map(([name, value]) => [name, literal(spell(value, spelling))])),
  );
  const bytes = Buffer.from(spell(object([[list, { kind: 'array', items }]]), fields));
  const isUsual = !hasEscapedNames && elements.every(([, isUsual]) => isUsual);
  const changed = changes.map((change) => change(bytes));
  return { bytes, isUsual, elements: elements.length, changed };
}
