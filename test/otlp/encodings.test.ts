// The same spans, encoded by OpenTelemetry's own serializers in JSON and in protobuf, are the same rows.
import { SpanKind, SpanStatusCode, type Attributes } from '@opentelemetry/api';
import { expect } from 'chai';
import type { JsonValue } from '../../src/json/json.js';
import { stringifyJson } from '../../src/json/stringify.js';
import type { ReadSpan } from '../../src/otlp/read-spans.js';
import { eventOf } from '../../src/otlp/row.js';
import type { Encoding } from '../../src/schema/otlp.js';
import { encodeSpans, readableSpan } from './readable-span.js';
import { readBody, traceId } from './spans.js';

const attributes: Attributes = {
  text: 'täxt \u{1F600}',
  integer: -7,
  double: 0.1,
  flag: true,
  texts: ['a', 'b'],
  numbers: [1, 2.5],
  'braintrust.input_json': '{"10":1,"9":12345678901234567890}',
};

const span = (name: string) => ({
  ...readableSpan({
    name,
    kind: SpanKind.CLIENT,
    parentSpanId: 'eee19b7ec3c1b173',
    status: { code: SpanStatusCode.ERROR, message: 'failed' },
    attributes,
    events: [{ name: 'event', time: [1778629701, 700000000], attributes: { b: 2 } }],
    resource: { 'service.name': 'shop' },
  }),
  links: [
    { context: { traceId, spanId: 'eee19b7ec3c1b173', traceFlags: 1 }, attributes: { a: 1 } },
  ],
  droppedAttributesCount: 1,
  droppedEventsCount: 2,
  droppedLinksCount: 3,
});

const rowsOf = (encoding: Encoding): readonly string[] =>
  (readBody(encodeSpans(['one', 'two'].map(span), encoding), encoding) as readonly ReadSpan[]).map(
    ({ span: read, origin }) => stringifyJson(eventOf(read, origin, null) as JsonValue),
  );

describe('encodings of OTLP', () => {
  it('make the same rows', () => {
    const rows = rowsOf('json');
    expect(rowsOf('protobuf')).to.deep.equal(rows);
    expect(rows).to.have.length(2);
    const row = JSON.parse(rows[0]!) as Record<string, Record<string, unknown>>;
    expect(row).to.deep.include({
      span_parents: ['eee19b7ec3c1b173'],
      root_span_id: traceId,
      error: 'failed',
      metrics: { start: 1778629701.62313, end: 1778629702.12313 },
    });
    expect(row['context']!['otel']).to.deep.include({
      resource: { 'service.name': 'shop' },
      scope: { name: 'scope', version: '1' },
      kind: 'CLIENT',
      status: { code: 'ERROR', message: 'failed' },
      dropped_links_count: 3,
    });
    expect(rows[0]).to.include('"input":{"10":1,"9":12345678901234567890}');
    const { 'braintrust.input_json': _mapped, ...others } = attributes;
    expect(row['metadata']).to.deep.equal(others);
  });
});
