// What each part of a span becomes, in both encodings, and which bodies and spans are refused.
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { expect } from 'chai';
import type { JsonValue } from '../../src/json/json.js';
import { stringifyJson } from '../../src/json/stringify.js';
import type { ReadSpan, RefusedSpan } from '../../src/otlp/read-spans.js';
import { eventOf } from '../../src/otlp/row.js';
import { limits } from '../../src/schema/limits.js';
import {
  attributes,
  exportOf,
  readBody,
  readExport,
  rowOf,
  rowWith,
  span,
  spanId,
  traceId,
  type Json,
} from './spans.js';

const refusalOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    return (error as Error).message;
  }
  return 'nothing is refused';
};

const place = 'resourceSpans[0].scopeSpans[0].spans[0]';

/** Why the one span is refused. */
const spanRefusal = (fields: unknown): string => {
  const [read] = readExport([fields]) as readonly RefusedSpan[];
  expect(read?.place).to.equal(place);
  return read?.refusal.message ?? 'it is not refused';
};

/** The JSON text of the metadata of a span whose attributes are this JSON text. */
function metadataText(list: string): string {
  const body = JSON.stringify(exportOf([span({ attributes: [] })]));
  const [read] = readBody(body.replace('"attributes":[]', `"attributes":${list}`)) as ReadSpan[];
  return stringifyJson(eventOf(read!.span, read!.origin, null)['metadata'] as JsonValue);
}

const valueText = (value: string): string =>
  metadataText(`[{"key":"a","value":${value}}]`).slice('{"a":'.length, -1);

