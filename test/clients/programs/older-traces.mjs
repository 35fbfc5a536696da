// The SDK of mid-2024: trials and several scorers, experiments that go on, and spans under an exported parent.
import * as sdk from 'braintrust-0.0.140';
import { report } from './report.mjs';

await sdk.login();

const evaluate = (experimentName, task, more = {}) =>
  sdk.Eval('older traces', {
    experimentName,
    trialCount: 3,
    data: () => [
      { input: 1, expected: 2, metadata: { kind: 'odd' } },
      { input: 2, expected: 3 },
    ],
    task,
    scores: [
      ({ output, expected }) => ({ name: 'exact', score: output === expected ? 1 : 0 }),
      ({ output }) => ({ name: 'half', score: 0.5, metadata: { output } }),
    ],
    ...more,
  });

const first = await evaluate('first', (input, hooks) => {
  hooks.meta({ seen: true });
  return input;
});
const second = await evaluate('second', (input) => input + 1);

const more = sdk.init('older traces', { experiment: 'first', update: true });
const added = more.log({ input: 3, output: 4, expected: 4, scores: { exact: 1 } });
more.logFeedback({ id: added, scores: { human: 1 }, comment: 'right' });
await more.flush();
const opened = sdk.init('older traces', { experiment: 'first', open: true });
const inputs = [];
for await (const { input } of opened.asDataset()) inputs.push(input);

const logger = sdk.initLogger({ projectName: 'older traces' });
let exported = '';
await logger.traced(
  async (span) => {
    exported = await span.export();
    span.log({ input: 'q', tags: ['first'] });
    await logger.flush();
    await Promise.all(
      [0, 1, 2].map((index) =>
        span.traced(
          async (child) => {
            child.log({ output: index });
            await logger.flush();
            child.traced((inner) => inner.log({ metadata: { index } }), { name: 'inner' });
          },
          { name: `child ${index}`, type: 'llm' },
        ),
      ),
    );
    span.log({ output: 'a', tags: ['second'] });
  },
  { name: 'request' },
);
sdk.startSpan({ parent: exported, name: 'elsewhere', event: { input: 'later' } }).end();
await logger.flush();
await sdk.flush();

report({
  projectId: (await logger.project).id,
  ids: [await opened.id, await more.id],
  inputs,
  second: second.summary,
  first: first.summary,
});
