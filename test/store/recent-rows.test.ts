import { expect } from 'chai';
import { createRecentRows } from '../../src/store/commit/recent-rows.js';
import type { UnplacedRow } from '../../src/schema/event-row.js';

const tooLarge = 2 ** 21;
const largest = 900_000;
const rowOf = (id: string) => ({ id }) as UnplacedRow;

describe('recent rows', () => {
  it('are found by their places', () => {
    const recent = createRecentRows();
    recent.remember({ source: 3, row: 14 }, rowOf('a'), 10);
    expect(recent.at({ source: 3, row: 14 })).to.deep.equal({ id: 'a' });
    expect(recent.at({ source: 31, row: 4 })).to.equal(undefined);
  });

  it('are forgotten, the oldest first, when they are too large together, and one that is too large at once', () => {
    const recent = createRecentRows();
    for (let row = 0; row < 50; row += 1)
      recent.remember({ source: 1, row }, rowOf(`${row}`), largest);
    expect(recent.at({ source: 1, row: 0 })).to.equal(undefined);
    expect(recent.at({ source: 1, row: 49 })).to.deep.equal({ id: '49' });
    recent.remember({ source: 1, row: 50 }, rowOf('50'), tooLarge);
    expect(recent.at({ source: 1, row: 50 })).to.equal(undefined);
    expect(recent.at({ source: 1, row: 49 })).to.deep.equal({ id: '49' });
  });
});
