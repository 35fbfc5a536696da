// Traces of MLflow 3, as `Trace.to_json` writes them: `info`, and spans in `data`.
import { fromNanoseconds, list, numberIn, oneOf, parsed } from './conversions.js';
import type { ForeignFormat } from './foreign-format.js';

export const mlflow: ForeignFormat = {
  title: 'MLflow',
  id: ['span_id'],
  spans: 'data.spans',
  fields: [
    { to: 'root_span_id', from: 'trace_id' },
    { to: 'span_parents', from: 'parent_span_id', as: list },
    { to: 'input', from: 'attributes.mlflow.spanInputs', as: parsed },
    { to: 'output', from: 'attributes.mlflow.spanOutputs', as: parsed },
    { to: 'error', from: 'status.message' },
    { to: 'span_attributes.name', from: 'name' },
    {
      to: 'span_attributes.type',
      from: 'attributes.mlflow.spanType',
      as: (value) =>
        oneOf({
          llm: 'llm',
          chat_model: 'llm',
          embedding: 'llm',
          chain: 'task',
          agent: 'task',
          parser: 'task',
          tool: 'tool',
          retriever: 'tool',
          reranker: 'tool',
        })(parsed(value)!),
    },
    { to: 'metrics.start', from: 'start_time_unix_nano', as: fromNanoseconds },
    { to: 'metrics.end', from: 'end_time_unix_nano', as: fromNanoseconds },
    {
      to: 'metrics.prompt_tokens',
      from: 'attributes.mlflow.chat.tokenUsage',
      as: numberIn('input_tokens'),
    },
    {
      to: 'metrics.completion_tokens',
      from: 'attributes.mlflow.chat.tokenUsage',
      as: numberIn('output_tokens'),
    },
    {
      to: 'metrics.tokens',
      from: 'attributes.mlflow.chat.tokenUsage',
      as: numberIn('total_tokens'),
    },
    { to: 'metadata.trace', from: '/info' },
  ],
};