describe('spans of OTLP in JSON', () => {
  describe('attribute values', () => {
    const values: readonly (readonly [string, string])[] = [
      ['{"stringValue":"text"}', '"text"'],
      ['{"stringValue":""}', '""'],
      ['{"boolValue":false}', 'false'],
      ['{"intValue":"12"}', '12'],
      ['{"intValue":12}', '12'],
      ['{"intValue":"9223372036854775807"}', '9223372036854775807'],
      ['{"intValue":-9223372036854775808}', '-9223372036854775808'],
      ['{"intValue":"9007199254740993"}', '9007199254740993'],
      ['{"intValue":"twelve"}', '"twelve"'],
      ['{"doubleValue":0.1}', '0.1'],
      ['{"doubleValue":"NaN"}', '"NaN"'],
      ['{"doubleValue":"-Infinity"}', '"-Infinity"'],
      ['{"bytesValue":"AAEC/w=="}', '"AAEC/w=="'],
      ['{"arrayValue":{"values":[{"intValue":"1"},{"stringValue":"b"},{}]}}', '[1,"b",null]'],
      ['{"arrayValue":{}}', '[]'],
      ['{"kvlistValue":{"values":[{"key":"k","value":{"boolValue":true}}]}}', '{"k":true}'],
      ['{"kvlistValue":{"values":[{"key":"10","value":{}},{"key":"9"}]}}', '{"10":null,"9":null}'],
      ['{"kvlistValue":{"values":[{"key":"k"},{"key":"k","value":{"intValue":2}}]}}', '{"k":2}'],
      ['{"stringValue":"first","intValue":"2"}', '2'],
      ['{"unknownValue":1}', 'null'],
      ['null', 'null'],
      ['"bare"', '"bare"'],
    ];
    for (const [sent, stored] of values)
      it(`${sent} is ${stored}`, () => {
        expect(valueText(sent)).to.equal(stored);
      });

    it('of a key that comes twice is the last', () => {
      expect(
        metadataText('[{"key":"a","value":{"intValue":1}},{"key":"a","value":{"intValue":2}}]'),
      ).to.equal('{"a":2}');
    });

    it('have keys of any kind, in their order', () => {
      const keys = ['b', '10', '9', '', '__proto__', 'constructor', 'a.b', 'a"b'];
      const list = keys.map((key, value) => ({ key, value: { intValue: value } }));
      expect(metadataText(JSON.stringify(list))).to.equal(
        `{${keys.map((key, value) => `${JSON.stringify(key)}:${value}`).join()}}`,
      );
    });

    it('with __proto__ change no prototype, also as steps of a name', () => {
      const row = rowWith({
        'braintrust.metadata.__proto__.polluted': 1,
        'braintrust.input.__proto__': 2,
      });
      expect(JSON.stringify([row['metadata'], row['input']])).to.equal(
        '[{"__proto__":{"polluted":1}},{"__proto__":2}]',
      );
      expect(({} as Json)['polluted']).to.equal(undefined);
    });
  });

  describe('names that are paths', () => {
    it('make arrays of all indexes from 0, in any order, and objects of others', () => {
      const values = {
        'gen_ai.prompt.1.role': 'b',
        'gen_ai.prompt.0.role': 'a',
        'gen_ai.completion.0.role': 'a',
        'gen_ai.completion.4294967295.role': 'b',
      };
      const row = rowWith(values);
      expect(row['input']).to.deep.equal([{ role: 'a' }, { role: 'b' }]);
      expect(row['output']).to.deep.equal({ 0: { role: 'a' }, 4294967295: { role: 'b' } });
    });

    it('stay in the metadata where they contradict one another or have too many steps', () => {
      const deep = `gen_ai.prompt.${'a.'.repeat(limits.pathSteps.max)}b`;
      const row = rowWith({ 'gen_ai.prompt.0': 'a', 'gen_ai.prompt.0.role': 'b', [deep]: 'c' });
      expect(row['input']).to.deep.equal(['a']);
      expect(row['metadata']).to.deep.equal({ 'gen_ai.prompt.0.role': 'b', [deep]: 'c' });
    });
  });

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
        traceId,
        spanId,
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
        links: [{ ...link, droppedAttributesCount: 4 }],
        droppedAttributesCount: 5,
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
      [span({ flags: '1' }), 'flags: expected a number, got "1"'],
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

  describe('bodies', () => {
    const empty: readonly string[] = [
      '{}',
      '{"resourceSpans":[]}',
      '{"resourceSpans":null}',
      ' {"resourceSpans" : [ {"scopeSpans" : null , "schemaUrl": null} , {"scopeSpans":[{"spans":null}]} ] } ',
      '{"unknown":{"a":[1]},"resourceSpans":[{"other":1,"scopeSpans":[{"other":[2],"spans":[]}]}]}',
    ];
    for (const body of empty)
      it(`${body} has no spans`, () => {
        expect(readBody(body)).to.deep.equal([]);
      });

    it('may have the resource and the scope behind the spans', () => {
      const group = exportOf([span()], { attributes: attributes({ a: 1 }) }, { name: 's' });
      const [{ resource, scopeSpans }] = group['resourceSpans'] as [Json & { scopeSpans: Json[] }];
      const [{ scope, spans }] = scopeSpans as [Json];
      const body = { resourceSpans: [{ scopeSpans: [{ spans, scope }], resource }] };
      expect(readBody(JSON.stringify(body))).to.deep.equal(readBody(JSON.stringify(group)));
    });

    it('may have a list twice, and names with escapes', () => {
      const one = JSON.stringify(exportOf([span()])).slice(1, -1);
      expect(
        readBody(`{${one},${one.replace('resourceSpans', String.raw`resource\u0053pans`)}}`),
      ).to.have.length(2);
    });

    const wrong: readonly (readonly [string, string])[] = [
      ['', 'request body: expected an object, got nothing'],
      [' \n', 'request body: expected an object, got nothing'],
      ['[]', 'request body: expected an object, got an array'],
      ['no', 'request body is not valid JSON at line 1, column 1: invalid symbol'],
      ['{', 'request body is not valid JSON at line 1, column 2: property name expected'],
      ['{"a" 1}', 'request body is not valid JSON at line 1, column 6: colon expected'],
      ['{"a":}', 'request body is not valid JSON at line 1, column 6: value expected'],
      ['{"a":1 2}', 'request body is not valid JSON at line 1, column 8: end of file expected'],
      ['{"a":1]', 'request body is not valid JSON at line 1, column 7: comma expected'],
      ['{"a":1,}', 'request body is not valid JSON at line 1, column 8: property name expected'],
      ['{}{}', 'request body is not valid JSON at line 1, column 3: end of file expected'],
      [
        String.raw`{"\x":1}`,
        'request body is not valid JSON at line 1, column 2: property name expected',
      ],
      ['{"resourceSpans":5}', 'resourceSpans: expected an array, got 5'],
      ['{"resourceSpans":[5]}', 'resourceSpans[0]: expected an object, got 5'],
      [
        '{"resourceSpans":[{}',
        'request body is not valid JSON at line 1, column 21: comma expected',
      ],
      [
        '{"resourceSpans":[{"scopeSpans":{}}]}',
        'resourceSpans[0].scopeSpans: expected an array, got an object',
      ],
      [
        '{"resourceSpans":[{"scopeSpans":[null]}]}',
        'resourceSpans[0].scopeSpans[0]: expected an object, got null',
      ],
      [
        '{"resourceSpans":[{"resource":tru}]}',
        'request body is not valid JSON at line 1, column 31: invalid symbol',
      ],
      [
        '{"resourceSpans":[{"resource":5}]}',
        'resourceSpans[0]: resource: expected an object, got 5',
      ],
      [
        '{"resourceSpans":[{"resource":{"attributes":5}}]}',
        'resourceSpans[0]: attributes: expected an array, got 5',
      ],
      [
        '{"resourceSpans":[{"scopeSpans":[{"scope":5}]}]}',
        'resourceSpans[0].scopeSpans[0]: scope: expected an object, got 5',
      ],
      [
        '{"resourceSpans":[{"scopeSpans":[{"scope":{"name":5}}]}]}',
        'resourceSpans[0].scopeSpans[0]: name: expected a string, got 5',
      ],
      [
        '{\n"resourceSpans":[{"scopeSpans":[{"spans":[{"name":01}]}]}]}',
        'request body is not valid JSON at line 2, column 52: comma expected',
      ],
    ];
    for (const [body, text] of wrong)
      it(`${JSON.stringify(body)} is refused`, () => {
        expect(refusalOf(() => readBody(body))).to.equal(text);
      });

    it('that nest too deep, or hold too many values, are refused', () => {
      const attribute = (value: string) =>
        JSON.stringify(exportOf([span({ attributes: [{ key: 'a', value: 0 }] })])).replace(
          '"value":0',
          `"value":${value}`,
        );
      const deep = `${'{"arrayValue":{"values":['.repeat(400)}${']}}'.repeat(400)}`;
      expect(refusalOf(() => readBody(attribute(deep)))).to.equal(
        'request body is nested more than 1000 levels deep',
      );
      const many = `[${'0,'.repeat(limits.values.max)}0]`;
      expect(refusalOf(() => readBody(attribute(many)))).to.equal(
        `${place}: expected at most ${limits.values.max} members and elements, got more`,
      );
      expect(refusalOf(() => readBody(attribute('1'.repeat(10_001))))).to.equal(
        `${place}: expected numbers of at most 10000 characters, got a longer one`,
      );
    });

    it('with too many spans, resources or scopes are refused', () => {
      const lists = {
        spans: `{"resourceSpans":[{"scopeSpans":[{"spans":[${'{},'.repeat(100_000)}{}]}]}]}`,
        'resources and scopes': `{"resourceSpans":[${'{},'.repeat(100_000)}{}]}`,
      };
      for (const [name, body] of Object.entries(lists))
        expect(refusalOf(() => readBody(body))).to.equal(
          `request body: expected at most 100000 ${name}, got more`,
        );
    });
  });
});

