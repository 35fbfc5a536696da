// The table that maps attributes and events of spans to event fields, in order of preference. Attributes without a rule, and those
// whose target is in use, stay in the metadata under their own names.
//
// Sources of the names:
// - Braintrust: the OpenTelemetry SDKs for Java, Go, Ruby, .NET, Python and JavaScript, and the page "OpenTelemetry" of its
//   documentation
// - GenAI: the OpenTelemetry semantic conventions for generative AI, `gen-ai-spans` and `gen-ai-events`, with the names
//   before version 1.37 (`gen_ai.prompt`, `gen_ai.usage.prompt_tokens`, one event per message)
// - AI SDK: "Telemetry" in the documentation of the npm package `ai`
// - OpenInference: `semantic_conventions.md` of the OpenInference specification
// - Traceloop: `semconv_ai` of OpenLLMetry
import type { JsonValue } from '../json/json.js';
import type { Attributes } from './attributes.js';
import {
  always,
  unchanged,
  filledText,
  hasProvider,
  json,
  jsonItems,
  jsonOrText,
  messagesInside,
  millisecondsInSeconds,
  modelName,
  number,
  ofMimeType,
  oneOf,
  request,
  requestHasProvider,
  structure,
  toolDefinitions,
  usage,
  type Reader,
  type ReaderContext,
} from './readers.js';

/** Fields with one value; the first rule with a value wins. */
export type ValueField = 'input' | 'output' | 'expected' | 'tags' | 'origin' | 'classifications';

/** Fields with members: the members of all rules are merged; the first rule with a member wins. */
export type ObjectField = 'metadata' | 'metrics' | 'scores' | 'span_attributes' | 'context';

/**
 * - a field: the value, or its members
 * - `metrics.tokens`: one member
 * - `metadata.*`: a member per attribute, named by the part of its name that matches `*` in `from`
 */
export type Target =
  ValueField | ObjectField | `${'metadata' | 'metrics' | 'span_attributes'}.${string}`;

export interface AttributeRule {
  /** The attribute name. With `.*` at the end, all attributes below it: one value, unless `to` also has a `*`. */
  readonly from: string;
  readonly to: Target;
  readonly read: Reader;
  /** Other attributes on which the rule depends. */
  readonly when?: (attributes: Attributes) => boolean;
  /** Whether the attribute also stays in the metadata, since the field holds only a part of it. */
  readonly keeps?: (value: JsonValue, span: ReaderContext) => boolean;
}

export interface EventRule {
  /** Roles of messages by event name. */
  readonly events: Readonly<Record<string, string>>;
  readonly to: 'input' | 'output';
}

export type Rule = AttributeRule | EventRule;

const rule = (from: string, to: Target, read: Reader): AttributeRule => ({ from, to, read });

const yes = () => true;

/** An attribute that implies the type of the span and has further information. */
const typeRule = (from: string, read: Reader): AttributeRule => ({
  ...rule(from, 'span_attributes.type', read),
  keeps: yes,
});

const modelCall = /\.do(?:Generate|Stream|Embed)$/;

/** A model call of the AI SDK. Its outer spans repeat the sums of their calls, which would count twice. */
const isModelCall = (attributes: Attributes): boolean => {
  const operation = attributes.get('ai.operationId');
  return typeof operation === 'string' && modelCall.test(operation);
};

const ofModelCall = (from: string, to: Target, read: Reader = number): AttributeRule => ({
  ...rule(from, to, read),
  when: isModelCall,
});

const typeOfOperation: Reader = (value) => {
  if (value === 'ai.toolCall') return 'tool';
  return typeof value === 'string' && modelCall.test(value) ? 'llm' : undefined;
};

const braintrust: readonly Rule[] = [
  rule('braintrust.input_json', 'input', json),
  rule('braintrust.output_json', 'output', json),
  rule('braintrust.expected_json', 'expected', json),
  rule('braintrust.input', 'input', unchanged),
  rule('braintrust.input.*', 'input', unchanged),
  rule('braintrust.output', 'output', unchanged),
  rule('braintrust.output.*', 'output', unchanged),
  rule('braintrust.expected', 'expected', jsonOrText),
  rule('braintrust.metadata', 'metadata', structure),
  rule('braintrust.metadata.*', 'metadata', unchanged),
  rule('braintrust.metrics', 'metrics', structure),
  rule('braintrust.metrics.*', 'metrics', unchanged),
  rule('braintrust.scores', 'scores', structure),
  rule('braintrust.scores.*', 'scores', unchanged),
  rule('braintrust.span_attributes', 'span_attributes', structure),
  rule('braintrust.span_attributes.*', 'span_attributes', unchanged),
  rule('braintrust.tags', 'tags', structure),
  rule('braintrust.origin', 'origin', structure),
  rule('braintrust.classifications', 'classifications', structure),
  rule('braintrust.context_json', 'context', json),
];

