// The table that maps attributes and events of spans to event fields, in order of preference. Attributes without a rule, and those
// whose target is in use, stay in the metadata under their own names. The manual's page on spans is generated from it.
import {
  always,
  conversation,
  filledText,
  hasProvider,
  json,
  jsonItems,
  jsonOrText,
  listInside,
  millisecondsInSeconds,
  modelName,
  number,
  ofMimeType,
  oneOf,
  request,
  requestHasProvider,
  structure,
  structureOrText,
  toolDefinitions,
  unchanged,
  usage,
} from './readers.js';
import {
  kept,
  rule,
  ruleFor,
  systemRule,
  typeRule,
  type AttributeRule,
  type Condition,
  type Rule,
  type Target,
} from './rule.js';

/** Where the names of a convention come from, and its rules. */
export interface Convention {
  readonly name: string;
  /** For the manual. */
  readonly about: string;
  readonly rules: readonly Rule[];
}

const modelCall = /\.do(?:Generate|Stream|Embed)$/;

/** The outer spans of the AI SDK repeat the sums of their calls, which would count twice. */
const ofModelCall: Condition = {
  about: 'calls of models',
  test: (attributes) => {
    const operation = attributes.get('ai.operationId');
    return typeof operation === 'string' && modelCall.test(operation);
  },
};

const callRule = (from: string, to: Target, reader = number): AttributeRule =>
  ruleFor(ofModelCall, from, to, reader);

/** The attributes that name the kind of a step, and the patterns of those kinds that are no calls of models. */
const steps: readonly (readonly [attribute: string, isNoCall: RegExp])[] = [
  ['gen_ai.operation.name', /^(?:invoke|create|execute|run|handoff|plan)(?:_|$)/],
  ['openinference.span.kind', /^(?!LLM$|EMBEDDING$|RERANKER$)/i],
  ['traceloop.span.kind', /^(?:workflow|task|agent|tool)$/],
  ['ai.operationId', /^(?!.*\.do(?:Generate|Stream|Embed)$)/],
];

/** The tokens of an agent are those of its calls, which would count twice. */
const notOfStep: Condition = {
  about: 'not of agents, tools and other steps',
  test: (attributes) =>
    !steps.some(([name, isNoCall]) => {
      const kind = attributes.get(name);
      return typeof kind === 'string' && isNoCall.test(kind);
    }),
};

