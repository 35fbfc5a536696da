// Programs whose instrumentation speaks OpenTelemetry.
import {
  answerParts,
  callTokens,
  detailedTokens,
  question,
  questionParts,
} from './expected-rows.js';
import { modelAnswer } from './model-server.js';
import { describePrograms } from './run-programs.js';

/** What LlamaIndex's mock of a model answers. */
const mock = Array(8).fill('text').join(' ');

describePrograms('programs with OpenTelemetry', [
  {
    file: 'otel_processor.py',
    environments: ['opentelemetry', 'agents'],
    stored: [
      {
        project: 'otel-processor',
        logs: [
          {
            name: 'checkout',
            type: 'task',
            output: { paid: true },
            metadata: { tier: 'gold' },
            scores: { complete: 1 },
            tags: ['eu'],
          },
          { name: 'charge', type: 'task', parent: 'checkout' },
        ],
      },
    ],
  },
  {
    file: 'otel_exporter.py',
    environments: ['opentelemetry'],
    stored: [
      {
        project: 'otel-exporter',
        logs: [
          {
            name: 'handle',
            type: 'task',
            input: 'Capital of France?',
            error: /^RuntimeError: no more paper\n\nTraceback/,
          },
          {
            name: 'chat gpt-4o',
            type: 'llm',
            parent: 'handle',
            input: questionParts,
            output: answerParts,
            metadata: { model: 'gpt-4o', 'gen_ai.provider.name': 'openai' },
            metrics: callTokens,
          },
        ],
      },
    ],
  },
  {
    file: 'otel_compat.py',
    environments: ['opentelemetry'],
    stored: [
      {
        project: 'otel-mixed',
        logs: [
          { name: 'outer', input: 'q' },
          { name: 'middle', parent: 'outer', output: 'a' },
          { name: 'inner', parent: 'middle', scores: { good: 1 } },
        ],
      },
    ],
  },
  {
    file: 'openinference_openai.py',
    environments: ['opentelemetry'],
    stored: [
      {
        project: 'openinference',
        logs: [
          {
            name: 'ChatCompletion',
            type: 'llm',
            input: question,
            output: [{ role: 'assistant', content: modelAnswer }],
            metadata: {
              model: 'gpt-4o',
              temperature: 0.5,
              plan: 'free',
              'session.id': 's1',
              'user.id': 'u1',
            },
            tags: ['demo'],
            metrics: detailedTokens,
          },
          {
            name: 'ChatCompletion',
            type: 'llm',
            input: [{ role: 'user', content: 'Weather?' }],
            output: [
              {
                role: 'assistant',
                tool_calls: [
                  {
                    id: 'call_1',
                    function: { name: 'weather', arguments: '{"city":"Paris"}' },
                  },
                ],
              },
            ],
            metadata: { model: 'gpt-4o' },
            metrics: detailedTokens,
          },
        ],
      },
    ],
  },
  {
    file: 'openllmetry_openai.py',
    environments: ['opentelemetry'],
    stored: [
      {
        project: 'openllmetry',
        logs: [
          {
            name: 'openai.chat',
            type: 'llm',
            input: questionParts,
            output: answerParts,
            metadata: { model: 'gpt-4o', temperature: 0.5 },
            metrics: detailedTokens,
          },
          {
            name: 'openai.embeddings',
            type: 'llm',
            metadata: { model: 'text-embedding-3-small' },
            metrics: { prompt_tokens: 7, tokens: 7 },
          },
        ],
      },
    ],
  },
  {
    file: 'llama_index_query.py',
    environments: ['opentelemetry'],
    stored: [
      {
        project: 'llama-index',
        logs: [
          { name: 'SentenceSplitter.__call__', type: 'task' },
          { name: 'SentenceSplitter._parse_nodes', parent: 'SentenceSplitter.__call__' },
          {
            name: 'SentenceSplitter.split_text_metadata_aware',
            parent: 'SentenceSplitter._parse_nodes',
            output: ['Paris is the capital of France.'],
          },
          { name: 'RetrieverQueryEngine.query', input: 'Capital of France?', output: mock },
          { name: 'RetrieverQueryEngine._query', parent: 'RetrieverQueryEngine.query' },
          {
            name: 'SummaryIndexRetriever.retrieve',
            parent: 'RetrieverQueryEngine._query',
            input: 'Capital of France?',
          },
          { name: 'SummaryIndexRetriever._retrieve', parent: 'SummaryIndexRetriever.retrieve' },
          {
            name: 'CompactAndRefine.synthesize',
            parent: 'RetrieverQueryEngine._query',
            output: mock,
          },
          {
            name: 'CompactAndRefine.get_response',
            parent: 'CompactAndRefine.synthesize',
            output: mock,
          },
          { name: 'TokenTextSplitter.split_text', parent: 'CompactAndRefine.get_response' },
          {
            name: 'CompactAndRefine.get_response',
            parent: 'CompactAndRefine.get_response',
            output: mock,
          },
          { name: 'TokenTextSplitter.split_text', parent: 'CompactAndRefine.get_response' },
          { name: 'DefaultRefineProgram.__call__', parent: 'CompactAndRefine.get_response' },
          { name: 'MockLLM.predict', type: 'llm', parent: 'DefaultRefineProgram.__call__' },
          { name: 'MockLLM.complete', type: 'llm', parent: 'MockLLM.predict', output: mock },
        ],
      },
    ],
  },
  {
    file: 'litellm_otel.py',
    environments: ['litellm'],
    variables: { LITELLM_LOCAL_MODEL_COST_MAP: 'True' },
    stored: [
      {
        project: 'litellm-otel',
        logs: [
          {
            name: 'litellm_request',
            type: 'llm',
            input: questionParts,
            output: answerParts,
            metadata: { model: 'gpt-4o', temperature: 0.5 },
            metrics: callTokens,
          },
          { name: 'raw_gen_ai_request', parent: 'litellm_request' },
        ],
      },
    ],
  },
  {
    file: 'pydantic_ai_otel.py',
    environments: ['agents'],
    stored: [
      {
        project: 'pydantic-otel',
        logs: [
          {
            name: 'invoke_agent capitals',
            type: 'task',
            output: modelAnswer,
            metadata: { model: 'gpt-4o' },
            metrics: { tokens: undefined },
          },
          {
            name: 'chat gpt-4o',
            type: 'llm',
            parent: 'invoke_agent capitals',
            output: [
              {
                role: 'assistant',
                parts: [
                  {
                    type: 'tool_call',
                    id: 'call_1',
                    name: 'lookup',
                    arguments: '{"city":"Paris"}',
                  },
                ],
                finish_reason: 'tool_call',
              },
            ],
            metadata: { model: 'gpt-4o' },
            metrics: callTokens,
          },
          {
            name: 'execute_tool lookup',
            type: 'tool',
            parent: 'invoke_agent capitals',
            input: { city: 'Paris' },
            output: 'Paris is a city',
          },
          {
            name: 'chat gpt-4o',
            type: 'llm',
            parent: 'invoke_agent capitals',
            output: answerParts,
            metrics: callTokens,
          },
        ],
      },
    ],
  },
]);
