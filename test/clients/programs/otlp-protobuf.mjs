// The exporter that sends protobuf, compressed.
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { CompressionAlgorithm } from '@opentelemetry/otlp-exporter-base';
import { exporterOptions, exportSpans } from './otlp-spans.mjs';
import { report } from './report.mjs';

report(
  await exportSpans(
    new OTLPTraceExporter({ ...exporterOptions, compression: CompressionAlgorithm.GZIP }),
  ),
);