const countRule = (from: string, metric: string, reader = number): AttributeRule =>
  ruleFor(notOfStep, from, metric as Target, reader);

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
    messages: {
      'gen_ai.system.message': 'system',
      'gen_ai.user.message': 'user',
      'gen_ai.assistant.message': 'assistant',
      'gen_ai.tool.message': 'tool',
    },
    answers: { 'gen_ai.choice': 'assistant' },
  },
  { event: 'gen_ai.client.inference.operation.details' },
  { event: 'gen_ai.content.prompt' },
  { event: 'gen_ai.content.completion' },
  systemRule('gen_ai.system_instructions'),
  rule('gen_ai.input.messages', 'input', structure),
  rule('gen_ai.output.messages', 'output', structure),
  rule('gen_ai.prompt_json', 'input', json),
  rule('gen_ai.completion_json', 'output', json),
  rule('gen_ai.prompt', 'input', structureOrText),
  rule('gen_ai.prompt.*', 'input', unchanged),
  rule('gen_ai.completion', 'output', structureOrText),
  rule('gen_ai.completion.*', 'output', unchanged),
  rule('gen_ai.tool.call.arguments', 'input', jsonOrText),
  rule('gen_ai.tool.call.result', 'output', jsonOrText),
  { ...rule('gen_ai.request.model', 'metadata.model', modelName), keeps: hasProvider },
  rule('gen_ai.request.*', 'metadata.*', unchanged),
  { ...rule('gen_ai.request', 'metadata', request), keeps: requestHasProvider },
  kept('gen_ai.response.model', 'metadata.model', modelName),
  typeRule(
    'gen_ai.operation.name',
    oneOf({
      chat: 'llm',
      text_completion: 'llm',
      generate_content: 'llm',
      embeddings: 'llm',
      execute_tool: 'tool',
    }),
  ),
  typeRule('gen_ai.tool.name', always('tool')),
  rule('gen_ai.tool.definitions', 'metadata.tools', toolDefinitions),
  rule('gen_ai.agent.tools', 'metadata.tools', toolDefinitions),
  countRule('gen_ai.usage.prompt_tokens', 'metrics.prompt_tokens'),
  countRule('gen_ai.usage.input_tokens', 'metrics.prompt_tokens'),
  countRule('gen_ai.usage.completion_tokens', 'metrics.completion_tokens'),
  countRule('gen_ai.usage.output_tokens', 'metrics.completion_tokens'),
  countRule('gen_ai.usage.total_tokens', 'metrics.tokens'),
  countRule('gen_ai.usage.cache_read.input_tokens', 'metrics.prompt_cached_tokens'),
  countRule('gen_ai.usage.cache_read_input_tokens', 'metrics.prompt_cached_tokens'),
  countRule('gen_ai.usage.details.cache_read_tokens', 'metrics.prompt_cached_tokens'),
  countRule('gen_ai.usage.cache_creation.input_tokens', 'metrics.prompt_cache_creation_tokens'),
  countRule('gen_ai.usage.cache_creation_input_tokens', 'metrics.prompt_cache_creation_tokens'),
  countRule('gen_ai.usage.details.cache_write_tokens', 'metrics.prompt_cache_creation_tokens'),
  countRule('gen_ai.usage.reasoning.output_tokens', 'metrics.completion_reasoning_tokens'),
  countRule('gen_ai.usage.reasoning_tokens', 'metrics.completion_reasoning_tokens'),
  countRule('gen_ai.usage.details.reasoning_tokens', 'metrics.completion_reasoning_tokens'),
  countRule('gen_ai.usage.details.*', 'metrics.*'),
  countRule('gen_ai.usage', 'metrics', usage),
];

const pydanticAi: readonly Rule[] = [
  rule('final_result', 'output', jsonOrText),
  rule('pydantic_ai.all_messages', 'conversation', conversation),
  rule('all_messages_events', 'conversation', conversation),
  rule('events', 'conversation', conversation),
  rule('tool_arguments', 'input', jsonOrText),
  rule('tool_response', 'output', jsonOrText),
  rule('model_name', 'metadata.model', modelName),
];

const aiSdk: readonly Rule[] = [
  rule('ai.prompt', 'input', structure),
  rule('ai.prompt.messages', 'input', structure),
  rule('ai.toolCall.args', 'input', jsonOrText),
  rule('ai.value', 'input', jsonOrText),
  rule('ai.values', 'input', jsonItems),
  rule('ai.documents', 'input', jsonItems),
  rule('ai.response.text', 'output', filledText),
  rule('ai.result.text', 'output', filledText),
  rule('ai.response.object', 'output', jsonOrText),
  rule('ai.result.object', 'output', jsonOrText),
  rule('ai.response.toolCalls', 'output', structure),
  rule('ai.result.toolCalls', 'output', structure),
  rule('ai.toolCall.result', 'output', jsonOrText),
  rule('ai.ranking', 'output', jsonItems),
  typeRule(
    'ai.operationId',
    oneOf({
      'ai.generateText.doGenerate': 'llm',
      'ai.streamText.doStream': 'llm',
      'ai.generateObject.doGenerate': 'llm',
      'ai.streamObject.doStream': 'llm',
      'ai.embed.doEmbed': 'llm',
      'ai.embedMany.doEmbed': 'llm',
      'ai.toolCall': 'tool',
    }),
  ),
  rule('ai.model.id', 'metadata.model', unchanged),
  callRule('ai.usage.inputTokens', 'metrics.prompt_tokens'),
  callRule('ai.usage.promptTokens', 'metrics.prompt_tokens'),
  // The input of embeddings, which have no output tokens.
  callRule('ai.usage.tokens', 'metrics.prompt_tokens'),
  callRule('ai.usage.outputTokens', 'metrics.completion_tokens'),
  callRule('ai.usage.completionTokens', 'metrics.completion_tokens'),
  callRule('ai.usage.totalTokens', 'metrics.tokens'),
  callRule('ai.usage.cachedInputTokens', 'metrics.prompt_cached_tokens'),
  callRule('ai.usage.inputTokenDetails.cacheReadTokens', 'metrics.prompt_cached_tokens'),
  callRule('ai.usage.inputTokenDetails.cacheWriteTokens', 'metrics.prompt_cache_creation_tokens'),
  callRule('ai.usage.reasoningTokens', 'metrics.completion_reasoning_tokens'),
  callRule('ai.usage.outputTokenDetails.reasoningTokens', 'metrics.completion_reasoning_tokens'),
  callRule('ai.response.msToFirstChunk', 'metrics.time_to_first_token', millisecondsInSeconds),
  callRule('ai.stream.msToFirstChunk', 'metrics.time_to_first_token', millisecondsInSeconds),
  rule('ai.telemetry.metadata.*', 'metadata.*', unchanged),
];

