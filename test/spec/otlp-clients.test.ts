// Requests as the Braintrust SDKs for Python, Go, Java, Ruby and .NET send them, rebuilt from what is known of their wire, and
// the rows that are read back. Their times and ids are made up.
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import type { Encoding } from '../../src/schema/otlp.js';
import { encodings } from '../../src/schema/otlp.js';
import { eventInserts } from '../../src/schema/event.js';
import { encodeSpans, readableSpan, type SpanParts } from '../otlp/readable-span.js';
import { traceId, type Json } from '../otlp/spans.js';
import { slugOf } from '../otlp/slugs.js';
import { createExperiment, createProject, listObjects } from '../support/objects.js';
import { outcome, sharedServer } from '../support/start-server.js';

const ids = ['1', '2', '3'].map((digit) => digit.repeat(16)) as [string, string, string];

const [rootId, taskId, scoreId] = ids;

const context = (name: string) =>
  JSON.stringify({ span_origin: { name: `braintrust.sdk.${name}`, version: '1.2.3' } });

const hasClassifications = 'classifications' in eventInserts.experiment.properties;

const classifications = { topic: [{ id: 'greeting', label: 'Greeting' }] };

interface Recorded {
  readonly encoding: Encoding;
  readonly isCompressed: boolean;
  readonly headers?: (experiment: string) => Json;
  readonly spans: (experiment: string) => readonly SpanParts[];
  /** By span id, in part. */
  readonly rows: (experiment: string) => Readonly<Record<string, Json>>;
  /** Where the rows are, unless it is the experiment. */
  readonly project?: string;
}

const times = { start: 1778629701.62313, end: 1778629702.12313 };

/** An evaluation of one case: its root, its task and a score. */
const evalSpans = (name: string, common: Json, expected: string): readonly SpanParts[] => {
  const own = { ...common, 'braintrust.context_json': context(name) } as Record<string, string>;
  return [
    {
      name: 'eval',
      spanId: rootId,
      scope: 'braintrust.eval',
      attributes: {
        ...own,
        'braintrust.span_attributes': '{"type":"eval"}',
        'braintrust.input_json': '{"question":"2+2?"}',
        'braintrust.output_json': '"4"',
        'braintrust.expected': expected,
        'braintrust.metadata': '{"case":1}',
        'braintrust.tags': ['arithmetic'],
        'braintrust.origin': '{"object_type":"dataset","object_id":"d","id":"r1"}',
        'braintrust.classifications': JSON.stringify(classifications),
      },
    },
    {
      name: 'task',
      spanId: taskId,
      parentSpanId: rootId,
      attributes: {
        ...own,
        'braintrust.span_attributes': '{"type":"task"}',
        'braintrust.input_json': '{"question":"2+2?"}',
        'braintrust.output_json': '"4"',
      },
    },
    {
      name: 'exact',
      spanId: scoreId,
      parentSpanId: rootId,
      attributes: {
        ...own,
        'braintrust.span_attributes': '{"type":"score","name":"exact","purpose":"scorer"}',
        'braintrust.scores': '{"exact":1}',
      },
    },
  ];
};

const evalRows = (common: Json, expected: unknown): Readonly<Record<string, Json>> => ({
  [rootId]: {
    is_root: true,
    span_parents: null,
    root_span_id: traceId,
    created: '2026-05-12T23:48:21.623Z',
    input: { question: '2+2?' },
    output: '4',
    expected,
    error: null,
    metadata: {
      case: 1,
      ...common,
      ...(hasClassifications
        ? {}
        : { 'braintrust.classifications': JSON.stringify(classifications) }),
    },
    ...(hasClassifications ? { classifications } : {}),
    tags: ['arithmetic'],
    origin: { object_type: 'dataset', object_id: 'd', id: 'r1' },
    metrics: times,
    span_attributes: { name: 'eval', type: 'eval' },
  },
  [taskId]: {
    span_parents: [rootId],
    metadata: common,
    span_attributes: { name: 'task', type: 'task' },
  },
  [scoreId]: {
    span_parents: [rootId],
    scores: { exact: 1 },
    span_attributes: { name: 'exact', type: 'score', purpose: 'scorer' },
  },
});

