// Traces and observations as the API of Langfuse returns them, and in the words of its export to blob storage (`traces`, `observations`,
// `observations_v2`).
import { memberOf } from '../../../json/tree.js';
import {
  list,
  namedNumbers,
  number,
  oneOf,
  parsed,
  seconds,
  texts,
  time,
  type Conversion,
} from './conversions.js';
import type { ForeignFormat } from './foreign-format.js';

/** An observation without a parent is below its trace. One that has the name of its trace is without it in the files. */
const traceAsParent: Conversion = (value, span = {}) =>
  memberOf(span, 'trace_name') === undefined ? list(value) : undefined;

export const langfuse: ForeignFormat = {
  title: 'Langfuse',
  id: ['id'],
  page: 'data',
  inner: 'observations',
  fields: [
    { to: 'root_span_id', from: ['traceId', 'trace_id'] },
    { to: 'span_parents', from: ['traceId', 'trace_id'], as: traceAsParent },
    { to: 'span_parents', from: ['parentObservationId', 'parent_observation_id'], as: list },
    { to: 'created', from: ['startTime', 'start_time', 'timestamp'], as: time },
    { to: 'input', from: 'input', as: parsed },
    { to: 'output', from: 'output', as: parsed },
    { to: 'error', from: ['statusMessage', 'status_message'] },
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
    { to: 'metrics.start', from: ['startTime', 'start_time', 'timestamp'], as: seconds },
    { to: 'metrics.end', from: ['endTime', 'end_time'], as: seconds },
    {
      to: 'metrics.prompt_tokens',
      from: ['usageDetails.input', 'usage_details.input', 'usage.input', 'promptTokens'],
      as: number,
    },
    {
      to: 'metrics.completion_tokens',
      from: ['usageDetails.output', 'usage_details.output', 'usage.output', 'completionTokens'],
      as: number,
    },
    {
      to: 'metrics.tokens',
      from: ['usageDetails.total', 'usage_details.total', 'usage.total', 'totalTokens'],
      as: number,
    },
    {
      to: 'metrics.estimated_cost',
      from: [
        'costDetails.total',
        'cost_details.total',
        'calculatedTotalCost',
        'totalCost',
        'total_cost',
      ],
      as: number,
    },
    { to: 'metadata', from: 'metadata', as: parsed },
    { to: 'metadata.model', from: ['model', 'provided_model_name'] },
    { to: 'metadata.user_id', from: ['userId', 'user_id'] },
    { to: 'metadata.session_id', from: ['sessionId', 'session_id'] },
  ],
};