const openInference: readonly Rule[] = [
  rule('llm.input_messages.*', 'input', listInside),
  rule('llm.output_messages.*', 'output', listInside),
  rule('retrieval.documents.*', 'output', listInside),
  rule('input.value', 'input', ofMimeType('input.mime_type')),
  rule('output.value', 'output', ofMimeType('output.mime_type')),
  rule('llm.model_name', 'metadata.model', unchanged),
  rule('embedding.model_name', 'metadata.model', unchanged),
  rule('llm.invocation_parameters', 'metadata', structure),
  rule('metadata', 'metadata', structure),
  rule('tag.tags', 'tags', structure),
  countRule('llm.token_count.prompt', 'metrics.prompt_tokens'),
  countRule('llm.token_count.completion', 'metrics.completion_tokens'),
  countRule('llm.token_count.total', 'metrics.tokens'),
  countRule('llm.token_count.prompt_details.cache_read', 'metrics.prompt_cached_tokens'),
  countRule('llm.token_count.prompt_details.cache_write', 'metrics.prompt_cache_creation_tokens'),
  countRule('llm.token_count.completion_details.reasoning', 'metrics.completion_reasoning_tokens'),
  typeRule(
    'openinference.span.kind',
    oneOf({ LLM: 'llm', EMBEDDING: 'llm', TOOL: 'tool' }, 'task'),
  ),
];

const traceloop: readonly Rule[] = [
  rule('traceloop.entity.input', 'input', jsonOrText),
  rule('traceloop.entity.output', 'output', jsonOrText),
  typeRule(
    'traceloop.span.kind',
    oneOf({ tool: 'tool', workflow: 'task', task: 'task', agent: 'task' }),
  ),
  typeRule('llm.request.type', oneOf({ chat: 'llm', completion: 'llm' })),
  countRule('llm.usage.total_tokens', 'metrics.tokens'),
];

export const conventions: readonly Convention[] = [
  {
    name: 'Braintrust',
    about: 'The OpenTelemetry SDKs of Braintrust.',
    rules: braintrust,
  },
  {
    name: 'GenAI',
    about:
      'The OpenTelemetry semantic conventions for generative AI, also with the names before versions 1.28 and 1.37.',
    rules: genAi,
  },
  {
    name: 'Pydantic AI',
    about: 'What Pydantic AI adds to the conventions for generative AI.',
    rules: pydanticAi,
  },
  {
    name: 'AI SDK',
    about: 'The telemetry of the npm package `ai`.',
    rules: aiSdk,
  },
  {
    name: 'OpenInference',
    about: 'The instrumentations of OpenInference.',
    rules: openInference,
  },
  {
    name: 'Traceloop',
    about: 'The instrumentations of OpenLLMetry.',
    rules: traceloop,
  },
];

export const mapping: readonly Rule[] = conventions.flatMap(({ rules }) => rules);
