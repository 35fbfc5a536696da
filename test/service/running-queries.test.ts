// The list of slow queries is bounded.
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { RunningQueries } from '../../src/service/running-queries.js';

const named = { userId: null, requestId: 'r', orgIds: [], projectIds: [] };

/** After 3 ms. */
async function answer() {
  await delay(3);
  return { contentType: 'text/plain', headers: {}, text: '' };
}

/** Runs the queries at once. */
async function run(queries: RunningQueries, texts: readonly string[]): Promise<void> {
  const { signal } = new AbortController();
  await Promise.all(texts.map((text) => queries.run({ ...named, text }, signal, answer)));
}

describe('slow queries', () => {
  const texts = Array.from({ length: 60 }, (_, n) => `query ${n}`);

  it('are the last 50, newest first, with the first part of their texts', async () => {
    const queries = new RunningQueries({ warn: () => {} }, 1);
    await run(queries, texts);
    await run(queries, ['x'.repeat(2000)]);
    const slow = queries.slow();
    expect(slow).to.have.length(50);
    expect(slow[0]!.text).to.equal(`${'x'.repeat(1024)}…`);
    expect(slow[0]).not.to.include.keys('signal', 'cancel');
    expect(slow[1]!.text).to.equal('query 59');
  });

  it('are none when none is logged', async () => {
    const queries = new RunningQueries({ warn: () => {} }, 0);
    await run(queries, texts);
    expect(queries.slow()).to.deep.equal([]);
  });
});
