// A validated OTLP span. Ids are lower-case hex, times nanoseconds since 1970.
import { badRequest } from '../errors.js';
import type { JsonObject, JsonValue } from '../json/json.js';
import { isJsonObject, memberOf } from '../json/tree.js';
import { isLosslessNumber } from 'lossless-json';
import { attributesOf, type Attributes } from './attributes.js';
import { describeJson } from './describe.js';

/** The numbers of parts that the client dropped. */
export interface Dropped {
  readonly attributes: number;
  readonly events: number;
  readonly links: number;
}

export interface SpanEvent {
  readonly name: string;
  readonly time: bigint | null;
  readonly attributes: Attributes;
  readonly droppedAttributes: number;
}

export interface SpanLink {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceState: string;
  readonly flags: number;
  readonly attributes: Attributes;
  readonly droppedAttributes: number;
}

export interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Null for the root of a trace. */
  readonly parentSpanId: string | null;
  readonly traceState: string;
  readonly flags: number;
  readonly name: string;
  /** The number of the specification. */
  readonly kind: number;
  /** Null if it was not sent. */
  readonly start: bigint | null;
  readonly end: bigint | null;
  readonly attributes: Attributes;
  readonly events: readonly SpanEvent[];
  readonly links: readonly SpanLink[];
  /** The number of the specification. */
  readonly statusCode: number;
  readonly statusMessage: string;
  readonly dropped: Dropped;
}

const expected = (name: string, what: string, value: JsonValue | undefined) =>
  badRequest(`${name}: expected ${what}, got ${describeJson(value)}`);

const member = (object: JsonObject, name: string): JsonValue => memberOf(object, name) ?? null;

export function textOf(object: JsonObject, name: string): string {
  const value = member(object, name) ?? '';
  if (typeof value !== 'string') throw expected(name, 'a string', value);
  return value;
}

/** A number, or its digits in a string: the JSON of protobuf has both. */
export function countOf(object: JsonObject, name: string): number {
  const value = member(object, name) ?? 0;
  const count = typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : value;
  if (typeof count !== 'number') throw expected(name, 'a number', value);
  return count;
}

/** A number, or the name that some clients send. */
function enumOf(object: JsonObject, name: string, names: readonly string[]): number {
  const value = member(object, name) ?? 0;
  const index = typeof value === 'string' ? names.indexOf(value) : value;
  if (typeof index !== 'number' || index === -1)
    throw expected(name, 'the number of an enumeration', value);
  return index;
}

function idOf(object: JsonObject, name: string, digits: number): string {
  const value = member(object, name);
  const id = typeof value === 'string' ? value.toLowerCase() : '';
  if (id.length !== digits || !/^[\da-f]*[1-9a-f][\da-f]*$/.test(id))
    throw expected(name, `${digits} hex digits that are not all 0`, value);
  return id;
}

/** An empty, absent or zero id means that the span has no parent. */
function parentIdOf(object: JsonObject): string | null {
  const value = member(object, 'parentSpanId') ?? '';
  if (typeof value === 'string' && /^0*$/.test(value)) return null;
  return idOf(object, 'parentSpanId', 16);
}

const nanosecondsMax = 2n ** 64n - 1n;

const integerText = (value: JsonValue): string => {
  if (isLosslessNumber(value)) return value.value;
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value).toString() : '';
  return typeof value === 'string' ? value : '';
};

/** Null for a time that was not sent or is 0, which protobuf cannot distinguish. */
function timeOf(object: JsonObject, name: string): bigint | null {
  const value = member(object, name);
  if (value === null || value === '') return null;
  const text = integerText(value);
  const time = /^\d{1,20}$/.test(text) ? BigInt(text) : -1n;
  if (time < 0n || time > nanosecondsMax) throw expected(name, 'nanoseconds since 1970', value);
  return time === 0n ? null : time;
}

function* objectsOf(object: JsonObject, name: string): Generator<JsonObject> {
  const list = member(object, name) ?? [];
  if (!Array.isArray(list)) throw expected(name, 'an array', list);
  for (const [index, element] of (list as readonly JsonValue[]).entries()) {
    if (!isJsonObject(element)) throw expected(`${name}[${index}]`, 'an object', element);
    yield element;
  }
}

const droppedAttributesOf = (object: JsonObject) => countOf(object, 'droppedAttributesCount');

const eventOf = (event: JsonObject): SpanEvent => ({
  name: textOf(event, 'name'),
  time: timeOf(event, 'timeUnixNano'),
  attributes: attributesOf(memberOf(event, 'attributes'), 'events.attributes'),
  droppedAttributes: droppedAttributesOf(event),
});

const linkOf = (link: JsonObject): SpanLink => ({
  traceId: textOf(link, 'traceId').toLowerCase(),
  spanId: textOf(link, 'spanId').toLowerCase(),
  traceState: textOf(link, 'traceState'),
  flags: countOf(link, 'flags'),
  attributes: attributesOf(memberOf(link, 'attributes'), 'links.attributes'),
  droppedAttributes: droppedAttributesOf(link),
});

function statusOf(object: JsonObject): JsonObject {
  const status = member(object, 'status') ?? {};
  if (!isJsonObject(status)) throw expected('status', 'an object', status);
  return status;
}

export const kindNames = [
  'SPAN_KIND_UNSPECIFIED',
  'SPAN_KIND_INTERNAL',
  'SPAN_KIND_SERVER',
  'SPAN_KIND_CLIENT',
  'SPAN_KIND_PRODUCER',
  'SPAN_KIND_CONSUMER',
] as const;

export const statusNames = ['STATUS_CODE_UNSET', 'STATUS_CODE_OK', 'STATUS_CODE_ERROR'] as const;

/** @throws RequestError 400 that names the first invalid field */
export function spanOf(value: JsonValue): OtlpSpan {
  if (!isJsonObject(value)) throw badRequest(`expected an object, got ${describeJson(value)}`);
  const status = statusOf(value);
  return {
    traceId: idOf(value, 'traceId', 32),
    spanId: idOf(value, 'spanId', 16),
    parentSpanId: parentIdOf(value),
    traceState: textOf(value, 'traceState'),
    flags: countOf(value, 'flags'),
    name: textOf(value, 'name'),
    kind: enumOf(value, 'kind', kindNames),
    start: timeOf(value, 'startTimeUnixNano'),
    end: timeOf(value, 'endTimeUnixNano'),
    attributes: attributesOf(memberOf(value, 'attributes'), 'attributes'),
    events: Array.from(objectsOf(value, 'events'), eventOf),
    links: Array.from(objectsOf(value, 'links'), linkOf),
    statusCode: enumOf(status, 'code', statusNames),
    statusMessage: textOf(status, 'message'),
    dropped: {
      attributes: droppedAttributesOf(value),
      events: countOf(value, 'droppedEventsCount'),
      links: countOf(value, 'droppedLinksCount'),
    },
  };
}
