// The numbers of summaries stay in memory only as far as their names leave room.
import { expect } from 'chai';
import type { Services } from '../../src/service/context.js';
import { cachedNumbers } from '../../src/service/summary/summary-cache.js';

const numbersWith = (name: string) => ({
  scores: {
    [name]: { name, score: 1, improvements: 0, regressions: 0 },
  },
});

/** The keys of summaries that are still known after ten with names of this length were read. */
async function known(nameLength: number): Promise<readonly number[]> {
  const services = { store: {} } as Services;
  const keys = Array.from({ length: 10 }, (_, key) => key);
  const name = 'n'.repeat(nameLength);
  const found: number[] = [];
  const read = async (key: number) => {
    let isKnown = true;
    await cachedNumbers(services, String(key), () => {
      isKnown = false;
      return Promise.resolve(numbersWith(name));
    });
    if (isKnown) found.push(key);
  };
  for (const key of keys) await read(key);
  for (const key of keys.toReversed()) await read(key);
  return found;
}

describe('cached numbers of summaries', () => {
  it('are all known with short names, and the last ones with long names', async () => {
    expect(await known(10)).to.have.length(10);
    expect(await known(2 ** 20)).to.deep.equal([9, 8, 7, 6, 5, 4, 3]);
  });
});
