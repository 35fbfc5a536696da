// For `braintrust eval`: an evaluation that is compared with its first run.
import { Eval } from 'braintrust';

void Eval('command line', {
  experimentName: 'sums',
  baseExperimentName: 'sums',
  data: () => [
    { input: 1, expected: 2 },
    { input: 2, expected: 4 },
  ],
  task: (input: number): number => input + 1,
  scores: [({ output, expected }) => ({ name: 'exact', score: output === expected ? 1 : 0 })],
});
