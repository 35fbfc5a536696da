// Programs that keep experiments, datasets and prompts, with the SDK and with the client of the REST interface.
import { detailedTokens } from './expected-rows.js';
import { modelAnswer } from './model-server.js';
import { describePrograms } from './run-programs.js';
import type { PythonEnvironment } from './run-python.js';
import type { Row } from './stored.js';

const newer = ['braintrust', 'braintrust-0.33.0'] as const;
const all: readonly [PythonEnvironment, ...PythonEnvironment[]] = [...newer, 'braintrust-0.0.180'];

const ranked = (scores: readonly number[]) => ({
  rows: scores.map((score, index) => ({
    input: 'abc'[index],
    scores: { ndcg: score },
    metrics: { latency: 2 * score },
  })),
});

const steps = (input: number): readonly Row[] => [
  {
    name: 'case',
    type: 'eval',
    input,
    output: 2 * input,
    scores: { right: input === 1 ? 1 : 0, unknown: null },
    tags: input === 1 ? ['odd'] : [],
  },
  { name: 'plan', type: 'llm', parent: 'case', metrics: { tokens: input + 1 } },
  { name: 'look', type: 'tool', parent: 'case', input, output: 2 * input },
];

const committed = (branch: string, score: number, base?: string) => ({
  ...(base && { base }),
  branch,
  rows: [{ input: 'q', output: 'a', scores: { good: score } }],
});

describePrograms('programs that keep experiments and datasets', [
  {
    file: 'experiment_log.py',
    environments: all,
    printed: [{ name: 'baseline', exact: 0.333 }],
    stored: [
      {
        project: 'spelling',
        experiments: {
          baseline: {
            metadata: { model: 'small' },
            rows: ['teh', 'adn', 'form'].map((word) => ({
              type: 'eval',
              input: word,
              scores: { exact: word === 'teh' ? 1 : 0 },
              metadata: { length: word.length },
              tags: ['short'],
            })),
          },
        },
      },
    ],
  },
  {
    file: 'experiment_base.py',
    environments: all,
    printed: [{ against: 'monday', score: 0.583333, diff: 0, improvements: 1, regressions: 1 }],
    stored: [
      {
        project: 'ranking',
        experiments: {
          monday: ranked([0.25, 0.5, 1]),
          tuesday: ranked([0, 0, 0]),
          wednesday: { base: 'monday', ...ranked([0.75, 0.5, 0.5]) },
        },
      },
    ],
  },
  {
    file: 'experiment_git.py',
    environments: all,
    printed: [
      { name: 'main', against: null },
      { name: 'elsewhere', against: 'main' },
      { name: 'feature', against: 'main' },
    ],
    stored: [
      {
        project: 'in-repository',
        experiments: {
          main: committed('main', 0.5),
          elsewhere: committed('elsewhere', 0.25, 'main'),
          feature: committed('feature', 1, 'main'),
        },
      },
    ],
  },
  {
    file: 'experiment_update.py',
    environments: newer,
    // The SDK takes rows whose two ids are the same for roots.
    variables: { BRAINTRUST_LEGACY_IDS: 'true' },
    printed: [
      {
        inputs: ['monday', 'tuesday'],
        records: [
          ['monday', 1],
          ['tuesday', 3],
        ],
        other: true,
      },
    ],
    stored: [
      {
        project: 'nightly',
        experiments: {
          run: {
            rows: [
              { id: 'monday', input: 'monday', output: 1, scores: { good: 1, human: 0.5 } },
              { id: 'tuesday', input: 'tuesday', output: 2, scores: { good: 0 } },
            ],
          },
          another: { rows: [{ input: 'wednesday', output: 3, scores: { good: 1 } }] },
        },
      },
    ],
  },
  {
    file: 'experiment_spans.py',
    environments: all,
    stored: [
      {
        project: 'agent-runs',
        experiments: { steps: { rows: [0, 1, 2].flatMap(steps) } },
      },
    ],
  },
  {
    file: 'dataset_versions.py',
    environments: all,
    printed: [
      {
        before: [
          ['q1', { q: 1 }, 'one'],
          ['q2', { q: 2 }, 'two'],
          ['q3', { q: 3 }, 'drei'],
        ],
        now: [
          ['q1', { q: 1 }, 'one'],
          ['q3', { q: 3 }, 'three'],
        ],
        total: 2,
      },
    ],
    stored: [
      {
        project: 'golden-sets',
        datasets: {
          questions: [
            {
              id: 'q1',
              input: { q: 1 },
              expected: 'one',
              metadata: { level: 'easy' },
              tags: ['numbers'],
            },
            { id: 'q3', input: { q: 3 }, expected: 'three', metadata: { fixed: true } },
          ],
        },
      },
    ],
  },
  {
    file: 'prompt_load.py',
    environments: newer,
    printed: [modelAnswer],
    stored: [
      {
        project: 'prompted',
        logs: [
          {
            name: 'Chat Completion',
            type: 'llm',
            input: [
              { role: 'system', content: 'Answer in one word.' },
              { role: 'user', content: 'Capital of France?' },
            ],
            metadata: { model: 'gpt-4o', temperature: 0 },
            metrics: detailedTokens,
          },
        ],
        prompts: {
          capital: {
            prompt: {
              type: 'chat',
              messages: [
                { role: 'system', content: 'Answer in one word.' },
                { role: 'user', content: 'Capital of {{country.name}}?' },
              ],
            },
            options: { model: 'gpt-4o', params: { temperature: 0 } },
          },
        },
      },
    ],
  },
  {
    file: 'prompt_project.py',
    environments: newer,
    command: ['braintrust', 'push', 'prompt_project.py'],
    stored: [
      {
        project: 'pushed-prompts',
        prompts: {
          greeting: {
            prompt: { type: 'chat', messages: [{ role: 'user', content: 'Greet {{name}}.' }] },
            options: { model: 'gpt-4o', params: { temperature: 0.5 } },
          },
        },
      },
    ],
  },
  {
    file: 'api_experiments.py',
    environments: ['braintrust-api'],
    printed: [[403]],
    stored: [
      {
        project: 'rest-experiments',
        experiments: {
          one: {
            metadata: { model: 'small' },
            rows: [0, 1, 2, 3, 4].map((number) => ({
              id: `e${number}`,
              input: number,
              scores: number === 4 ? { good: 1, human: 0 } : { good: number / 4 },
              tags: ['rest'],
            })),
          },
        },
      },
    ],
  },
  {
    file: 'api_datasets.py',
    environments: ['braintrust-api'],
    printed: [[400]],
    stored: [
      {
        project: 'rest-datasets',
        datasets: {
          cases: [
            { id: 'c1', input: { q: 1 }, expected: 'one' },
            { id: 'c2', input: { q: 2 }, expected: 'two', metadata: { late: true } },
          ],
        },
        prompts: {
          hello: {
            prompt: { type: 'completion', content: 'Hello {{name}}' },
            options: { model: 'gpt-4o' },
          },
        },
      },
    ],
  },
  {
    file: 'api_logs.py',
    environments: ['braintrust-api'],
    stored: [
      {
        project: 'rest-logs',
        logs: [
          { id: 'root', name: 'request', type: 'task', scores: { human: 1 }, tags: ['seen'] },
          {
            id: 'child',
            name: 'model',
            type: 'llm',
            parent: 'request',
            metadata: { model: 'gpt-4o' },
            metrics: { tokens: 12, start: 1795333730.5 },
          },
        ],
      },
    ],
  },
]);
