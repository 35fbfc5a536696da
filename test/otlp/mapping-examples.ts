// An example of each rule of the mapping, by its name: `attribute -> field`.
import { eventInserts } from '../../src/schema/event.js';
import {
  counts,
  countsOfCalls,
  examplesOf,
  message,
  json,
  metric,
  callMetric,
  type,
  list,
  text,
  textOrStructure,
  conversation,
  textOrJson,
  structure,
  items,
  firstChunk,
  object,
  members,
  type Example,
} from './example-forms.js';

const classification = { topic: [{ id: 'sports', label: 'Sports' }] };

/** The field is there once events have it; until then the attribute stays in the metadata. */
const hasClassifications = 'classifications' in eventInserts.project_logs.properties;

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
  'gen_ai.prompt -> input': textOrStructure('gen_ai.prompt', 'input'),
  'gen_ai.prompt.* -> input': list('gen_ai.prompt', 'input'),
  'gen_ai.completion -> output': textOrStructure('gen_ai.completion', 'output'),
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
    useless: [{ 'gen_ai.usage': '{"input_tokens":"one"}' }],
  },
  'gen_ai.usage.details.* -> metrics.*': {
    attributes: { 'gen_ai.usage.details.audio_tokens': '3' },
    row: { 'metrics.audio_tokens': 3 },
    useless: [{ 'gen_ai.usage.details.audio_tokens': 'three' }],
  },
  'gen_ai.system_instructions -> input': {
    attributes: { 'gen_ai.system_instructions': '[{"type":"text","content":"Be brief."}]' },
    row: { input: [{ role: 'system', parts: [{ type: 'text', content: 'Be brief.' }] }] },
  },
  'gen_ai.response.model -> metadata.model': {
    attributes: { 'gen_ai.response.model': 'openai/m' },
    row: { 'metadata.model': 'm' },
    metadata: { 'gen_ai.response.model': 'openai/m' },
  },
  'gen_ai.tool.definitions -> metadata.tools': {
    attributes: { 'gen_ai.tool.definitions': '[{"type":"function","name":"search"}]' },
    row: { 'metadata.tools': [{ type: 'function', name: 'search' }] },
    useless: [{ 'gen_ai.tool.definitions': 'no JSON' }],
  },
  'final_result -> output': textOrJson('final_result', 'output'),
  'pydantic_ai.all_messages -> conversation': conversation('pydantic_ai.all_messages'),
  'all_messages_events -> conversation': conversation('all_messages_events'),
  'events -> conversation': conversation('events'),
  'tool_arguments -> input': textOrJson('tool_arguments', 'input'),
  'tool_response -> output': textOrJson('tool_response', 'output'),
  'model_name -> metadata.model': {
    attributes: { model_name: 'm' },
    row: { 'metadata.model': 'm' },
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
  'ai.result.text -> output': text('ai.result.text', 'output'),
  'ai.result.object -> output': textOrJson('ai.result.object', 'output'),
  'ai.result.toolCalls -> output': structure('ai.result.toolCalls', 'output'),
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
      'llm.input_messages.2.message.contents.0.message_content.type': 'image',
      'llm.input_messages.2.message.contents.0.message_content.image.image.url': 'u',
      'llm.input_messages.2.message.contents.1.message_content.image.image.url': 'v',
    },
    row: {
      input: [
        message,
        { tool_calls: [{ id: 'c' }] },
        { contents: [{ type: 'image', image: { url: 'u' } }, { image: { url: 'v' } }] },
      ],
    },
  },
  'llm.output_messages.* -> output': {
    attributes: { 'llm.output_messages.0.message.role': 'assistant' },
    row: { output: [{ role: 'assistant' }] },
  },
  'retrieval.documents.* -> output': {
    attributes: {
      'retrieval.documents.0.document.content': 'a',
      'retrieval.documents.0.document.score': 0.5,
      'retrieval.documents.1.document.id': 'b',
    },
    row: { output: [{ content: 'a', score: 0.5 }, { id: 'b' }] },
  },
  'metadata -> metadata': object('metadata', 'metadata', { user: 'u' }),
  'tag.tags -> tags': {
    attributes: { 'tag.tags': ['a', 'b'] },
    row: { tags: ['a', 'b'] },
    useless: [{ 'tag.tags': ['a', 1] }],
  },
  'embedding.model_name -> metadata.model': {
    attributes: { 'embedding.model_name': 'e' },
    row: { 'metadata.model': 'e' },
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
