// Spans for OpenTelemetry's own serializers, which know nothing of this server.
import {
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Attributes,
  type SpanStatus,
} from '@opentelemetry/api';
import { JsonTraceSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import type { ReadableSpan, TimedEvent } from '@opentelemetry/sdk-trace-base';
import type { Encoding } from '../../src/schema/otlp.js';
import { spanId, traceId } from './spans.js';

export interface SpanParts {
  readonly name: string;
  readonly spanId?: string;
  readonly parentSpanId?: string;
  readonly kind?: SpanKind;
  readonly attributes?: Attributes;
  readonly events?: TimedEvent[];
  readonly status?: SpanStatus;
  readonly resource?: Attributes;
  readonly scope?: string;
}

/** Half a second long. */
export function readableSpan(parts: SpanParts): ReadableSpan {
  const context = { traceId, spanId: parts.spanId ?? spanId, traceFlags: TraceFlags.SAMPLED };
  const { parentSpanId } = parts;
  return {
    name: parts.name,
    kind: parts.kind ?? SpanKind.INTERNAL,
    spanContext: () => context,
    ...(parentSpanId === undefined
      ? {}
      : { parentSpanContext: { ...context, spanId: parentSpanId } }),
    startTime: [1778629701, 623130123],
    endTime: [1778629702, 123130000],
    status: parts.status ?? { code: SpanStatusCode.UNSET },
    attributes: parts.attributes ?? {},
    links: [],
    events: parts.events ?? [],
    duration: [0, 5e8],
    ended: true,
    resource: resourceFromAttributes(parts.resource ?? {}),
    instrumentationScope: { name: parts.scope ?? 'scope', version: '1' },
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

const serializers = { json: JsonTraceSerializer, protobuf: ProtobufTraceSerializer };

export const encodeSpans = (spans: ReadableSpan[], encoding: Encoding): Buffer =>
  Buffer.from(serializers[encoding].serializeRequest(spans)!);
