// Two traces made with OpenTelemetry's own API and SDK, through an exporter that the caller chooses.
import { SpanKind, SpanStatusCode, context, trace } from '@opentelemetry/api';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';

const { env } = process;

export const exporterOptions = {
  url: `${env.BRAINTRUST_API_URL}/otel/v1/traces`,
  headers: {
    Authorization: `Bearer ${env.BRAINTRUST_API_KEY}`,
    'x-bt-parent': 'project_name:exported',
  },
};

/** @returns the ids of the root and of its child, and what the exporter was told */
export async function exportSpans(exporter) {
  const results = [];
  const told = {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        results.push({ code: result.code, error: result.error?.message });
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.(),
  };
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'exporting' }),
    spanProcessors: [new BatchSpanProcessor(told)],
  });
  const tracer = provider.getTracer('programs', '1.0');
  const root = tracer.startSpan('root', { kind: SpanKind.SERVER });
  const inRoot = trace.setSpan(context.active(), root);
  const child = tracer.startSpan(
    'chat',
    {
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': 'openai/gpt-4o',
        'gen_ai.request.temperature': 0.5,
        'gen_ai.usage.input_tokens': 7,
        'gen_ai.usage.output_tokens': 5,
        'gen_ai.input.messages': JSON.stringify([
          { role: 'user', parts: [{ type: 'text', content: 'täglich \u{1F600}' }] },
        ]),
        large: Number.MAX_SAFE_INTEGER,
        flags: [true, false],
      },
    },
    inRoot,
  );
  child.addEvent('gen_ai.choice', { message: '{"role":"assistant","content":"yes"}' });
  child.end();
  root.recordException(new RangeError('out of range'));
  root.setStatus({ code: SpanStatusCode.ERROR });
  root.end();
  // Rejects when the exporter fails, which `results` say, too.
  await provider.forceFlush().catch(() => {});
  await provider.shutdown();
  return {
    root: root.spanContext(),
    child: child.spanContext(),
    results,
  };
}
