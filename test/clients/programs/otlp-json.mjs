// The exporter that sends JSON.
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { exporterOptions, exportSpans } from './otlp-spans.mjs';
import { report } from './report.mjs';

report(await exportSpans(new OTLPTraceExporter(exporterOptions)));
