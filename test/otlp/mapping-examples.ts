// An example of each rule of the mapping, by its name: `attribute -> field`.
import { eventInserts } from '../../src/schema/event.js';
import type { Json } from './spans.js';

/** Attributes, the fields that they become, and what of them stays in the metadata. */
export interface Example {
  readonly attributes: Json;
  readonly row: Json;
  readonly metadata?: Json;
  /** Attributes of the same name that stay where they are. */
  readonly useless?: readonly Json[];
}

const message = { role: 'user', content: 'hi' };
const messages = JSON.stringify([message]);

const json = (name: string, field: string): Example => ({
  attributes: { [name]: '{"a":[1,null]}' },
  row: { [field]: { a: [1, null] } },
  useless: [{ [name]: 'no JSON' }, { [name]: 5 }, { [name]: ['{}'] }, { [name]: '' }],
});

const metric = (name: string, field: string): Example => ({
  attributes: { [name]: 12 },
  row: { [`metrics.${field}`]: 12 },
  useless: [{ [name]: '12' }, { [name]: [12] }, { [name]: true }],
});

const modelCall = { 'ai.operationId': 'ai.generateText.doGenerate' };

const callMetric = (name: string, field: string): Example => ({
  attributes: { ...modelCall, [name]: 12 },
  row: { [`metrics.${field}`]: 12 },
  metadata: modelCall,
  // The outer span of the AI SDK repeats the sum of its calls.
  useless: [{ [name]: 12 }, { [name]: 12, 'ai.operationId': 'ai.generateText' }],
});

const type = (name: string, value: string, expected: string, other: string | null): Example => ({
  attributes: { [name]: value },
  row: { 'span_attributes.type': expected },
  metadata: { [name]: value },
  useless: other === null ? [] : [{ [name]: other }],
});

const list = (name: string, field: string): Example => ({
  attributes: { [`${name}.0.role`]: 'user', [`${name}.0.content`]: 'hi', [`${name}.1.role`]: 'a' },
  row: { [field]: [message, { role: 'a' }] },
});

const text = (name: string, field: string): Example => ({
  attributes: { [name]: 'hello' },
  row: { [field]: 'hello' },
});

const textOrJson = (name: string, field: string): Example => ({
  ...json(name, field),
  useless: [],
});

const structure = (name: string, field: string): Example => ({
  attributes: { [name]: messages },
  row: { [field]: [message] },
  useless: [{ [name]: 'no JSON' }, { [name]: '5' }, { [name]: 5 }],
});

const items = (name: string, field: string): Example => ({
  attributes: { [name]: ['"a"', '{"b":1}'] },
  row: { [field]: ['a', { b: 1 }] },
  useless: [{ [name]: '["a"]' }, { [name]: ['"a"', 'no JSON'] }, { [name]: [1] }],
});

const firstChunk = (name: string): Example => ({
  attributes: { ...modelCall, [name]: 250 },
  row: { 'metrics.time_to_first_token': 0.25 },
  metadata: modelCall,
  useless: [{ [name]: 250 }, { ...modelCall, [name]: 'soon' }],
});

const object = (name: string, field: string, value: Json): Example => ({
  attributes: { [name]: JSON.stringify(value) },
  row: { [field]: value },
  useless: [{ [name]: '[1]' }, { [name]: '5' }, { [name]: 'no JSON' }],
});

const members = (name: string, field: string, value: Json): Example => ({
  attributes: Object.fromEntries(
    Object.entries(value).map(([key, part]) => [`${name}.${key}`, part]),
  ),
  row: { [field]: value },
});

const classification = { topic: [{ id: 'sports', label: 'Sports' }] };

/** The field is there once events have it; until then the attribute stays in the metadata. */
const hasClassifications = 'classifications' in eventInserts.project_logs.properties;

