// Converts a span to an event. Data without a field goes to `context.otel`.
import type { JsonValue } from '../json/json.js';
import { objectInOrder } from '../json/ordered.js';
import { mapSpan, type MappedSpan } from './map-span.js';
import { filled, type Members } from './origin.js';
import type { ParentSpan } from './parent.js';
import { kindNames, statusNames, type OtlpSpan, type SpanEvent, type SpanLink } from './span.js';

const defaultType = 'task';

/** Seconds since 1970, to the microsecond. */
const secondsOf = (time: bigint | null): JsonValue =>
  time === null ? null : Number(time / 1000n) / 1e6;

const createdOf = (time: bigint): string => new Date(Number(time / 1_000_000n)).toISOString();

const object = (members: Iterable<readonly [string, JsonValue]>): JsonValue =>
  objectInOrder(filled(members));

/** `SPAN_KIND_SERVER` becomes `SERVER`, an unspecified kind null; unknown numbers stay unchanged. */
const shortName = (names: readonly string[], prefix: string, code: number): JsonValue => {
  if (code === 0) return null;
  return names[code]?.slice(prefix.length) ?? code;
};

/** @param attributes those that are not in a message */
const eventMembers = (event: SpanEvent, attributes: SpanEvent['attributes']): JsonValue =>
  object([
    ['name', event.name],
    ['time', secondsOf(event.time)],
    ['attributes', objectInOrder(attributes)],
    ['dropped_attributes_count', event.droppedAttributes],
  ]);

const linkMembers = (link: SpanLink): JsonValue =>
  object([
    ['trace_id', link.traceId],
    ['span_id', link.spanId],
    ['trace_state', link.traceState],
    ['flags', link.flags],
    ['attributes', objectInOrder(link.attributes)],
    ['dropped_attributes_count', link.droppedAttributes],
  ]);

const otelMembers = (
  span: OtlpSpan,
  origin: Members,
  { usedEvents }: MappedSpan,
  parent: ParentSpan | null,
): JsonValue =>
  object([
    ...origin,
    ['kind', shortName(kindNames, 'SPAN_KIND_', span.kind)],
    [
      'status',
      object([
        ['code', shortName(statusNames, 'STATUS_CODE_', span.statusCode)],
        ['message', span.statusMessage],
      ]),
    ],
    ['trace_id', parent === null ? null : span.traceId],
    ['trace_state', span.traceState],
    ['flags', span.flags],
    [
      'events',
      span.events.map((event) => eventMembers(event, usedEvents.get(event) ?? event.attributes)),
    ],
    ['links', span.links.map(linkMembers)],
    ['dropped_attributes_count', span.dropped.attributes],
    ['dropped_events_count', span.dropped.events],
    ['dropped_links_count', span.dropped.links],
  ]);

const statusError = 2;

const textIn = (attributes: ReadonlyMap<string, JsonValue> | undefined, name: string): string => {
  const value = attributes?.get(name);
  return typeof value === 'string' ? value : '';
};

/** The error of a failed span, else null. */
function errorOf({ statusCode, statusMessage, events, attributes }: OtlpSpan): JsonValue {
  if (statusCode !== statusError) return null;
  const exception = events.findLast(({ name }) => name === 'exception')?.attributes;
  const texts = [
    statusMessage,
    textIn(exception, 'exception.message'),
    textIn(exception, 'exception.type'),
    textIn(attributes, 'error.type'),
  ];
  const message = texts.find((text) => text !== '') ?? 'error';
  const stack = textIn(exception, 'exception.stacktrace');
  return stack === '' ? message : `${message}\n\n${stack}`;
}

function metricsOf(span: OtlpSpan, metrics: ReadonlyMap<string, JsonValue>): JsonValue {
  const times = filled([
    ['start', secondsOf(span.start)],
    ['end', secondsOf(span.end)],
  ]);
  return objectInOrder(new Map([...times, ...metrics]));
}

const spanAttributesOf = (span: OtlpSpan, attributes: ReadonlyMap<string, JsonValue>): JsonValue =>
  objectInOrder(
    new Map<string, JsonValue>([['name', span.name], ['type', defaultType], ...attributes]),
  );

const parentsOf = ({ parentSpanId }: OtlpSpan, parent: ParentSpan | null): JsonValue => {
  const id = parentSpanId ?? parent?.spanId ?? null;
  return id === null ? null : [id];
};

/** @param parent the parent span of the root spans of the request */
export function eventOf(
  span: OtlpSpan,
  origin: Members,
  parent: ParentSpan | null,
): Readonly<Record<string, JsonValue>> {
  const mapped = mapSpan(span);
  const { metadata, metrics, scores, span_attributes, context } = mapped.objects;
  const time = span.start ?? span.end;
  const otel = otelMembers(span, origin, mapped, parent);
  return {
    id: span.spanId,
    span_id: span.spanId,
    root_span_id: parent?.rootSpanId ?? span.traceId,
    span_parents: parentsOf(span, parent),
    ...(time === null ? {} : { created: createdOf(time) }),
    ...Object.fromEntries(mapped.values),
    error: errorOf(span),
    ...Object.fromEntries(
      filled([
        ['scores', objectInOrder(scores)],
        ['metadata', objectInOrder(metadata)],
        ['metrics', metricsOf(span, metrics)],
        ['context', objectInOrder(new Map([...context, ...filled([['otel', otel]])]))],
      ]),
    ),
    span_attributes: spanAttributesOf(span, span_attributes),
  };
}