/** Fields with a length, one in the other, the innermost first. */
const nested = (inner: Buffer, ...numbers: readonly number[]): Buffer =>
  numbers.reduce(
    (bytes, number) =>
      Buffer.from(new BinaryWriter().tag(number, WireType.LengthDelimited).bytes(bytes).finish()),
    inner,
  );

/** The body around one span. */
const around = (fields: Buffer): Buffer => nested(fields, 2, 2, 1);

const ids = Buffer.concat([
  nested(Buffer.from(traceId, 'hex'), 1),
  nested(Buffer.from(spanId, 'hex'), 2),
]);

const metadataOf = (value: Buffer): unknown => {
  const attribute = nested(Buffer.concat([nested(Buffer.from('a'), 1), nested(value, 2)]), 9);
  const [read] = readBody(around(Buffer.concat([ids, attribute])), 'protobuf') as ReadSpan[];
  const { a } = eventOf(read!.span, read!.origin, null)['metadata'] as Record<string, JsonValue>;
  return stringifyJson(a!);
};

describe('spans of OTLP in protobuf', () => {
  const writer = () => new BinaryWriter();

  const values: Readonly<Record<string, readonly [BinaryWriter, string]>> = {
    'the largest integer': [
      writer().tag(3, WireType.Varint).int64('9223372036854775807'),
      '9223372036854775807',
    ],
    'the least integer': [
      writer().tag(3, WireType.Varint).int64('-9223372036854775808'),
      '-9223372036854775808',
    ],
    NaN: [writer().tag(4, WireType.Bit64).double(NaN), '"NaN"'],
    infinity: [writer().tag(4, WireType.Bit64).double(-Infinity), '"-Infinity"'],
    'a double': [writer().tag(4, WireType.Bit64).double(0.1), '0.1'],
    bytes: [
      writer()
        .tag(7, WireType.LengthDelimited)
        .bytes(new Uint8Array([0, 1, 2, 255])),
      '"AAEC/w=="',
    ],
    false: [writer().tag(2, WireType.Varint).bool(false), 'false'],
    nothing: [writer(), 'null'],
    'U+FFFD': [writer().tag(1, WireType.LengthDelimited).string('\uFFFD'), '"\uFFFD"'],
    'an unknown kind': [writer().tag(99, WireType.Bit32).fixed32(5), 'null'],
  };
  for (const [name, [value, text]] of Object.entries(values))
    it(`read ${name}`, () => {
      expect(metadataOf(Buffer.from(value.finish()))).to.equal(text);
    });

  it('an empty body has none', () => {
    expect(readBody('', 'protobuf')).to.deep.equal([]);
  });

  it('skip fields that are not known', () => {
    const unknown = writer()
      .tag(1000, WireType.LengthDelimited)
      .string('x')
      .tag(1001, WireType.Varint)
      .uint32(5)
      .tag(1002, WireType.Bit64)
      .fixed64(5)
      .finish();
    const body = Buffer.concat([unknown, around(Buffer.concat([unknown, ids])), unknown]);
    expect(readBody(body, 'protobuf')).to.have.length(1);
  });

  const invalid = 'request body is not a valid ExportTraceServiceRequest near byte';
  const bytes = (...list: readonly number[]) => Buffer.from(list);
  const wrong: Readonly<Record<string, readonly [Buffer, string]>> = {
    JSON: [Buffer.from('{"resourceSpans":[]}'), `${invalid} 1: groups are not supported`],
    'a body that is cut off': [
      around(ids).subarray(0, -1),
      `${invalid} 2: a length of 32 goes beyond the end of its message`,
    ],
    'a huge length': [
      bytes(0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f),
      `${invalid} 6: a length of 4294967295 goes beyond the end of its message`,
    ],
    'a length beyond its message': [
      nested(bytes(0x0a, 9, 1), 1),
      `${invalid} 4: a length of 9 goes beyond the end of its message`,
    ],
    'another type than its own': [
      bytes(0x08, 1),
      `${invalid} 1: field 1 has the wire type 0, not 2`,
    ],
    'a span with another type than its own': [
      around(bytes(0x28, 1)),
      `${invalid} 7: the field name has the wire type 0, not 2`,
    ],
    'a string that is not UTF-8': [
      around(nested(bytes(0xff), 5)),
      `${invalid} 9: a string is not UTF-8`,
    ],
    'a group': [
      around(bytes(0x0b, 0x0c)),
      `${invalid} 7: the field traceId has the wire type 3, not 2`,
    ],
    'an unknown group': [
      around(bytes(0xa3, 0x06, 0xa4, 0x06)),
      `${invalid} 8: groups are not supported`,
    ],
    'a field number of 0': [bytes(0x02, 0x00), `${invalid} 1: illegal tag: field no 0 wire type 2`],
    'a varint without an end': [Buffer.alloc(20, 0xff), `${invalid} 10: invalid varint`],
    'a double that is cut off': [
      around(nested(nested(bytes(0x21, 1, 2), 2), 9)),
      `${invalid} 11: a field goes beyond the end of its message`,
    ],
  };
  for (const [name, [body, text]] of Object.entries(wrong))
    it(`refuse ${name}`, () => {
      expect(refusalOf(() => readBody(body, 'protobuf'))).to.equal(text);
    });

  it('refuse what nests too deep, at any size', () => {
    for (const levels of [700, 100_000]) {
      let value = Buffer.alloc(0);
      // Built from the inside in one buffer: a level adds the tag and the length of an ArrayValue in an AnyValue.
      const parts: Buffer[] = [];
      let length = 0;
      for (let level = 0; level < levels; level += 1) {
        for (const tag of [0x0a, 0x2a]) {
          const head = Buffer.from(writer().raw(bytes(tag)).uint32(length).finish());
          parts.push(head);
          length += head.length;
        }
      }
      value = Buffer.concat(parts.reverse());
      const body = around(Buffer.concat([ids, nested(nested(value, 2), 9)]));
      expect(refusalOf(() => readBody(body, 'protobuf'))).to.equal(
        `${place} is nested more than 1000 levels deep`,
      );
    }
  });

  it('refuse more fields than one span may have, also unknown ones', () => {
    for (const field of [bytes(0x4a, 0x00), bytes(0xf8, 0x7f, 0x01)]) {
      const fields = Buffer.alloc(field.length * (limits.values.max + 1), field);
      expect(refusalOf(() => readBody(around(fields), 'protobuf'))).to.equal(
        `${place}: expected at most ${limits.values.max} members and elements, got more`,
      );
    }
  });

  it('refuse too many spans, resources and scopes', () => {
    expect(
      refusalOf(() => readBody(Buffer.alloc(2 * 100_001, bytes(0x0a, 0x00)), 'protobuf')),
    ).to.equal('request body: expected at most 100000 resources and scopes, got more');
    const spans = Buffer.alloc(2 * 100_001, bytes(0x12, 0x00));
    expect(refusalOf(() => readBody(nested(spans, 2, 1), 'protobuf'))).to.equal(
      'request body: expected at most 100000 spans, got more',
    );
  });
});
