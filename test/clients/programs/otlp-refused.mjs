// Exporters whose spans have no parent that the server takes.
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { exporterOptions, exportSpans } from './otlp-spans.mjs';
import { report } from './report.mjs';

const headers = { ...exporterOptions.headers, 'x-bt-parent': 'nowhere' };
const results = [];
for (const Exporter of [JsonExporter, ProtobufExporter])
  results.push(...(await exportSpans(new Exporter({ ...exporterOptions, headers }))).results);
report({ results });
