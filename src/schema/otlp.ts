// The export requests of OpenTelemetry traces: how they are encoded, where they say what their spans belong to, and their shape.
import { Type } from 'typebox';
import { AnyObject, Text, closed, described } from './scalar.js';

/** Content types by encoding. */
export const encodings = {
  json: 'application/json',
  protobuf: 'application/x-protobuf',
} as const;

export type Encoding = keyof typeof encodings;

/** Of a span: what it belongs to. */
export const parentAttribute = 'braintrust.parent';

/** Of a request: what its spans belong to that do not say it themselves. */
export const parentHeader = 'x-bt-parent';

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

export const ExportTraceResponse = Type.Object(
  {
    partialSuccess: Type.Optional(
      Type.Object(
        {
          rejectedSpans: described(Text, 'How many spans were not stored, as decimal digits.'),
          errorMessage: described(Text, 'What is wrong with the first of them.'),
        },
        {
          ...closed,
          description: 'There when some spans were stored and others were not.',
        },
      ),
    ),
  },
  { ...closed, title: 'ExportTraceServiceResponse' },
);
