// Bodies and attributes of all kinds: what is read is a row that can be inserted, with all that the span says, and what is not
// is refused in words.
import * as fc from 'fast-check';
import { expect } from 'chai';
import { readEvents } from '../../src/event/decode.js';
import { RequestError } from '../../src/errors.js';
import { mapping } from '../../src/otlp/mapping.js';
import { readSpans } from '../../src/otlp/read-spans.js';
import { eventOf } from '../../src/otlp/row.js';
import type { Encoding } from '../../src/schema/otlp.js';
import { encodeSpans, readableSpan } from './readable-span.js';
import { attributes, exportOf, rowWith, span, type Json } from './spans.js';

const names = mapping.flatMap((rule) => ('events' in rule ? [] : [rule.from]));

/** Names that rules have, and names below those that they are prefixes of. */
const name = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(
        fc.constantFrom(...names),
        fc.constantFrom('0', '0.role', '1.content', 'model', '__proto__', 'a.b', '10', ''),
      )
      .map(([from, rest]) => from.replace('*', rest)),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('model', 'tools', 'otel', '__proto__', '', '10', 'http.route'),
  },
);

const texts = [
  '',
  'text',
  '{}',
  '[]',
  'null',
  '{"model":"a/b","tokens":1,"input_tokens":"x"}',
  '{"type":"llm","name":5}',
  '[{"role":"user"}]',
  '["a",1]',
  '{"otel":1,"caller_lineno":1}',
  '1e400',
  'ai.generateText.doGenerate',
  'chat',
];

const value: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...texts) },
    {
      weight: 2,
      arbitrary: fc.oneof(
        fc.integer(),
        fc.boolean(),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
      ),
    },
    { weight: 1, arbitrary: fc.array(tie('value'), { maxLength: 3 }) },
  ),
})).value;

const spanAttributes = fc.dictionary(name, value, { maxKeys: 8 });

/** Reads a body as the service does; refusals are sentences. */
function insertAll(body: Buffer, encoding: Encoding): void {
  try {
    for (const step of readSpans(body, encoding))
      if (step !== null && 'span' in step) {
        const row = eventOf(step.span, step.origin, null);
        readEvents('experiment', [row], { plain: false, place: 'row' });
      }
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    expect(error.status).to.equal(400);
  }
}

/** Bytes that are changed, left out or put in, at these places. */
const changes = fc.array(
  fc.record({ at: fc.nat(2000), bytes: fc.uint8Array({ maxLength: 3 }), left: fc.nat(3) }),
  { minLength: 1, maxLength: 4 },
);

const changed = (body: Buffer, list: readonly { at: number; bytes: Uint8Array; left: number }[]) =>
  list.reduce((bytes, { at, bytes: put, left }) => {
    const place = at % (bytes.length + 1);
    return Buffer.concat([bytes.subarray(0, place), put, bytes.subarray(place + left)]);
  }, body);

const sample = readableSpan({
  name: 'work',
  parentSpanId: 'eee19b7ec3c1b173',
  attributes: { a: 'b', list: [1, 2], 'gen_ai.prompt.0.role': 'user', 'braintrust.tags': ['t'] },
  events: [{ name: 'gen_ai.choice', time: [1, 2], attributes: { message: '{"content":"x"}' } }],
  resource: { 'service.name': 'shop' },
});

const settings = { seed: 14, numRuns: 400 };

describe('garbage in spans', () => {
  it('attributes of all kinds are in the row, under their own names or in the fields of their rules', () => {
    fc.assert(
      fc.property(spanAttributes, (values) => {
        const row = rowWith(values);
        const metadata = (row['metadata'] ?? {}) as Json;
        for (const key of Object.keys(values)) {
          if (Object.hasOwn(metadata, key)) continue;
          const hasRule = names.some((from) =>
            from.endsWith('.*') ? key.startsWith(from.slice(0, -1)) : from === key,
          );
          expect(hasRule, key).to.equal(true);
        }
        insertAll(
          Buffer.from(JSON.stringify(exportOf([span({ attributes: attributes(values) })]))),
          'json',
        );
      }),
      settings,
    );
  });

  for (const encoding of ['json', 'protobuf'] as const)
    it(`bodies in ${encoding} with wrong bytes are read or refused`, () => {
      const body = encodeSpans([sample, sample], encoding);
      fc.assert(
        fc.property(changes, (list) => insertAll(changed(body, list), encoding)),
        { ...settings, numRuns: 1500 },
      );
    });
});
