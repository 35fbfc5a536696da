// Runs of LangSmith, as its API and its bulk export have them (`Run` of the package `langsmith`).
import { list, number, numbersAt, oneOf, parsed, seconds, texts } from './conversions.js';
import type { ForeignFormat } from './foreign-format.js';

export const langsmith: ForeignFormat = {
  title: 'LangSmith',
  id: ['id'],
  page: 'runs',
  texts: ['extra', 'feedback_stats'],
  fields: [
    { to: 'root_span_id', from: 'trace_id' },
    { to: 'span_parents', from: 'parent_run_id', as: list },
    { to: 'created', from: 'start_time' },
    { to: 'input', from: 'inputs', as: parsed },
    { to: 'output', from: 'outputs', as: parsed },
    { to: 'error', from: 'error' },
    { to: 'scores', from: 'feedback_stats', as: numbersAt('avg') },
    { to: 'tags', from: 'tags', as: texts },
    { to: 'span_attributes.name', from: 'name' },
    {
      to: 'span_attributes.type',
      from: 'run_type',
      as: oneOf({
        llm: 'llm',
        embedding: 'llm',
        chain: 'task',
        prompt: 'task',
        parser: 'task',
        tool: 'tool',
        retriever: 'tool',
      }),
    },
    { to: 'metrics.start', from: 'start_time', as: seconds },
    { to: 'metrics.end', from: 'end_time', as: seconds },
    { to: 'metrics.prompt_tokens', from: 'prompt_tokens', as: number },
    { to: 'metrics.completion_tokens', from: 'completion_tokens', as: number },
    { to: 'metrics.tokens', from: 'total_tokens', as: number },
    { to: 'metrics.estimated_cost', from: 'total_cost', as: number },
    { to: 'metadata', from: ['extra.metadata', 'metadata'], as: parsed },
    {
      to: 'metadata.model',
      from: ['extra.metadata.ls_model_name', 'extra.invocation_params.model'],
    },
  ],
};
