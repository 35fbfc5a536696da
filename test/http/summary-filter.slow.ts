// The largest number of traces that the filter of a summary may pass.
import { expect } from 'chai';
import { createExperiment, createProject } from '../support/objects.js';
import { outcome, sharedServer } from '../support/start-server.js';

describe('filter of a summary', () => {
  const server = sharedServer();

  it('passes at most 50,000 traces', async () => {
    const { id } = await createExperiment(server(), (await createProject(server())).id);
    const insert = (count: number) =>
      server().insert(
        `experiment/${id}`,
        Array.from({ length: count }, () => ({ scores: { s: 1 } })),
      );
    const summary = () =>
      server().request('GET', `/v1/experiment/${id}/summarize?summarize_scores=true&filter=true`);
    await insert(50_000);
    expect((await summary()).json()['score_stats']).to.have.nested.property('s.count', 50_000);
    await insert(1);
    expect(await outcome(summary())).to.deep.equal([
      400,
      'filter: more than 50000 traces pass it, the limit of a summary: narrow the filter',
    ]);
  });
});
