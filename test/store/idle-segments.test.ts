import { expect } from 'chai';
import { IdleSegments } from '../../src/store/maintenance/idle-segments.js';

const counts = (...entries: readonly [number, number][]) => new Map(entries);

describe('idle sources', () => {
  let now = 0;

  beforeEach(() => (now = 0));

  it('are those whose count has not changed for long enough', () => {
    const sources = new IdleSegments(100, () => now);
    expect(sources.update(counts([1, 5]))).to.deep.equal({ idle: counts(), waitMs: 100 });
    now = 60;
    expect(sources.update(counts([1, 5], [2, 1]))).to.deep.equal({ idle: counts(), waitMs: 40 });
    now = 100;
    expect(sources.update(counts([1, 5], [2, 2]))).to.deep.equal({
      idle: counts([1, 5]),
      waitMs: 100,
    });
    now = 200;
    expect(sources.update(counts([1, 6], [2, 2]))).to.deep.equal({
      idle: counts([2, 2]),
      waitMs: 100,
    });
    now = 300;
    expect(sources.update(counts([1, 6]))).to.deep.equal({ idle: counts([1, 6]), waitMs: null });
  });

  it('are all of them when there is no time to wait for', () => {
    const sources = new IdleSegments(0, () => now);
    expect(sources.update(counts([1, 5]))).to.deep.equal({ idle: counts([1, 5]), waitMs: null });
  });
});
