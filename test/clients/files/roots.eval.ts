// For `braintrust eval`: an evaluation that fails in one of its cases.
import { Eval } from 'braintrust';

void Eval('command line', {
  experimentName: 'roots',
  data: () => [{ input: 4, expected: 2 }, { input: -1 }],
  task: (input: number): number => {
    if (input < 0) throw new RangeError('no root of a negative number');
    return Math.sqrt(input);
  },
  scores: [({ output, expected }) => ({ name: 'exact', score: output === expected ? 1 : 0 })],
});
