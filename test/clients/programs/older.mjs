// The SDK of mid-2024: evaluation, logger, dataset and prompt.
import * as sdk from 'braintrust-0.0.140';
import { report } from './report.mjs';

await sdk.login();

const dataset = sdk.initDataset({ project: 'older', dataset: 'questions' });
dataset.insert({ id: 'r1', input: 1, expected: 2, metadata: {} });
dataset.insert({ id: 'r2', input: 2, expected: 3, metadata: {} });
await dataset.flush();
const records = [];
for await (const { id, input, expected } of sdk.initDataset({
  project: 'older',
  dataset: 'questions',
}))
  records.push({ id, input, expected });

const evaluate = (experimentName, task) =>
  sdk.Eval('older', {
    experimentName,
    data: sdk.initDataset({ project: 'older', dataset: 'questions' }),
    task,
    scores: [({ output, expected }) => ({ name: 'exact', score: output === expected ? 1 : 0 })],
  });
await evaluate('first', (input) => input);
const second = await evaluate('second', (input) => input + 1);

const logger = sdk.initLogger({ projectName: 'older logs' });
let root = '';
await logger.traced(
  async (span) => {
    root = span.id;
    span.log({ input: 'q', tags: ['first'] });
    span.traced((child) => child.log({ output: 'inner' }), { name: 'child' });
    span.log({ output: 'a' });
  },
  { name: 'request' },
);
await logger.flush();
logger.logFeedback({ id: root, scores: { human: 1 }, comment: 'fine', source: 'app' });
await logger.flush();

const prompt = await sdk.loadPrompt({ projectName: 'older', slug: 'answer' });

report({
  records,
  summary: second.summary,
  datasetSummary: await dataset.summarize(),
  projectId: (await logger.project).id,
  root,
  prompt: prompt.build({ name: 'Ada' }),
});