/** Attributes with a number of tokens, and their metrics. */
const counts: Readonly<Record<string, string>> = {
  'gen_ai.usage.cache_creation.input_tokens': 'prompt_cache_creation_tokens',
  'gen_ai.usage.cache_read.input_tokens': 'prompt_cached_tokens',
  'gen_ai.usage.completion_tokens': 'completion_tokens',
  'gen_ai.usage.input_tokens': 'prompt_tokens',
  'gen_ai.usage.output_tokens': 'completion_tokens',
  'gen_ai.usage.prompt_tokens': 'prompt_tokens',
  'gen_ai.usage.reasoning.output_tokens': 'completion_reasoning_tokens',
  'gen_ai.usage.total_tokens': 'tokens',
  'llm.token_count.completion': 'completion_tokens',
  'llm.token_count.completion_details.reasoning': 'completion_reasoning_tokens',
  'llm.token_count.prompt': 'prompt_tokens',
  'llm.token_count.prompt_details.cache_read': 'prompt_cached_tokens',
  'llm.token_count.prompt_details.cache_write': 'prompt_cache_creation_tokens',
  'llm.token_count.total': 'tokens',
  'llm.usage.total_tokens': 'tokens',
};

/** As `counts`, in model calls of the AI SDK. */
const countsOfCalls: Readonly<Record<string, string>> = {
  'ai.usage.cachedInputTokens': 'prompt_cached_tokens',
  'ai.usage.completionTokens': 'completion_tokens',
  'ai.usage.inputTokenDetails.cacheReadTokens': 'prompt_cached_tokens',
  'ai.usage.inputTokenDetails.cacheWriteTokens': 'prompt_cache_creation_tokens',
  'ai.usage.inputTokens': 'prompt_tokens',
  'ai.usage.outputTokenDetails.reasoningTokens': 'completion_reasoning_tokens',
  'ai.usage.outputTokens': 'completion_tokens',
  'ai.usage.promptTokens': 'prompt_tokens',
  'ai.usage.reasoningTokens': 'completion_reasoning_tokens',
  'ai.usage.tokens': 'prompt_tokens',
  'ai.usage.totalTokens': 'tokens',
};

const examplesOf = (metrics: Readonly<Record<string, string>>, example: typeof metric) =>
  Object.fromEntries(
    Object.entries(metrics).map(([name, field]) => [
      `${name} -> metrics.${field}`,
      example(name, field),
    ]),
  );

