// Programs with frameworks that report to the server by callbacks of their own or of the SDK.
import { callTokens, detailedTokens, question } from './expected-rows.js';
import { modelAnswer } from './model-server.js';
import { describePrograms } from './run-programs.js';

const localCosts = { LITELLM_LOCAL_MODEL_COST_MAP: 'True' };

const litellmTokens = { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 };

const turn = (number: number) => ({
  name: `Turn ${number} (Forecaster)`,
  type: 'task',
  parent: 'Forecaster',
  metadata: { agent_name: 'Forecaster', turn: number },
});

const response = (turn: number) => ({
  name: 'Response',
  type: 'llm',
  parent: `Turn ${turn} (Forecaster)`,
  metadata: { model: 'gpt-5' },
  metrics: detailedTokens,
});

describePrograms('programs with frameworks', [
  {
    file: 'litellm_callback.py',
    environments: ['litellm'],
    variables: localCosts,
    stored: [
      {
        project: 'litellm-sync',
        logs: [
          {
            name: 'capital',
            type: 'llm',
            input: question,
            metadata: { model: 'gpt-4o', environment: 'test' },
            metrics: litellmTokens,
          },
        ],
      },
    ],
  },
  {
    file: 'litellm_async.py',
    environments: ['litellm'],
    variables: localCosts,
    stored: [
      {
        project: 'litellm-async',
        logs: [
          { type: 'llm', input: question, metadata: { model: 'gpt-4o' }, metrics: litellmTokens },
        ],
      },
    ],
  },
  {
    file: 'langchain_callback.py',
    environments: ['langchain'],
    stored: [
      {
        project: 'langchain-chain',
        logs: [
          {
            name: 'RunnableSequence',
            type: 'task',
            input: { country: 'France' },
            output: modelAnswer,
            metadata: { tags: ['demo'] },
          },
          {
            name: 'ChatPromptTemplate',
            parent: 'RunnableSequence',
            input: { country: 'France' },
          },
          {
            name: 'ChatOpenAI',
            type: 'llm',
            parent: 'RunnableSequence',
            metadata: { model: 'gpt-4o' },
            metrics: callTokens,
          },
          { name: 'StrOutputParser', parent: 'RunnableSequence', output: modelAnswer },
        ],
      },
    ],
  },
  {
    file: 'langchain_tools.py',
    environments: ['langchain'],
    stored: [
      {
        project: 'langchain-tools',
        logs: [
          { name: 'agent' },
          { name: 'Documents', type: 'function', parent: 'agent', input: 'capital' },
          { name: 'ChatOpenAI', type: 'llm', parent: 'agent', metrics: callTokens },
          { name: 'weather', type: 'tool', parent: 'agent', input: { city: 'Paris' } },
          {
            name: 'weather',
            type: 'tool',
            parent: 'agent',
            input: { city: 'Nowhere' },
            error: /unknown city/,
          },
        ],
      },
    ],
  },
  {
    file: 'pydantic_ai_wrapped.py',
    environments: ['agents'],
    stored: [
      {
        project: 'pydantic-wrapped',
        logs: [
          { name: 'agent_run_sync [capitals]', type: 'task', metadata: { model: 'gpt-4o' } },
          {
            name: 'agent_run [capitals]',
            type: 'task',
            parent: 'agent_run_sync [capitals]',
            metadata: { agent_name: 'capitals' },
          },
          {
            name: 'chat gpt-4o',
            type: 'llm',
            parent: 'agent_run [capitals]',
            metadata: { model: 'gpt-4o' },
          },
          {
            name: 'Chat Completion',
            type: 'llm',
            parent: 'chat gpt-4o',
            input: [{ role: 'system', content: 'Be brief.' }, ...question],
            metrics: detailedTokens,
          },
        ],
      },
    ],
  },
  {
    file: 'openai_agents.py',
    environments: ['agents'],
    stored: [
      {
        project: 'openai-agents',
        logs: [
          { name: 'Agent workflow', type: 'task' },
          { name: 'Agent workflow', type: 'task', parent: 'Agent workflow' },
          {
            name: 'Forecaster',
            type: 'task',
            parent: 'Agent workflow',
            metadata: { tools: ['weather'] },
          },
          turn(1),
          response(1),
          {
            name: 'weather',
            type: 'tool',
            parent: 'Turn 1 (Forecaster)',
            input: '{"city":"Paris"}',
            output: 'sunny in Paris',
          },
          turn(2),
          response(2),
        ],
      },
    ],
  },
]);
