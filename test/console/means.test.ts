// The means of scores in the list of experiments.
import { expect } from 'chai';
import { byScore, type Mean } from '../../src/console/screens/experiment/means.js';

describe('means of scores', () => {
  it('are found without a search', () => {
    let reads = 0;
    const ids = Array.from({ length: 50 }, (_, index) => `e${index}`);
    const means = ['b', 'a'].flatMap((score) =>
      ids.map((id, index): Mean => ({
        get experiment_id() {
          reads += 1;
          return id;
        },
        score,
        mean: index,
        inner: 0,
      })),
    );
    const scores = [...byScore(means)];
    expect(scores.map(([name]) => name)).to.deep.equal(['a', 'b']);
    for (const [, of] of scores)
      expect(ids.map((id) => of.get(id)?.mean)).to.deep.equal([...ids.keys()]);
    expect(reads).to.equal(means.length);
  });
});
