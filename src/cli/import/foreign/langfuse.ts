// Traces and observations as Langfuse exports them, and as its API returns them (github.com/langfuse/langfuse, `Trace`, `Observation`).
import { list, namedNumbers, number, oneOf, parsed, seconds, texts } from './conversions.js';
import type { ForeignFormat } from './foreign-format.js';

/** An observation without a parent is below the span of its trace. */
export const langfuse: ForeignFormat = {
  title: 'Langfuse',
  id: ['id'],
  inner: 'observations',
  fields: [
    { to: 'root_span_id', from: 'traceId' },
    { to: 'span_parents', from: ['parentObservationId', 'traceId'], as: list },
    { to: 'created', from: ['startTime', 'timestamp'] },
    { to: 'input', from: 'input', as: parsed },
    { to: 'output', from: 'output', as: parsed },
    { to: 'error', from: 'statusMessage' },
    { to: 'scores', from: 'scores', as: namedNumbers },
    { to: 'tags', from: 'tags', as: texts },
    { to: 'span_attributes.name', from: 'name' },
    {
      to: 'span_attributes.type',
      from: 'type',
      as: oneOf({
        generation: 'llm',
        embedding: 'llm',
        span: 'task',
        event: 'task',
        agent: 'task',
        chain: 'task',
        tool: 'tool',
        retriever: 'tool',
        evaluator: 'score',
        guardrail: 'score',
      }),
    },
    { to: 'metrics.start', from: ['startTime', 'timestamp'], as: seconds },
    { to: 'metrics.end', from: 'endTime', as: seconds },
    {
      to: 'metrics.prompt_tokens',
      from: ['usageDetails.input', 'usage.input', 'promptTokens'],
      as: number,
    },
    {
      to: 'metrics.completion_tokens',
      from: ['usageDetails.output', 'usage.output', 'completionTokens'],
      as: number,
    },
    {
      to: 'metrics.tokens',
      from: ['usageDetails.total', 'usage.total', 'totalTokens'],
      as: number,
    },
    {
      to: 'metrics.estimated_cost',
      from: ['costDetails.total', 'calculatedTotalCost', 'totalCost'],
      as: number,
    },
    { to: 'metadata', from: 'metadata', as: parsed },
    { to: 'metadata.model', from: 'model' },
    { to: 'metadata.user_id', from: 'userId' },
    { to: 'metadata.session_id', from: 'sessionId' },
  ],
};
