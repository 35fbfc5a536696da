// Spans of Phoenix, as `get_spans_dataframe` and its API have them: attributes of OpenInference, flat or nested.
import { list, number, oneOf, parsed, seconds } from './conversions.js';
import type { ForeignFormat } from './foreign-format.js';

export const phoenix: ForeignFormat = {
  title: 'Phoenix',
  id: ['context.span_id'],
  page: 'data',
  fields: [
    { to: 'root_span_id', from: 'context.trace_id' },
    { to: 'span_parents', from: 'parent_id', as: list },
    { to: 'created', from: 'start_time' },
    { to: 'input', from: ['attributes.llm.input_messages', 'attributes.input.value'], as: parsed },
    {
      to: 'output',
      from: ['attributes.llm.output_messages', 'attributes.output.value'],
      as: parsed,
    },
    { to: 'error', from: 'status_message' },
    { to: 'span_attributes.name', from: 'name' },
    {
      to: 'span_attributes.type',
      from: ['span_kind', 'attributes.openinference.span.kind'],
      as: oneOf({
        llm: 'llm',
        embedding: 'llm',
        chain: 'task',
        agent: 'task',
        tool: 'tool',
        retriever: 'tool',
        reranker: 'tool',
        evaluator: 'score',
        guardrail: 'score',
      }),
    },
    { to: 'metrics.start', from: 'start_time', as: seconds },
    { to: 'metrics.end', from: 'end_time', as: seconds },
    { to: 'metrics.prompt_tokens', from: 'attributes.llm.token_count.prompt', as: number },
    { to: 'metrics.completion_tokens', from: 'attributes.llm.token_count.completion', as: number },
    { to: 'metrics.tokens', from: 'attributes.llm.token_count.total', as: number },
    { to: 'metadata', from: 'attributes.metadata', as: parsed },
    { to: 'metadata.model', from: 'attributes.llm.model_name' },
    { to: 'metadata.user_id', from: 'attributes.user.id' },
    { to: 'metadata.session_id', from: 'attributes.session.id' },
  ],
};
