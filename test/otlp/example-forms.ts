// The forms of examples of rules: each makes one from the name of an attribute and a field.
import type { Json } from './spans.js';

/** Attributes, the fields that they become, and what of them stays in the metadata. */
export interface Example {
  readonly attributes: Json;
  readonly row: Json;
  readonly metadata?: Json;
  /** Attributes of the same name that stay where they are. */
  readonly useless?: readonly Json[];
}

export const message = { role: 'user', content: 'hi' };
const messages = JSON.stringify([message]);

export const json = (name: string, field: string): Example => ({
  attributes: { [name]: '{"a":[1,null]}' },
  row: { [field]: { a: [1, null] } },
  useless: [{ [name]: 'no JSON' }, { [name]: 5 }, { [name]: ['{}'] }, { [name]: '' }],
});

export const metric = (name: string, field: string): Example => ({
  attributes: { [name]: 12 },
  row: { [`metrics.${field}`]: 12 },
  useless: [
    { [name]: 'twelve' },
    { [name]: [12] },
    { [name]: true },
    { [name]: 12, 'gen_ai.operation.name': 'invoke_agent' },
    { [name]: 12, 'openinference.span.kind': 'AGENT' },
  ],
});

const modelCall = { 'ai.operationId': 'ai.generateText.doGenerate' };

export const callMetric = (name: string, field: string): Example => ({
  attributes: { ...modelCall, [name]: 12 },
  row: { [`metrics.${field}`]: 12 },
  metadata: modelCall,
  // The outer span of the AI SDK repeats the sum of its calls.
  useless: [{ [name]: 12 }, { [name]: 12, 'ai.operationId': 'ai.generateText' }],
});

export const type = (
  name: string,
  value: string,
  expected: string,
  other: string | null,
): Example => ({
  attributes: { [name]: value },
  row: { 'span_attributes.type': expected },
  metadata: { [name]: value },
  useless: other === null ? [] : [{ [name]: other }],
});

export const list = (name: string, field: string): Example => ({
  attributes: { [`${name}.0.role`]: 'user', [`${name}.0.content`]: 'hi', [`${name}.1.role`]: 'a' },
  row: { [field]: [message, { role: 'a' }] },
});

export const text = (name: string, field: string): Example => ({
  attributes: { [name]: 'hello' },
  row: { [field]: 'hello' },
});

export const textOrStructure = (name: string, field: string): Example => ({
  attributes: { [name]: messages },
  row: { [field]: [message] },
});

export const answer = { role: 'assistant', content: 'yes' };

export const conversation = (name: string): Example => ({
  attributes: { [name]: JSON.stringify([message, answer]) },
  row: { input: [message], output: [answer] },
  useless: [{ [name]: 'no JSON' }, { [name]: '[{"a":1}]' }, { [name]: messages.slice(1, -1) }],
});

export const textOrJson = (name: string, field: string): Example => ({
  ...json(name, field),
  useless: [],
});

export const structure = (name: string, field: string): Example => ({
  attributes: { [name]: messages },
  row: { [field]: [message] },
  useless: [{ [name]: 'no JSON' }, { [name]: '5' }, { [name]: 5 }],
});

export const items = (name: string, field: string): Example => ({
  attributes: { [name]: ['"a"', '{"b":1}'] },
  row: { [field]: ['a', { b: 1 }] },
  useless: [{ [name]: '["a"]' }, { [name]: ['"a"', 'no JSON'] }, { [name]: [1] }],
});

export const firstChunk = (name: string): Example => ({
  attributes: { ...modelCall, [name]: 250 },
  row: { 'metrics.time_to_first_token': 0.25 },
  metadata: modelCall,
  useless: [{ [name]: 250 }, { ...modelCall, [name]: 'soon' }],
});

export const object = (name: string, field: string, value: Json): Example => ({
  attributes: { [name]: JSON.stringify(value) },
  row: { [field]: value },
  useless: [{ [name]: '[1]' }, { [name]: '5' }, { [name]: 'no JSON' }],
});

export const members = (name: string, field: string, value: Json): Example => ({
  attributes: Object.fromEntries(
    Object.entries(value).map(([key, part]) => [`${name}.${key}`, part]),
  ),
  row: { [field]: value },
});

/** Attributes with a number of tokens, and their metrics. */
export const counts: Readonly<Record<string, string>> = {
  'gen_ai.usage.cache_creation.input_tokens': 'prompt_cache_creation_tokens',
  'gen_ai.usage.cache_creation_input_tokens': 'prompt_cache_creation_tokens',
  'gen_ai.usage.cache_read_input_tokens': 'prompt_cached_tokens',
  'gen_ai.usage.details.cache_read_tokens': 'prompt_cached_tokens',
  'gen_ai.usage.details.cache_write_tokens': 'prompt_cache_creation_tokens',
  'gen_ai.usage.details.reasoning_tokens': 'completion_reasoning_tokens',
  'gen_ai.usage.reasoning_tokens': 'completion_reasoning_tokens',
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
export const countsOfCalls: Readonly<Record<string, string>> = {
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

export const examplesOf = (metrics: Readonly<Record<string, string>>, example: typeof metric) =>
  Object.fromEntries(
    Object.entries(metrics).map(([name, field]) => [
      `${name} -> metrics.${field}`,
      example(name, field),
    ]),
  );
