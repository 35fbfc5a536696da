// Export requests of OpenTelemetry traces: encodings, sources of parents, and schema.
import { Type } from 'typebox';
import { AnyObject, Text, component, described, exactly, omittable, optional } from './scalar.js';

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
    resourceSpans: optional(
      Type.Array(AnyObject),
      'The spans, by resource and scope, as the OpenTelemetry protocol (OTLP) 1.x defines them in JSON.',
    ),
  },
  { title: 'ExportTraceServiceRequest' },
);

/** In JSON. */
export const ErrorStatus = component('Status', {
  code: described(Type.Integer(), 'Code of gRPC, as in google.rpc.Code.'),
  message: described(Text, 'Reason for the error.'),
});

/**
 * Paths of exporters. Those of logs and metrics, which have no route, are among them: clients derive them from one endpoint, and read all
 * errors in one form.
 */
export const exporterPath = /^\/(?:otel\/)?v1\/(?:traces|logs|metrics)\/?$/;

export const ExportTraceResponse = component('ExportTraceServiceResponse', {
  partialSuccess: omittable(
    exactly({
      rejectedSpans: described(Text, 'Number of rejected spans, as a decimal string.'),
      errorMessage: described(
        Text,
        'Reason for the first of them, or a warning if there are none.',
      ),
    }),
    'Present if some spans were rejected, or if the request has no spans, but members with similar names.',
  ),
});
