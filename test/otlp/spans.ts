// Spans as OTLP sends them in JSON, for tests.
import type { JsonValue } from '../../src/json/json.js';
import { parseJson } from '../../src/json/parse.js';
import { readSpans, type ReadSpan } from '../../src/otlp/read-spans.js';
import type { Encoding } from '../../src/schema/otlp.js';
import { eventOf } from '../../src/otlp/row.js';
import { stringifyJson } from '../../src/json/stringify.js';

export type Json = Readonly<Record<string, unknown>>;

export const traceId = '5b8efff798038103d269b633813fc60c';
export const spanId = 'eee19b7ec3c1b174';

/** A value in the form of AnyValue; an object is a list of keys and values. */
export function anyValue(value: unknown): Json {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number')
    return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValue) } };
  return { kvlistValue: { values: attributes(value as Json) } };
}

export const attributes = (values: Json): readonly Json[] =>
  Object.entries(values).map(([key, value]) => ({ key, value: anyValue(value) }));

/** A root of half a second, with `fields` in the form of OTLP. */
export const span = (fields: Json = {}): Json => ({
  traceId,
  spanId,
  name: 'work',
  kind: 1,
  startTimeUnixNano: '1778629701623130123',
  endTimeUnixNano: '1778629702123130000',
  ...fields,
});

export const exportOf = (
  spans: readonly unknown[],
  resource: Json = {},
  scope: Json = {},
): Json => ({
  resourceSpans: [{ resource, scopeSpans: [{ scope, spans }] }],
});

/** What `readSpans` gives for a body. */
export const readBody = (body: Buffer | string, encoding: Encoding = 'json') => [
  ...readSpans(Buffer.from(body), encoding),
];

export const readExport = (spans: readonly unknown[], resource?: Json, scope?: Json) =>
  readBody(JSON.stringify(exportOf(spans, resource, scope)));

/** The row of one span, as plain JSON. */
export function rowOf(fields: Json, resource?: Json, scope?: Json): Json {
  const [read] = readExport([span(fields)], resource, scope) as readonly ReadSpan[];
  const row = eventOf(read!.span, read!.origin, null);
  return JSON.parse(stringifyJson(row)) as Json;
}

/** The row of one span with these attributes. */
export const rowWith = (values: Json, fields: Json = {}): Json =>
  rowOf({ ...fields, attributes: attributes(values) });

export const exact = (text: string): JsonValue => parseJson(text);

export const refusalOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    return (error as Error).message;
  }
  return 'nothing is refused';
};

/** Of the only span of a body. */
export const onlyPath = 'resourceSpans[0].scopeSpans[0].spans[0]';
