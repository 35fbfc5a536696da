// Random events for the places that queries look at: most values of one kind, some of another, some absent.
import * as fc from 'fast-check';
import type { SentEvent } from './model/model-row.js';
import type { Kind } from './evaluate.js';
import { instants, unsortedObjects, values } from './pools.js';

type Text = fc.Arbitrary<string>;

const kindsOfJson = [
  ...(['null', 'boolean', 'number', 'big', 'string', 'array', 'object'] as const),
] as const;
const anyKind = fc.constantFrom<Kind>(...kindsOfJson);

const text = (kind: Kind): Text => fc.constantFrom(...values[kind]);

/** Mostly of the kind. */
const mostly = (kind: Kind, ...others: readonly string[]): Text =>
  fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...values[kind], ...others) },
    { weight: 2, arbitrary: anyKind.chain(text) },
  );

/** Each member is absent now and then. */
const objectOf = (members: Readonly<Record<string, Text>>): Text =>
  fc
    .record(members, { requiredKeys: [] })
    .map((given) => Object.entries(given).map(([key, value]) => `${JSON.stringify(key)}:${value}`))
    .map((parts) => `{${parts.join(',')}}`);

const few = fc.constantFrom('"gpt-4"', '"GPT-4"', '"claude"', '"é"');
const score = fc.oneof(fc.constantFrom('0', '1', '0.5', '0.25', 'null'), text('boolean'));
const number = fc.oneof({ weight: 5, arbitrary: text('number') }, text('null'));

const metadata = objectOf({
  num: mostly('number'),
  Num: mostly('number'),
  flag: mostly('boolean'),
  Flag: mostly('boolean'),
  model: fc.oneof({ weight: 3, arbitrary: few }, mostly('string')),
  Model: mostly('string'),
  big: fc.oneof({ weight: 2, arbitrary: mostly('big') }, text('number')),
  huge: fc.constantFrom('12345678901234567890', '-12345678901234567890', '1', '0.5'),
  ключ: mostly('string'),
  "it's": mostly('string'),
  'key with space': mostly('string'),
  time: mostly('timestamp'),
  list: mostly('array'),
  obj: mostly('object', ...unsortedObjects),
  '0': mostly('number'),
  nothing: fc.constant('null'),
  deep: objectOf({
    n: mostly('number'),
    'is ok': mostly('boolean'),
    list: mostly('array'),
    N: number,
  }),
});

const list = fc
  .tuple(mostly('number'), mostly('string'), mostly('object'))
  .chain((items) => fc.nat(3).map((length) => `[${items.slice(0, length).join(',')}]`));

const tags = fc
  .subarray(values.string.slice(0, 12).map(String))
  .map((items) => `[${items.slice(0, 3).join(',')}]`);

const spanAttributes = objectOf({
  name: fc.oneof(text('string'), text('null')),
  type: fc.constantFrom('"task"', '"llm"', '"tool"', '"score"'),
  purpose: fc.constantFrom('"scorer"', 'null', '"other"', '1'),
});

const someFields: fc.Arbitrary<Readonly<Record<string, string>>> = fc.record(
  {
    input: fc.oneof(
      {
        weight: 4,
        arbitrary: objectOf({
          question: mostly('string'),
          count: mostly('number'),
          big: mostly('big'),
        }),
      },
      { weight: 1, arbitrary: anyKind.chain(text) },
    ),
    output: fc.oneof(
      { weight: 4, arbitrary: objectOf({ ok: mostly('boolean'), list, text: mostly('string') }) },
      { weight: 1, arbitrary: anyKind.chain(text) },
    ),
    expected: mostly('string'),
    scores: objectOf({ accuracy: score, 'F 1': score, f1: score }),
    metadata,
    metrics: objectOf({
      tokens: number,
      prompt_tokens: number,
      completion_tokens: number,
      total_tokens: mostly('number'),
      cost: mostly('number'),
      start: number,
      end: number,
    }),
    error: fc.constantFrom('null', '"timeout"', '{"code":1}'),
    span_attributes: spanAttributes,
    tags,
  },
  { requiredKeys: ['metadata'] },
) as fc.Arbitrary<Readonly<Record<string, string>>>;

const mixed = Object.fromEntries(kindsOfJson.map((kind) => [kind, text(kind)]));

/** A member of another kind in each row, so that every few rows have all kinds. */
function withAny(
  metadata: string | undefined,
  mixed: Readonly<Record<string, string>>,
  index: number,
): string {
  const any = `"any":${mixed[kindsOfJson[index % kindsOfJson.length] ?? 'null']}}`;
  return metadata === undefined || metadata === '{}'
    ? `{${any}`
    : `${metadata.slice(0, -1)},${any}`;
}

/** The rows of one object: traces of a few rows, their roots first or last. */
export const eventsOf = (prefix: string, count: number): fc.Arbitrary<readonly SentEvent[]> =>
  fc
    .array(
      fc.record({
        fields: someFields,
        mixed: fc.record(mixed),
        created: fc.constantFrom(...instants),
        trace: fc.nat(Math.max(1, Math.floor(count / 2))),
        isRoot: fc.boolean(),
      }),
      { minLength: count, maxLength: count },
    )
    .map((drawn) =>
      drawn.map(({ fields, mixed, created, trace, isRoot }, index): SentEvent => ({
        id: `${prefix} ${index}`,
        fields: { ...fields, metadata: withAny(fields['metadata'], mixed, index) },
        created,
        spanId: `${prefix} span ${index}`,
        rootSpanId: `${prefix} trace ${trace}`,
        spanParents: isRoot ? [] : [`${prefix} span ${trace}`],
      })),
    );