const messages = [{ role: 'user', content: 'Say hi.' }];
const choices = [
  { index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' },
];

const llmSpan = (name: string, attributes: Json): SpanParts => ({
  name,
  spanId: rootId,
  kind: SpanKind.CLIENT,
  attributes: attributes as Record<string, string>,
});

const recorded: Readonly<Record<string, Recorded>> = {
  // No header: each span says where it belongs.
  'Go, an evaluation': {
    encoding: 'protobuf',
    isCompressed: false,
    spans: (experiment) =>
      evalSpans('go', { 'braintrust.parent': `experiment_id:${experiment}` }, '{"answer":4}'),
    rows: (experiment) =>
      evalRows({ 'braintrust.parent': `experiment_id:${experiment}` }, { answer: 4 }),
  },
  // Expected is JSON text, here of a text; gzip is the default.
  'Java, an evaluation': {
    encoding: 'protobuf',
    isCompressed: true,
    headers: (experiment) => ({ 'x-bt-parent': `experiment_id:${experiment}` }),
    spans: (experiment) =>
      evalSpans('java', { 'braintrust.parent': `experiment_id:${experiment}` }, '"4"'),
    rows: (experiment) => evalRows({ 'braintrust.parent': `experiment_id:${experiment}` }, '4'),
  },
  'Java, a call of a model': {
    encoding: 'protobuf',
    isCompressed: true,
    headers: () => ({ 'x-bt-parent': 'project_name:java' }),
    project: 'java',
    spans: () => [
      llmSpan('Chat Completion', {
        'braintrust.parent': 'project_name:java',
        'braintrust.span_attributes': '{"type":"llm"}',
        'braintrust.metadata': '{"provider":"openai","model":"gpt-4o-mini","temperature":0.0}',
        'braintrust.input_json': JSON.stringify(messages),
        'braintrust.output_json': JSON.stringify(choices),
        'braintrust.metrics':
          '{"prompt_tokens":9,"completion_tokens":2,"tokens":11,"time_to_first_token":0.25}',
        client: 'langchain-openai',
      }),
    ],
    rows: () => ({
      [rootId]: {
        input: messages,
        output: choices,
        metadata: {
          provider: 'openai',
          model: 'gpt-4o-mini',
          temperature: 0,
          'braintrust.parent': 'project_name:java',
          client: 'langchain-openai',
        },
        metrics: {
          ...times,
          prompt_tokens: 9,
          completion_tokens: 2,
          tokens: 11,
          time_to_first_token: 0.25,
        },
        span_attributes: { name: 'Chat Completion', type: 'llm' },
      },
    }),
  },
  'Ruby, a failed call of a model': {
    encoding: 'protobuf',
    isCompressed: true,
    headers: () => ({ 'x-bt-parent': 'project_name:ruby' }),
    project: 'ruby',
    spans: () => [
      {
        ...llmSpan('Chat Completion', {
          'braintrust.parent': 'project_name:ruby',
          'braintrust.org': 'evalstore',
          'braintrust.app_url': 'http://127.0.0.1',
          'braintrust.context_json': context('ruby'),
          'braintrust.span_attributes': '{"type":"llm"}',
          'braintrust.metadata': '{"provider":"openai","model":"gpt-4o"}',
          'braintrust.input_json': JSON.stringify(messages),
        }),
        status: { code: SpanStatusCode.ERROR, message: 'Unauthorized' },
        events: [
          {
            name: 'exception',
            time: [1778629702, 0],
            attributes: {
              'exception.type': 'OpenAI::AuthenticationError',
              'exception.message': 'Unauthorized',
              'exception.stacktrace': "client.rb:10:in 'chat'",
            },
          },
        ],
      },
    ],
    rows: () => ({
      [rootId]: {
        input: messages,
        output: null,
        error: "Unauthorized\n\nclient.rb:10:in 'chat'",
        metadata: {
          provider: 'openai',
          model: 'gpt-4o',
          'braintrust.parent': 'project_name:ruby',
          'braintrust.org': 'evalstore',
          'braintrust.app_url': 'http://127.0.0.1',
        },
      },
    }),
  },
  '.NET, an evaluation': {
    encoding: 'protobuf',
    isCompressed: false,
    headers: (experiment) => ({ 'x-bt-parent': `experiment_id:${experiment}` }),
    spans: (experiment) =>
      evalSpans('dotnet', { 'braintrust.parent': `experiment_id:${experiment}` }, 'four'),
    rows: (experiment) => evalRows({ 'braintrust.parent': `experiment_id:${experiment}` }, 'four'),
  },
  'Python, GenAI attributes below a span of the SDK': {
    encoding: 'protobuf',
    isCompressed: true,
    headers: (experiment) => ({
      'x-bt-parent': slugOf(
        4,
        1,
        [
          [3, 'a'.repeat(16)],
          [4, 'b'.repeat(32)],
        ],
        {
          object_id: experiment,
          row_id: 'a'.repeat(16),
        },
      ),
    }),
    spans: () => [
      llmSpan('openai.chat', {
        'gen_ai.system': 'OpenAI',
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': 'gpt-4o-mini',
        'gen_ai.response.model': 'gpt-4o-mini-2024-07-18',
        'gen_ai.prompt.0.role': 'user',
        'gen_ai.prompt.0.content': 'Say hi.',
        'gen_ai.completion.0.role': 'assistant',
        'gen_ai.completion.0.content': 'hi',
        'gen_ai.usage.input_tokens': 9,
        'gen_ai.usage.output_tokens': 2,
        'llm.usage.total_tokens': 11,
        'braintrust.context_json': context('python'),
      }),
    ],
    rows: () => ({
      [rootId]: {
        is_root: false,
        span_parents: ['a'.repeat(16)],
        root_span_id: 'b'.repeat(32),
        input: messages,
        output: [{ role: 'assistant', content: 'hi' }],
        metadata: {
          model: 'gpt-4o-mini',
          'gen_ai.system': 'OpenAI',
          'gen_ai.operation.name': 'chat',
          'gen_ai.response.model': 'gpt-4o-mini-2024-07-18',
        },
        metrics: { ...times, prompt_tokens: 9, completion_tokens: 2, tokens: 11 },
        span_attributes: { name: 'openai.chat', type: 'llm' },
      },
    }),
  },
};

describe('requests of SDKs over OTLP', () => {
  const server = sharedServer();

  for (const [name, { encoding, isCompressed, headers, spans, rows, project }] of Object.entries(
    recorded,
  ))
    it(`${name}, become the rows of its spans`, async () => {
      const { id } = await createExperiment(server(), (await createProject(server())).id);
      const body = encodeSpans(spans(id).map(readableSpan), encoding);
      expect(
        await outcome(
          server().request(
            'POST',
            '/otel/v1/traces',
            new Uint8Array(isCompressed ? gzipSync(body) : body),
            {
              headers: {
                'Content-Type': encodings[encoding],
                ...(isCompressed ? { 'Content-Encoding': 'gzip' } : {}),
                ...(headers?.(id) as Record<string, string> | undefined),
              },
            },
          ),
        ),
      ).to.deep.equal([200, '']);
      const [named] =
        project === undefined
          ? []
          : await listObjects(server(), `/v1/project?project_name=${project}`);
      const path = named === undefined ? `experiment/${id}` : `project_logs/${named.id}`;
      const events = await server().events(path);
      const found = new Map((events as readonly Json[]).map((row) => [row['id'], row]));
      const expected = Object.entries(rows(id));
      expect(found.size).to.equal(expected.length);
      for (const [spanId, row] of expected) expect(found.get(spanId)).to.deep.include(row);
    });
});
