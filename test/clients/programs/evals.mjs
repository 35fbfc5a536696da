// Eval of the SDK: trials, several scorers, a classifier, and a second run that is compared with the first.
import { Eval } from 'braintrust';
import { report } from './report.mjs';

const data = () => [
  { input: 1, expected: 2, metadata: { kind: 'odd' }, tags: ['small'] },
  { input: 2, expected: 3, metadata: { kind: 'even' } },
];

const exact = ({ output, expected }) => ({
  name: 'exact',
  score: output === expected ? 1 : 0,
});

const half = () => ({ name: 'half', score: 0.5, metadata: { why: 'always' } });

const parity = ({ output }) => ({
  name: 'parity',
  id: output % 2 === 0 ? 'even' : 'odd',
  label: output % 2 === 0 ? 'Even' : 'Odd',
});

const first = await Eval('evals', {
  experimentName: 'first',
  trialCount: 2,
  metadata: { model: 'm' },
  data,
  task: (input) => (input === 1 ? 2 : 1),
  scores: [exact, half],
  classifiers: [parity],
});

const second = await Eval('evals', {
  experimentName: 'second',
  baseExperimentName: 'first',
  data,
  task: (input) => input + 1,
  scores: [exact, half],
});

const third = await Eval('evals', {
  experimentName: 'second',
  baseExperimentName: 'nowhere',
  data,
  task: (input) => input,
  scores: [exact],
});

report({ first: first.summary, second: second.summary, third: third.summary });
