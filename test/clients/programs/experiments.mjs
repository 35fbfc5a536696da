// Experiments of the SDK by hand: a base that is not there, going on with one, reading one, what it is compared with.
import { init } from 'braintrust';
import { report } from './report.mjs';

const first = init('experiments', { experiment: 'first', metadata: { run: 1 } });
first.log({ id: 'a', input: 1, output: 1, expected: 1, scores: { exact: 1 } });
first.log({ id: 'b', input: 2, output: 1, expected: 2, scores: { exact: 0 } });
await first.flush();

const more = init('experiments', { experiment: 'first', update: true });
more.log({ id: 'c', input: 3, output: 3, expected: 3, scores: { exact: 1 } });
more.logFeedback({ id: 'a', scores: { human: 1 }, comment: 'right' });
await more.flush();

const second = init('experiments', {
  experiment: 'second',
  baseExperiment: 'first',
  repoInfo: { commit: 'c0ffee', branch: 'main' },
});
second.log({ input: 2, output: 2, expected: 2, scores: { exact: 1 } });
const base = await second.fetchBaseExperiment();
const summary = await second.summarize();

const nowhere = init('experiments', { experiment: 'third', baseExperiment: 'nowhere' });
const opened = init('experiments', { experiment: 'first', open: true });

let missing = '';
try {
  await init('experiments', { experiment: 'missing', open: true }).id;
} catch (error) {
  missing = error.message;
}

report({
  ids: [await first.id, await more.id, await opened.id],
  second: await second.id,
  base,
  summary,
  third: await nowhere.id,
  missing,
});
