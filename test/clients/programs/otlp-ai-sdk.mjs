// Telemetry of the AI SDK with a model that is not there: a text in two steps with a tool between them, a stream, and an embedding.
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { AsyncLocalStorage } from 'node:async_hooks';
import { ROOT_CONTEXT, context } from '@opentelemetry/api';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { embed, generateText, stepCountIs, streamText, tool } from 'ai';
import { MockEmbeddingModelV3, MockLanguageModelV3, convertArrayToReadableStream } from 'ai/test';
import { z } from 'zod';
import { exporterOptions } from './otlp-spans.mjs';
import { report } from './report.mjs';

/** What the AI SDK finds the parents of its spans with. */
const storage = new AsyncLocalStorage();
context.setGlobalContextManager({
  active: () => storage.getStore() ?? ROOT_CONTEXT,
  with: (active, work, self, ...args) => storage.run(active, () => work.apply(self, args)),
  bind: (active, target) =>
    typeof target === 'function' ? (...args) => storage.run(active, () => target(...args)) : target,
  enable: () => {},
  disable: () => {},
});

const provider = new BasicTracerProvider({
  spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter(exporterOptions))],
});

const telemetry = {
  isEnabled: true,
  tracer: provider.getTracer('ai'),
  functionId: 'answer',
  metadata: { user: 'u1' },
};

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 4, text: 4, reasoning: 0 },
};

const answers = [
  {
    content: [
      { type: 'tool-call', toolCallId: 'call', toolName: 'weather', input: '{"city":"Ulm"}' },
    ],
    finishReason: { unified: 'tool-calls', raw: undefined },
    usage,
    warnings: [],
  },
  {
    content: [{ type: 'text', text: 'It rains.' }],
    finishReason: { unified: 'stop', raw: undefined },
    usage,
    warnings: [],
  },
];

const { text } = await generateText({
  model: new MockLanguageModelV3({
    modelId: 'mock-model',
    doGenerate: async () => answers.shift(),
  }),
  tools: {
    weather: tool({
      inputSchema: z.object({ city: z.string() }),
      execute: async ({ city }) => ({ city, rain: true }),
    }),
  },
  stopWhen: stepCountIs(3),
  prompt: 'How is the weather?',
  experimental_telemetry: telemetry,
});

const stream = streamText({
  model: new MockLanguageModelV3({
    doStream: async () => ({
      stream: convertArrayToReadableStream([
        { type: 'stream-start', warnings: [] },
        { type: 'text-start', id: '1' },
        { type: 'text-delta', id: '1', delta: 'Hello' },
        { type: 'text-end', id: '1' },
        { type: 'finish', finishReason: { unified: 'stop', raw: undefined }, usage },
      ]),
    }),
  }),
  prompt: 'Say hello.',
  experimental_telemetry: telemetry,
});
let streamed = '';
for await (const part of stream.textStream) streamed += part;

await embed({
  model: new MockEmbeddingModelV3({
    doEmbed: async () => ({ embeddings: [[0.5, 1]], usage: { tokens: 5 }, warnings: [] }),
  }),
  value: 'Ulm',
  experimental_telemetry: telemetry,
});

await provider.forceFlush();
await provider.shutdown();
report({ text, streamed });
