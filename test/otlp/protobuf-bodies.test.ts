// Bodies in protobuf: which are read, and which are refused.
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { expect } from 'chai';
import type { JsonValue } from '../../src/json/json.js';
import { stringifyJson } from '../../src/json/stringify.js';
import type { ReadSpan, RefusedSpan } from '../../src/otlp/read-spans.js';
import { eventOf } from '../../src/otlp/row.js';
import { limits } from '../../src/schema/limits.js';
import { onlyPath, readBody, refusalOf, spanId, traceId } from './spans.js';

const writer = () => new BinaryWriter();

const bytes = (...list: readonly number[]) => Buffer.from(list);

/** Fields with a length, one in the other, the innermost first. */
const nested = (inner: Buffer, ...numbers: readonly number[]): Buffer =>
  numbers.reduce(
    (inside, number) =>
      Buffer.from(new BinaryWriter().tag(number, WireType.LengthDelimited).bytes(inside).finish()),
    inner,
  );

/** The body around one span. */
const around = (fields: Buffer): Buffer => nested(fields, 2, 2, 1);

/** The refusal of a span with these fields, which precedes another span that is read. */
function refusalBeforeAnother(fields: Buffer): string {
  const body = nested(Buffer.concat([nested(fields, 2), nested(ids, 2)]), 2, 1);
  const [refused, read] = readBody(body, 'protobuf') as [RefusedSpan, ReadSpan];
  expect([refused.path, read.span.spanId]).to.deep.equal([onlyPath, spanId]);
  return refused.refusal.message;
}

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

describe('protobuf bodies of spans', () => {
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
  const wrong: Readonly<Record<string, readonly [Buffer, string]>> = {
    JSON: [Buffer.from('{"resourceSpans":[]}'), `${invalid} 1: groups are not supported`],
    'a body that is cut off': [
      around(ids).subarray(0, -1),
      `${invalid} 2: a length of 32 exceeds its message`,
    ],
    'a huge length': [
      bytes(0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f),
      `${invalid} 6: a length of 4294967295 exceeds its message`,
    ],
    'a length beyond its message': [
      nested(bytes(0x0a, 9, 1), 1),
      `${invalid} 4: a length of 9 exceeds its message`,
    ],
    'another type than its own': [
      bytes(0x08, 1),
      `${invalid} 1: field 1 has the wire type 0, not 2`,
    ],
    'a field number of 0': [bytes(0x02, 0x00), `${invalid} 1: illegal tag: field no 0 wire type 2`],
    'a varint without an end': [Buffer.alloc(20, 0xff), `${invalid} 10: invalid varint`],
  };
  for (const [name, [body, text]] of Object.entries(wrong))
    it(`refuse ${name}`, () => {
      expect(refusalOf(() => readBody(body, 'protobuf'))).to.equal(text);
    });

  const unreadable: Readonly<Record<string, readonly [Buffer, string]>> = {
    'a field of another type than its own': [
      bytes(0x28, 1),
      `${invalid} 7: the field name has the wire type 0, not 2`,
    ],
    'a group': [bytes(0x0b, 0x0c), `${invalid} 7: the field traceId has the wire type 3, not 2`],
    'an unknown group': [bytes(0xa3, 0x06, 0xa4, 0x06), `${invalid} 8: groups are not supported`],
    'a double that is cut off': [
      nested(nested(bytes(0x21, 1, 2), 2), 9),
      `${invalid} 11: a field exceeds its message`,
    ],
  };
  for (const [name, [fields, text]] of Object.entries(unreadable))
    it(`refuse a span alone that has ${name}`, () => {
      expect(refusalBeforeAnother(fields)).to.equal(text);
    });

  it('have U+FFFD for the bytes of a character that was cut', () => {
    const name = nested(Buffer.from('cut €').subarray(0, -1), 5);
    const [read] = readBody(around(Buffer.concat([ids, name])), 'protobuf');
    expect((read as ReadSpan).span.name).to.equal('cut \uFFFD');
  });

  it('refuse a span alone that nests too deep, at any size', () => {
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
      const fields = Buffer.concat([ids, nested(nested(value, 2), 9)]);
      expect(refusalBeforeAnother(fields)).to.match(
        /: a message is nested more than 1000 levels deep$/,
      );
    }
  });

  it('refuse more fields than one span may have, also unknown ones', () => {
    for (const field of [bytes(0x4a, 0x00), bytes(0xf8, 0x7f, 0x01)]) {
      const fields = Buffer.alloc(field.length * (limits.spanValues.max + 1), field);
      expect(refusalOf(() => readBody(around(fields), 'protobuf'))).to.equal(
        `${onlyPath}: expected at most ${limits.spanValues.max} members and elements, got more`,
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
