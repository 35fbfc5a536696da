// The span processor of the Braintrust SDK for OpenTelemetry.
import { BraintrustSpanProcessor } from '@braintrust/otel';
import { context, trace } from '@opentelemetry/api';
import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base';
import { report } from './report.mjs';

const provider = new BasicTracerProvider({
  spanProcessors: [new BraintrustSpanProcessor({ parent: 'project_name:processed' })],
});
const tracer = provider.getTracer('programs');
const root = tracer.startSpan('eval');
root.setAttribute('braintrust.input_json', '{"question":"why"}');
root.setAttribute('braintrust.expected', 'because');
root.setAttribute('braintrust.scores', '{"exact":1}');
root.setAttribute('braintrust.tags', ['one', 'two']);
const child = tracer.startSpan('task', {}, trace.setSpan(context.active(), root));
child.setAttribute('braintrust.span_attributes', '{"type":"function"}');
child.end();
root.end();
await provider.forceFlush();
await provider.shutdown();
report({ root: root.spanContext(), child: child.spanContext() });