const genAi: readonly Rule[] = [
  {
    events: {
      'gen_ai.system.message': 'system',
      'gen_ai.user.message': 'user',
      'gen_ai.tool.message': 'tool',
    },
    to: 'input',
  },
  {
    events: { 'gen_ai.choice': 'assistant', 'gen_ai.assistant.message': 'assistant' },
    to: 'output',
  },
  rule('gen_ai.input.messages', 'input', structure),
  rule('gen_ai.output.messages', 'output', structure),
  rule('gen_ai.prompt_json', 'input', json),
  rule('gen_ai.completion_json', 'output', json),
  rule('gen_ai.prompt', 'input', unchanged),
  rule('gen_ai.prompt.*', 'input', unchanged),
  rule('gen_ai.completion', 'output', unchanged),
  rule('gen_ai.completion.*', 'output', unchanged),
  rule('gen_ai.tool.call.arguments', 'input', jsonOrText),
  rule('gen_ai.tool.call.result', 'output', jsonOrText),
  { ...rule('gen_ai.request.model', 'metadata.model', modelName), keeps: hasProvider },
  rule('gen_ai.request.*', 'metadata.*', unchanged),
  { ...rule('gen_ai.request', 'metadata', request), keeps: requestHasProvider },
  typeRule(
    'gen_ai.operation.name',
    oneOf({ chat: 'llm', text_completion: 'llm', generate_content: 'llm', execute_tool: 'tool' }),
  ),
  typeRule('gen_ai.tool.name', always('tool')),
  rule('gen_ai.agent.tools', 'metadata.tools', toolDefinitions),
  rule('gen_ai.usage.prompt_tokens', 'metrics.prompt_tokens', number),
  rule('gen_ai.usage.input_tokens', 'metrics.prompt_tokens', number),
  rule('gen_ai.usage.completion_tokens', 'metrics.completion_tokens', number),
  rule('gen_ai.usage.output_tokens', 'metrics.completion_tokens', number),
  rule('gen_ai.usage.total_tokens', 'metrics.tokens', number),
  rule('gen_ai.usage.cache_read.input_tokens', 'metrics.prompt_cached_tokens', number),
  rule('gen_ai.usage.cache_creation.input_tokens', 'metrics.prompt_cache_creation_tokens', number),
  rule('gen_ai.usage.reasoning.output_tokens', 'metrics.completion_reasoning_tokens', number),
  rule('gen_ai.usage', 'metrics', usage),
];

const aiSdk: readonly Rule[] = [
  rule('ai.prompt', 'input', structure),
  rule('ai.prompt.messages', 'input', structure),
  rule('ai.toolCall.args', 'input', jsonOrText),
  rule('ai.value', 'input', jsonOrText),
  rule('ai.values', 'input', jsonItems),
  rule('ai.documents', 'input', jsonItems),
  rule('ai.response.text', 'output', filledText),
  rule('ai.response.object', 'output', jsonOrText),
  rule('ai.response.toolCalls', 'output', structure),
  rule('ai.toolCall.result', 'output', jsonOrText),
  rule('ai.ranking', 'output', jsonItems),
  typeRule('ai.operationId', typeOfOperation),
  rule('ai.model.id', 'metadata.model', unchanged),
  ofModelCall('ai.usage.inputTokens', 'metrics.prompt_tokens'),
  ofModelCall('ai.usage.promptTokens', 'metrics.prompt_tokens'),
  // The input of embeddings, which have no output tokens.
  ofModelCall('ai.usage.tokens', 'metrics.prompt_tokens'),
  ofModelCall('ai.usage.outputTokens', 'metrics.completion_tokens'),
  ofModelCall('ai.usage.completionTokens', 'metrics.completion_tokens'),
  ofModelCall('ai.usage.totalTokens', 'metrics.tokens'),
  ofModelCall('ai.usage.cachedInputTokens', 'metrics.prompt_cached_tokens'),
  ofModelCall('ai.usage.inputTokenDetails.cacheReadTokens', 'metrics.prompt_cached_tokens'),
  ofModelCall(
    'ai.usage.inputTokenDetails.cacheWriteTokens',
    'metrics.prompt_cache_creation_tokens',
  ),
  ofModelCall('ai.usage.reasoningTokens', 'metrics.completion_reasoning_tokens'),
  ofModelCall('ai.usage.outputTokenDetails.reasoningTokens', 'metrics.completion_reasoning_tokens'),
  ofModelCall('ai.response.msToFirstChunk', 'metrics.time_to_first_token', millisecondsInSeconds),
  ofModelCall('ai.stream.msToFirstChunk', 'metrics.time_to_first_token', millisecondsInSeconds),
  rule('ai.telemetry.metadata.*', 'metadata.*', unchanged),
];

const openInference: readonly Rule[] = [
  rule('llm.input_messages.*', 'input', messagesInside),
  rule('llm.output_messages.*', 'output', messagesInside),
  rule('input.value', 'input', ofMimeType('input.mime_type')),
  rule('output.value', 'output', ofMimeType('output.mime_type')),
  rule('llm.model_name', 'metadata.model', unchanged),
  rule('llm.invocation_parameters', 'metadata', structure),
  rule('llm.token_count.prompt', 'metrics.prompt_tokens', number),
  rule('llm.token_count.completion', 'metrics.completion_tokens', number),
  rule('llm.token_count.total', 'metrics.tokens', number),
  rule('llm.token_count.prompt_details.cache_read', 'metrics.prompt_cached_tokens', number),
  rule(
    'llm.token_count.prompt_details.cache_write',
    'metrics.prompt_cache_creation_tokens',
    number,
  ),
  rule(
    'llm.token_count.completion_details.reasoning',
    'metrics.completion_reasoning_tokens',
    number,
  ),
  typeRule('openinference.span.kind', oneOf({ LLM: 'llm', TOOL: 'tool' }, 'task')),
];

const traceloop: readonly Rule[] = [
  rule('traceloop.entity.input', 'input', jsonOrText),
  rule('traceloop.entity.output', 'output', jsonOrText),
  typeRule(
    'traceloop.span.kind',
    oneOf({ tool: 'tool', workflow: 'task', task: 'task', agent: 'task' }),
  ),
  typeRule('llm.request.type', oneOf({ chat: 'llm', completion: 'llm' })),
  rule('llm.usage.total_tokens', 'metrics.tokens', number),
];

export const mapping: readonly Rule[] = [
  ...braintrust,
  ...genAi,
  ...aiSdk,
  ...openInference,
  ...traceloop,
];
