// The exporter of the Braintrust SDK for OpenTelemetry, and spans of both kinds under one another.
import {
  BraintrustExporter,
  BraintrustSpanProcessor,
  contextFromSpanExport,
  setupOtelCompat,
} from '@braintrust/otel';
import { AsyncLocalStorage } from 'node:async_hooks';
import { ROOT_CONTEXT, context, trace } from '@opentelemetry/api';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { init, initLogger } from 'braintrust';
import { report } from './report.mjs';

const storage = new AsyncLocalStorage();
context.setGlobalContextManager({
  active: () => storage.getStore() ?? ROOT_CONTEXT,
  with: (active, work, self, ...args) => storage.run(active, () => work.apply(self, args)),
  bind: (active, target) => target,
  enable: () => {},
  disable: () => {},
});
setupOtelCompat();

/** Ends one span with an AI attribute and one without, both under `parent`. */
async function exportUnder(parent, spanProcessor) {
  const provider = new BasicTracerProvider({ spanProcessors: [spanProcessor] });
  trace.disable();
  trace.setGlobalTracerProvider(provider);
  const tracer = provider.getTracer('mixed');
  const spans = ['chat', 'plain'].map((name) => tracer.startSpan(name, {}, parent));
  spans[0].setAttribute('gen_ai.prompt_json', '{"text":"why"}');
  for (const span of spans) span.end();
  await provider.forceFlush();
  await provider.shutdown();
  return spans.map((span) => span.spanContext().spanId);
}

const project = 'project_name:mixed';
const exporter = new BatchSpanProcessor(new BraintrustExporter({ parent: project }));
const exported = await exportUnder(ROOT_CONTEXT, exporter);
const filtering = new BraintrustSpanProcessor({ parent: project, filterAISpans: true });
const outer = trace.wrapSpanContext({
  traceId: '0123456789abcdef0123456789abcdef',
  spanId: '0123456789abcdef',
  traceFlags: 1,
});
const filtered = await exportUnder(trace.setSpan(ROOT_CONTEXT, outer), filtering);

// A span of OpenTelemetry under one of the SDK, and one of the SDK under that.
const logger = initLogger({ projectName: 'mixed' });
const provider = new BasicTracerProvider({
  spanProcessors: [new BraintrustSpanProcessor({ parent: project })],
});
const tracer = provider.getTracer('mixed');
const mixed = {};
logger.traced(
  (span) => {
    mixed.outer = span.spanId;
    const middle = tracer.startSpan('middle');
    mixed.middle = middle.spanContext().spanId;
    context.with(trace.setSpan(context.active(), middle), () =>
      logger.traced((inner) => void (mixed.inner = inner.spanId), { name: 'inner' }),
    );
    middle.end();
  },
  { name: 'outer' },
);

// A span of OpenTelemetry under an exported span.
const request = logger.startSpan({ name: 'request' });
const under = tracer.startSpan('under', {}, contextFromSpanExport(await request.export()));
under.end();
request.end();
await logger.flush();
await provider.forceFlush();
await provider.shutdown();

// Spans of OpenTelemetry in an experiment.
const experimentId = await init('mixed', { experiment: 'exported' }).id;
const parent = `experiment_id:${experimentId}`;
const evaluated = await exportUnder(ROOT_CONTEXT, new BraintrustSpanProcessor({ parent }));

report({
  exported,
  filtered,
  mixed,
  request: request.spanId,
  under: under.spanContext().spanId,
  evaluated,
  experimentId,
});
