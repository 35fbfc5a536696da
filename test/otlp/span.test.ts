// What the fields of a span become, and which spans are refused.
import { expect } from 'chai';
import type { ReadSpan, RefusedSpan } from '../../src/otlp/read-spans.js';
import { eventOf } from '../../src/otlp/row.js';
import {
  attributes,
  exportOf,
  onlyPath,
  readBody,
  readExport,
  rowOf,
  span,
  spanId,
  traceId,
  type Json,
} from './spans.js';

/** Why the one span is refused. */
const spanRefusal = (fields: unknown): string => {
  const [read] = readExport([fields]) as readonly RefusedSpan[];
  expect(read?.path).to.equal(onlyPath);
  return read?.refusal.message ?? 'it is not refused';
};

describe('spans', () => {
  describe('fields', () => {
    it('become those of the row', () => {
      const row = rowOf({ parentSpanId: 'EEE19B7EC3C1B173', traceId: traceId.toUpperCase() });
      expect(row).to.deep.equal({
        id: spanId,
        span_id: spanId,
        root_span_id: traceId,
        span_parents: ['eee19b7ec3c1b173'],
        created: '2026-05-12T23:48:21.623Z',
        error: null,
        metrics: { start: 1778629701.62313, end: 1778629702.12313 },
        span_attributes: { name: 'work', type: 'task' },
        context: { otel: { kind: 'INTERNAL' } },
      });
    });

    it('of no use to the row are under context.otel', () => {
      const link = {
        traceId: traceId.toUpperCase(),
        spanId: spanId.toUpperCase(),
        traceState: 'l=1',
        flags: 1,
        attributes: attributes({ a: 1 }),
      };
      const fields = {
        kind: 'SPAN_KIND_SERVER',
        traceState: 'vendor=1',
        flags: 257,
        status: { code: 1, message: 'fine' },
        events: [
          { name: 'e', timeUnixNano: 1778629701700000000, attributes: attributes({ b: [2] }) },
          { droppedAttributesCount: 3 },
        ],
        links: [{ ...link, flags: '1', droppedAttributesCount: '4' }],
        droppedAttributesCount: '5',
        droppedEventsCount: 6,
        droppedLinksCount: 7,
      };
      const resource = {
        attributes: attributes({ 'service.name': 'shop', 'process.pid': 8 }),
        droppedAttributesCount: 9,
        entityRefs: [{ type: 'service', idKeys: ['service.name'] }],
      };
      const scope = {
        name: 'scope',
        version: '1.0',
        attributes: attributes({ c: 'd' }),
        droppedAttributesCount: 10,
      };
      expect(rowOf(fields, resource, scope)['context']).to.deep.equal({
        otel: {
          resource: { 'service.name': 'shop', 'process.pid': 8 },
          resource_dropped_attributes_count: 9,
          resource_entity_refs: [{ type: 'service', idKeys: ['service.name'] }],
          scope: {
            name: 'scope',
            version: '1.0',
            attributes: { c: 'd' },
            dropped_attributes_count: 10,
          },
          kind: 'SERVER',
          status: { code: 'OK', message: 'fine' },
          trace_state: 'vendor=1',
          flags: 257,
          events: [
            { name: 'e', time: 1778629701.7, attributes: { b: [2] } },
            { dropped_attributes_count: 3 },
          ],
          links: [
            {
              trace_id: traceId,
              span_id: spanId,
              trace_state: 'l=1',
              flags: 1,
              attributes: { a: 1 },
              dropped_attributes_count: 4,
            },
          ],
          dropped_attributes_count: 5,
          dropped_events_count: 6,
          dropped_links_count: 7,
        },
      });
    });

    it('keep the URLs of schemas, and enumerations without a name', () => {
      const [group] = (
        exportOf([span({ kind: 9, status: { code: 7 } })]) as { resourceSpans: Json[] }
      ).resourceSpans;
      const [scope] = group!['scopeSpans'] as Json[];
      const body = {
        resourceSpans: [{ ...group, schemaUrl: 'r', scopeSpans: [{ ...scope, schemaUrl: 's' }] }],
      };
      const [read] = readBody(JSON.stringify(body)) as readonly ReadSpan[];
      expect(eventOf(read!.span, read!.origin, null)['context']).to.deep.equal({
        otel: {
          resource_schema_url: 'r',
          scope: { schema_url: 's' },
          kind: 9,
          status: { code: 7 },
        },
      });
    });

    it('may be missing', () => {
      const row = rowOf({
        name: undefined,
        startTimeUnixNano: '0',
        endTimeUnixNano: null,
        kind: 0,
      });
      expect(row).to.deep.equal({
        id: spanId,
        span_id: spanId,
        root_span_id: traceId,
        span_parents: null,
        error: null,
        span_attributes: { name: '', type: 'task' },
      });
      const ended = rowOf({ startTimeUnixNano: undefined });
      expect([ended['created'], ended['metrics']]).to.deep.equal([
        '2026-05-12T23:48:22.123Z',
        { end: 1778629702.12313 },
      ]);
    });

    it('have times to the microsecond', () => {
      const row = rowOf({ startTimeUnixNano: '1778629701623130999' });
      expect(row['metrics']).to.deep.include({ start: 1778629701.62313 });
    });

    it('make a root of a span whose parent is empty or all zeros', () => {
      for (const parentSpanId of ['', '0000000000000000', null, undefined])
        expect(rowOf({ parentSpanId })['span_parents']).to.equal(null);
    });
  });

  describe('errors', () => {
    const exception = {
      name: 'exception',
      attributes: attributes({
        'exception.type': 'ValueError',
        'exception.message': 'too large',
        'exception.stacktrace': 'at main',
      }),
    };
    const texts: readonly (readonly [string, Json, string | null])[] = [
      ['the message of the status', { status: { code: 2, message: 'failed' } }, 'failed'],
      [
        'the message of the exception',
        { status: { code: 2 }, events: [exception] },
        'too large\n\nat main',
      ],
      [
        'the message of the status with the stack',
        { status: { code: 2, message: 'failed' }, events: [exception] },
        'failed\n\nat main',
      ],
      [
        'the type of the error',
        {
          status: { code: 'STATUS_CODE_ERROR' },
          attributes: attributes({ 'error.type': 'timeout' }),
        },
        'timeout',
      ],
      ['a word', { status: { code: 2 } }, 'error'],
      ['null without the status', { events: [exception] }, null],
      ['null with another status', { status: { code: 1, message: 'fine' } }, null],
    ];
    for (const [name, fields, error] of texts)
      it(`are ${name}`, () => {
        expect(rowOf(fields)['error']).to.equal(error);
      });
  });

  describe('refused spans', () => {
    const wrong: readonly (readonly [unknown, string])[] = [
      [5, 'expected an object, got 5'],
      [span({ traceId: '' }), 'traceId: expected 32 hex digits that are not all 0, got ""'],
      [
        span({ traceId: '0'.repeat(32) }),
        `traceId: expected 32 hex digits that are not all 0, got "${'0'.repeat(32)}"`,
      ],
      [
        span({ traceId: undefined }),
        'traceId: expected 32 hex digits that are not all 0, got null',
      ],
      [
        span({ traceId: traceId.slice(1) }),
        `traceId: expected 32 hex digits that are not all 0, got "${traceId.slice(1)}"`,
      ],
      [
        span({ spanId: 'W47/95gDgQMg==' }),
        'spanId: expected 16 hex digits that are not all 0, got "W47/95gDgQMg=="',
      ],
      [
        span({ spanId: '0'.repeat(16) }),
        'spanId: expected 16 hex digits that are not all 0, got "0000000000000000"',
      ],
      [
        span({ parentSpanId: 'abc' }),
        'parentSpanId: expected 16 hex digits that are not all 0, got "abc"',
      ],
      [span({ name: 5 }), 'name: expected a string, got 5'],
      [span({ kind: 'SERVER' }), 'kind: expected the number of an enumeration, got "SERVER"'],
      [span({ flags: '1.5' }), 'flags: expected a number, got "1.5"'],
      [span({ droppedEventsCount: '' }), 'droppedEventsCount: expected a number, got ""'],
      [span({ status: 'OK' }), 'status: expected an object, got "OK"'],
      [
        span({ startTimeUnixNano: '-1' }),
        'startTimeUnixNano: expected nanoseconds since 1970, got "-1"',
      ],
      [
        span({ startTimeUnixNano: 1.5 }),
        'startTimeUnixNano: expected nanoseconds since 1970, got 1.5',
      ],
      [
        span({ endTimeUnixNano: '18446744073709551616' }),
        'endTimeUnixNano: expected nanoseconds since 1970, got "18446744073709551616"',
      ],
      [
        span({ endTimeUnixNano: '2026-05-12' }),
        'endTimeUnixNano: expected nanoseconds since 1970, got "2026-05-12"',
      ],
      [span({ attributes: {} }), 'attributes: expected an array, got an object'],
      [span({ attributes: [5] }), 'attributes[0]: expected an object, got 5'],
      [span({ attributes: [{ key: 5 }] }), 'attributes[0].key: expected a string, got 5'],
      [span({ events: {} }), 'events: expected an array, got an object'],
      [span({ events: [[]] }), 'events[0]: expected an object, got an array'],
      [span({ links: 'x'.repeat(200) }), `links: expected an array, got "${'x'.repeat(99)}…`],
    ];
    for (const [fields, text] of wrong)
      it(text, () => {
        expect(spanRefusal(fields)).to.equal(text);
      });

    it('leave the others', () => {
      const reads = readExport([span({ spanId: '' }), span()]);
      expect(reads.map((read) => 'span' in read)).to.deep.equal([false, true]);
    });

    it('the latest time of all is a time', () => {
      expect(rowOf({ startTimeUnixNano: '18446744073709551615' })['created']).to.equal(
        '2554-07-21T23:34:33.709Z',
      );
    });
  });
});