export const examples: Readonly<Record<string, Example>> = {
  ...examplesOf(counts, metric),
  ...examplesOf(countsOfCalls, callMetric),
  'braintrust.input_json -> input': json('braintrust.input_json', 'input'),
  'braintrust.output_json -> output': json('braintrust.output_json', 'output'),
  'braintrust.expected_json -> expected': json('braintrust.expected_json', 'expected'),
  'braintrust.input -> input': text('braintrust.input', 'input'),
  'braintrust.input.* -> input': list('braintrust.input', 'input'),
  'braintrust.output -> output': text('braintrust.output', 'output'),
  'braintrust.output.* -> output': list('braintrust.output', 'output'),
  'braintrust.expected -> expected': textOrJson('braintrust.expected', 'expected'),
  'braintrust.metadata -> metadata': object('braintrust.metadata', 'metadata', { model: 'm' }),
  'braintrust.metadata.* -> metadata': members('braintrust.metadata', 'metadata', { model: 'm' }),
  'braintrust.metrics -> metrics': object('braintrust.metrics', 'metrics', {
    start: 1,
    end: 2,
    tokens: 3,
    cost: 0.5,
  }),
  'braintrust.metrics.* -> metrics': members('braintrust.metrics', 'metrics', {
    start: 1,
    end: 2,
    tokens: 3,
    cost: 0.5,
  }),
  'braintrust.scores -> scores': {
    ...object('braintrust.scores', 'scores', { exact: 1, other: null }),
    useless: [{ 'braintrust.scores': '{"exact":"high"}' }],
  },
  'braintrust.scores.* -> scores': members('braintrust.scores', 'scores', { exact: 0.5 }),
  'braintrust.span_attributes -> span_attributes': object(
    'braintrust.span_attributes',
    'span_attributes',
    { name: 'other', type: 'score', purpose: 'scorer' },
  ),
  'braintrust.span_attributes.* -> span_attributes': members(
    'braintrust.span_attributes',
    'span_attributes',
    { name: 'other', type: 'score' },
  ),
  'braintrust.tags -> tags': {
    attributes: { 'braintrust.tags': ['a', 'b'] },
    row: { tags: ['a', 'b'] },
    useless: [{ 'braintrust.tags': ['a', 1] }, { 'braintrust.tags': 'a' }],
  },
  'braintrust.origin -> origin': object('braintrust.origin', 'origin', { id: 'record' }),
  'braintrust.classifications -> classifications': {
    attributes: { 'braintrust.classifications': JSON.stringify(classification) },
    row: hasClassifications ? { classifications: classification } : {},
    metadata: hasClassifications
      ? {}
      : { 'braintrust.classifications': JSON.stringify(classification) },
  },
  'braintrust.context_json -> context': {
    attributes: { 'braintrust.context_json': '{"span_origin":{"name":"sdk"},"caller_lineno":3}' },
    row: {
      context: {
        span_origin: { name: 'sdk' },
        caller_lineno: 3,
        otel: { kind: 'INTERNAL' },
      },
    },
    useless: [
      { 'braintrust.context_json': '{"otel":{"kind":"made up"}}' },
      { 'braintrust.context_json': '{"caller_lineno":"three"}' },
      { 'braintrust.context_json': '[]' },
    ],
  },
  'gen_ai.input.messages -> input': structure('gen_ai.input.messages', 'input'),
  'gen_ai.output.messages -> output': structure('gen_ai.output.messages', 'output'),
  'gen_ai.prompt_json -> input': json('gen_ai.prompt_json', 'input'),
  'gen_ai.completion_json -> output': json('gen_ai.completion_json', 'output'),
  'gen_ai.prompt -> input': text('gen_ai.prompt', 'input'),
  'gen_ai.prompt.* -> input': list('gen_ai.prompt', 'input'),
  'gen_ai.completion -> output': text('gen_ai.completion', 'output'),
  'gen_ai.completion.* -> output': list('gen_ai.completion', 'output'),
  'gen_ai.request.model -> metadata.model': {
    attributes: { 'gen_ai.request.model': 'openai/gpt-4o' },
    row: { 'metadata.model': 'gpt-4o' },
    metadata: { model: 'gpt-4o', 'gen_ai.request.model': 'openai/gpt-4o' },
  },
  'gen_ai.request.* -> metadata.*': {
    attributes: { 'gen_ai.request.temperature': 0.5, 'gen_ai.request.model': 'gpt-4o' },
    row: { metadata: { temperature: 0.5, model: 'gpt-4o' } },
    metadata: { temperature: 0.5, model: 'gpt-4o' },
  },
  'gen_ai.request -> metadata': {
    attributes: { 'gen_ai.request': '{"model":"gpt-4o","top_p":1}' },
    row: { metadata: { model: 'gpt-4o', top_p: 1 } },
    useless: [{ 'gen_ai.request': 'no JSON' }],
  },
  'gen_ai.operation.name -> span_attributes.type': type(
    'gen_ai.operation.name',
    'text_completion',
    'llm',
    'invoke_agent',
  ),
  'gen_ai.tool.name -> span_attributes.type': type('gen_ai.tool.name', 'search', 'tool', null),
  'gen_ai.agent.tools -> metadata.tools': {
    attributes: { 'gen_ai.agent.tools': ['search'] },
    row: { 'metadata.tools': [{ type: 'function', function: { name: 'search' } }] },
    useless: [{ 'gen_ai.agent.tools': 'no JSON' }],
  },
  'gen_ai.usage -> metrics': {
    attributes: { 'gen_ai.usage': '{"input_tokens":1,"output_tokens":2,"total_tokens":4}' },
    row: { 'metrics.prompt_tokens': 1, 'metrics.completion_tokens': 2, 'metrics.tokens': 4 },
    useless: [{ 'gen_ai.usage': '{"input_tokens":"1"}' }],
  },
  'gen_ai.tool.call.arguments -> input': textOrJson('gen_ai.tool.call.arguments', 'input'),
  'gen_ai.tool.call.result -> output': textOrJson('gen_ai.tool.call.result', 'output'),
  'ai.prompt -> input': structure('ai.prompt', 'input'),
  'ai.prompt.messages -> input': structure('ai.prompt.messages', 'input'),
  'ai.toolCall.args -> input': textOrJson('ai.toolCall.args', 'input'),
  'ai.value -> input': textOrJson('ai.value', 'input'),
  'ai.values -> input': items('ai.values', 'input'),
  'ai.documents -> input': items('ai.documents', 'input'),
  'ai.response.text -> output': {
    ...text('ai.response.text', 'output'),
    useless: [{ 'ai.response.text': '' }],
  },
  'ai.response.object -> output': textOrJson('ai.response.object', 'output'),
  'ai.response.toolCalls -> output': structure('ai.response.toolCalls', 'output'),
  'ai.toolCall.result -> output': textOrJson('ai.toolCall.result', 'output'),
  'ai.ranking -> output': items('ai.ranking', 'output'),
  'ai.operationId -> span_attributes.type': type(
    'ai.operationId',
    'ai.streamText.doStream',
    'llm',
    'ai.streamText',
  ),
  'ai.model.id -> metadata.model': {
    attributes: { 'ai.model.id': 'm' },
    row: { metadata: { model: 'm' } },
    metadata: { model: 'm' },
  },
  'ai.response.msToFirstChunk -> metrics.time_to_first_token': firstChunk(
    'ai.response.msToFirstChunk',
  ),
  'ai.stream.msToFirstChunk -> metrics.time_to_first_token': firstChunk('ai.stream.msToFirstChunk'),
  'ai.telemetry.metadata.* -> metadata.*': {
    attributes: { 'ai.telemetry.metadata.user.id': 'u' },
    row: { metadata: { 'user.id': 'u' } },
    metadata: { 'user.id': 'u' },
  },
  'llm.input_messages.* -> input': {
    attributes: {
      'llm.input_messages.0.message.role': 'user',
      'llm.input_messages.0.message.content': 'hi',
      'llm.input_messages.1.message.tool_calls.0.tool_call.id': 'c',
    },
    row: { input: [message, { tool_calls: [{ tool_call: { id: 'c' } }] }] },
  },
  'llm.output_messages.* -> output': {
    attributes: { 'llm.output_messages.0.message.role': 'assistant' },
    row: { output: [{ role: 'assistant' }] },
  },
  'input.value -> input': {
    attributes: { 'input.value': '{"a":1}', 'input.mime_type': 'application/json' },
    row: { input: { a: 1 } },
    metadata: { 'input.mime_type': 'application/json' },
  },
  'output.value -> output': {
    attributes: { 'output.value': '{"a":1}' },
    row: { output: '{"a":1}' },
  },
  'llm.model_name -> metadata.model': {
    attributes: { 'llm.model_name': 'm' },
    row: { metadata: { model: 'm' } },
    metadata: { model: 'm' },
  },
  'llm.invocation_parameters -> metadata': object('llm.invocation_parameters', 'metadata', {
    temperature: 0,
  }),
  'openinference.span.kind -> span_attributes.type': type(
    'openinference.span.kind',
    'LLM',
    'llm',
    'CHAIN',
  ),
  'traceloop.entity.input -> input': textOrJson('traceloop.entity.input', 'input'),
  'traceloop.entity.output -> output': textOrJson('traceloop.entity.output', 'output'),
  'traceloop.span.kind -> span_attributes.type': type(
    'traceloop.span.kind',
    'tool',
    'tool',
    'workflow',
  ),
  'llm.request.type -> span_attributes.type': type('llm.request.type', 'chat', 'llm', 'rerank'),
};

/** What is at a path of one or two steps. */
