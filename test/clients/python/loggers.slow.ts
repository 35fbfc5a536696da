// Programs that log production traces with the SDK.
import { detailedTokens, question } from './expected-rows.js';
import { modelAnswer } from './model-server.js';
import { describePrograms } from './run-programs.js';
import type { Row } from './stored.js';

const declined = /ValueError: card declined/;

const chunk = (number: number): Row => ({
  name: 'chunk',
  type: 'function',
  parent: 'document',
  input: { number },
  output: number * 10,
});

const search = (query: string): Row => ({
  name: 'search',
  type: 'function',
  parent: 'agent',
  input: { query },
  output: [query.toUpperCase()],
  metrics: { hits: query.length },
});

const chat = (parent: string, model: string): Row => ({
  name: 'Chat Completion',
  type: 'llm',
  parent,
  input: question,
  metadata: { model },
  metrics: detailedTokens,
});

describePrograms('programs that log with the SDK', [
  {
    file: 'logger_traced.py',
    environments: ['braintrust', 'braintrust-0.33.0', 'braintrust-0.0.180'],
    stored: [
      {
        project: 'support-bot',
        logs: [
          {
            name: 'handle',
            type: 'function',
            input: { question: 'How do I reset my password?' },
            tags: ['web'],
            scores: { helpful: 1 },
            expected: 'Use the form.',
          },
          {
            name: 'retrieve',
            parent: 'handle',
            input: { question: 'How do I reset my password?' },
            output: ['reset.md'],
          },
          {
            name: 'model',
            type: 'llm',
            parent: 'handle',
            output: 'Click on Forgot password.',
            metadata: { model: 'small' },
            metrics: { tokens: 12 },
          },
        ],
      },
    ],
  },
  {
    file: 'logger_spans.py',
    environments: ['braintrust', 'braintrust-0.33.0', 'braintrust-0.0.180'],
    stored: [
      {
        project: 'checkout-agent',
        logs: [
          {
            name: 'order',
            type: 'task',
            input: { cart: ['book'] },
            tags: ['eu'],
            scores: { complete: 1 },
            error: declined,
          },
          {
            name: 'model',
            type: 'llm',
            parent: 'order',
            input: [{ role: 'user', content: 'Is the cart complete?' }],
            output: 'yes',
            metadata: { model: 'gpt-4o', temperature: 0 },
            metrics: { prompt_tokens: 7, completion_tokens: 5, tokens: 12 },
          },
          { name: 'charge', parent: 'order', error: declined },
          { id: 'ping-1', input: 'ping', output: 'pong', metadata: { late: true } },
        ],
      },
    ],
  },
  {
    file: 'logger_export.py',
    environments: ['braintrust', 'braintrust-0.33.0', 'braintrust-0.0.180'],
    stored: [
      {
        project: 'queue-workers',
        logs: [
          { name: 'request', input: 'enqueue', output: 'queued', metadata: { jobs: 1 } },
          { name: 'worker', parent: 'request', input: 'job 7', output: 'done' },
        ],
      },
    ],
  },
  {
    file: 'logger_threads.py',
    environments: ['braintrust', 'braintrust-0.33.0', 'braintrust-0.0.180'],
    stored: [
      {
        project: 'thread-pool',
        logs: [
          { name: 'document', type: 'function', output: 280 },
          ...[0, 1, 2, 3, 4, 5, 6, 7].map(chunk),
        ],
      },
    ],
  },
  {
    file: 'logger_asyncio.py',
    environments: ['braintrust', 'braintrust-0.33.0', 'braintrust-0.0.180'],
    stored: [
      {
        project: 'async-agent',
        logs: [
          { name: 'agent', type: 'task', input: 'a, bb, ccc', output: ['A', 'BB', 'CCC'] },
          ...['a', 'bb', 'ccc'].map(search),
          { name: 'rank', type: 'tool', parent: 'agent', output: ['A', 'BB', 'CCC'] },
        ],
      },
    ],
  },
  {
    file: 'logger_masking.py',
    environments: ['braintrust', 'braintrust-0.33.0'],
    stored: [
      {
        project: 'masked-support',
        logs: [
          {
            input: { from: '<mail>' },
            output: 'Dear <mail>',
            metadata: { to: ['<mail>'] },
          },
        ],
      },
    ],
  },
  {
    file: 'logger_two_projects.py',
    environments: ['braintrust', 'braintrust-0.33.0', 'braintrust-0.0.180'],
    stored: [
      {
        project: 'two-production',
        logs: [{ input: 1, output: 'production' }],
        experiments: {
          current: { rows: [{ input: 3, output: 'experiment', scores: { good: 1 } }] },
        },
      },
      { project: 'two-staging', logs: [{ input: 2, output: 'staging' }] },
    ],
  },
  {
    file: 'logger_values.py',
    environments: ['braintrust', 'braintrust-0.33.0'],
    stored: [
      {
        project: 'python-values',
        logs: [
          {
            id: 'values',
            input: {
              7: 'number as key',
              point: { x: 1, y: 2.5 },
              tuple: [1, 'two'],
              none: null,
              nan: 'NaN',
              infinite: 'Infinity',
              text: 'täglich \u{1F600}',
            },
            output: ['2026-11-28', '0.10', 'red'],
            metadata: {
              uuid: '00000000-0000-0000-0000-000000000007',
              nested: { deep: { er: [[]] } },
            },
          },
        ],
      },
    ],
  },
  {
    file: 'attachments.py',
    environments: ['braintrust', 'braintrust-0.33.0'],
    printed: [{ same: true }],
    stored: [
      {
        project: 'picture-questions',
        logs: [{ output: 'noise' }],
        datasets: { pictures: [{ id: 'p1', expected: 'noise' }] },
      },
    ],
  },
  {
    file: 'wrap_openai_chat.py',
    environments: ['braintrust', 'braintrust-0.33.0'],
    stored: [
      {
        project: 'chat-completions',
        logs: [
          { name: 'plain' },
          chat('plain', 'gpt-4o'),
          { name: 'stream' },
          chat('stream', 'gpt-4o-mini'),
          { name: 'tools' },
          chat('tools', 'gpt-4o'),
          { name: 'failing' },
          { name: 'Chat Completion', parent: 'failing', metadata: { model: 'missing' } },
        ],
      },
    ],
  },
  {
    file: 'wrap_openai_responses.py',
    environments: ['braintrust', 'braintrust-0.33.0'],
    stored: [
      {
        project: 'responses',
        logs: [
          { name: 'ask', input: { question: 'Capital of France?' }, output: modelAnswer },
          {
            name: 'openai.responses.create',
            type: 'llm',
            parent: 'ask',
            input: 'Capital of France?',
            metadata: { model: 'gpt-5', instructions: 'Be brief.' },
            metrics: detailedTokens,
          },
          {
            name: 'Embedding',
            type: 'llm',
            input: ['Paris', 'London'],
            metadata: { model: 'text-embedding-3-small' },
            metrics: { prompt_tokens: 7, tokens: 7 },
          },
        ],
      },
    ],
  },
  {
    file: 'auto_instrument.py',
    environments: ['braintrust'],
    stored: [
      {
        project: 'instrumented',
        logs: [
          {
            name: 'Chat Completion',
            type: 'llm',
            input: question,
            metadata: { model: 'gpt-4o' },
            metrics: detailedTokens,
          },
        ],
      },
    ],
  },
]);
