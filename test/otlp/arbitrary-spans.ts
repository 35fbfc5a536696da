// Attributes that rules name, with values that they do not expect, and bodies with wrong bytes.
import type { Attributes } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import * as fc from 'fast-check';
import { mapping } from '../../src/otlp/mapping.js';
import { readableSpan } from './readable-span.js';

/** The attributes that rules name; `*` stands for anything. */
export const names = mapping.flatMap((rule) => ('from' in rule ? rule.from : []));

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

export const spanAttributes = fc.dictionary(name, value, { maxKeys: 8 });

/** Bytes that are changed, left out or put in, at these places. */
export const changes = fc.array(
  fc.record({ at: fc.nat(2000), bytes: fc.uint8Array({ maxLength: 3 }), left: fc.nat(3) }),
  { minLength: 1, maxLength: 4 },
);

export const changed = (
  body: Buffer,
  list: readonly { at: number; bytes: Uint8Array; left: number }[],
) =>
  list.reduce((bytes, { at, bytes: put, left }) => {
    const place = at % (bytes.length + 1);
    return Buffer.concat([bytes.subarray(0, place), put, bytes.subarray(place + left)]);
  }, body);

/** A span with something in all of its parts. */
export const sampleSpan = (values: Attributes = {}): ReadableSpan =>
  readableSpan({
    name: 'work',
    parentSpanId: 'eee19b7ec3c1b173',
    attributes: {
      a: 'b',
      list: [1, 2],
      'gen_ai.prompt.0.role': 'user',
      'braintrust.tags': ['t'],
      ...values,
    },
    events: [{ name: 'gen_ai.choice', time: [1, 2], attributes: { message: '{"content":"x"}' } }],
    resource: { 'service.name': 'shop' },
  });
