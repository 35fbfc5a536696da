// The endpoint for OpenTelemetry exporters, below `/otel` and `/`.
import { Type } from 'typebox';
import { file } from '../schema/answer.js';
import {
  ErrorStatus,
  ExportTraceRequest,
  ExportTraceResponse,
  encodings,
  parentHeader,
} from '../schema/otlp.js';
import { Text, described } from '../schema/scalar.js';
import { encodingOf, storeSpans } from '../service/event/otlp.js';
import { operation, type DocumentedOperation } from './operation.js';

const parent = described(
  Text,
  'Parent of the spans without an attribute `braintrust.parent`: `project_id:<id>`, `project_name:<name>` (which creates a missing project), `experiment_id:<id>`, or an exported span of the Braintrust SDKs.',
);

const contentTypes = {
  [encodings.json]: '',
  [encodings.protobuf]: 'An ExportTraceServiceRequest in protobuf.',
};

const exportOperation = (path: string, name: string): DocumentedOperation =>
  operation('post', path, {
    name,
    group: 'OpenTelemetry',
    summary: 'Store the spans of an OpenTelemetry exporter (OTLP over HTTP) as events',
    body: { kind: 'bytes', shown: ExportTraceRequest, contentTypes },
    answers: {
      [encodings.json]: ExportTraceResponse,
      [encodings.protobuf]: file('An ExportTraceServiceResponse in protobuf.'),
    },
    refusals: {
      [encodings.json]: ErrorStatus,
      [encodings.protobuf]: file('A google.rpc.Status in protobuf.'),
    },
    headers: ['x-evalstore-version'],
    requestHeaders: Type.Object({ [parentHeader]: Type.Optional(parent) }),
    run: ({ services, caller, bytes, contentType, headers, reserve, signal }) => {
      const format = {
        encoding: encodingOf(contentType),
        parent: headers[parentHeader] ?? null,
      };
      return storeSpans(services, caller, format, { bytes, reserve, signal });
    },
  });

export const otlpOperations: readonly DocumentedOperation[] = [
  exportOperation('/otel/v1/traces', 'exportSpans'),
  exportOperation('/v1/traces', 'exportSpansByOtherPath'),
];
