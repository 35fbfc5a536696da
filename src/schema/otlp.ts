// Export requests of OpenTelemetry traces: encodings, sources of parents, and schema.
import { Type } from 'typebox';
import { AnyObject, Text, component, described, exactly, omittable } from './scalar.js';

/** Content types by encoding. */
export const encodings = {
  json: 'application/json',
  protobuf: 'application/x-protobuf',
} as const;

export type Encoding = keyof typeof encodings;

/** The attribute with the parent of a span. */
export const parentAttribute = 'braintrust.parent';

/** The header with the parent of spans without that attribute. */
export const parentHeader = 'x-bt-parent';

/** Where the context of an event has the trace of a span whose `root_span_id` is another one. */
export const traceIdPath = ['otel', 'trace_id'] as const;

export const ExportTraceRequest = Type.Object(
  {
    resourceSpans: Type.Optional(
      Type.Array(AnyObject, {
        description:
          'The spans, by resource and scope, as the OpenTelemetry protocol (OTLP) 1.x defines them in JSON.',
      }),
    ),
  },
  { title: 'ExportTraceServiceRequest' },
);

export const ExportTraceResponse = component('ExportTraceServiceResponse', {
  partialSuccess: omittable(
    exactly({
      rejectedSpans: described(Text, 'Number of rejected spans, as a decimal string.'),
      errorMessage: described(Text, 'Reason for the first of them.'),
    }),
    'Present if some spans were rejected.',
  ),
});
