// Comparisons as queries: the panel of an input has the scores of whole traces, as the grid has.
import { expect } from 'chai';
import {
  byInput,
  comparisonQuery,
  sidesQuery,
  trialsQuery,
} from '../../src/console/screens/compare/comparison.js';
import { createExperiment, createProject } from '../support/objects.js';
import { sharedServer } from '../support/start-server.js';

describe('a comparison', () => {
  const server = sharedServer();

  it('has the scores of whole traces, also beside the outputs of an input', async () => {
    const project = await createProject(server());
    const made: string[] = [];
    for (const name of ['one', 'two']) {
      const { id } = await createExperiment(server(), project.id, { name });
      await server().insert(`experiment/${id}`, [
        { id: 'root', span_id: 'root', root_span_id: 'root', input: 'x', scores: { ok: 1 } },
        {
          id: 'child',
          span_id: 'child',
          root_span_id: 'root',
          span_parents: ['root'],
          scores: { found: 0.5 },
        },
      ]);
      made.push(id);
    }
    const groups = await server().query(
      comparisonQuery({
        experiments: made,
        changed: made[1]!,
        score: 'found',
        direction: 'all',
        filter: '',
        traceFilter: '',
        version: null,
        groupBy: byInput,
      }),
    );
    expect(groups).to.have.length(1);
    expect(groups[0]).to.include({ id0: 'root', s0: 0.5, s1: 0.5 });
    const trials = JSON.parse(
      trialsQuery(made, '"x"', { filter: '', traceFilter: 'scores.found = 0.5' }),
    ) as object;
    for (const query of [sidesQuery(made, ['root', 'root']), trials]) {
      const rows = (await server().query(query)) as readonly { scores: object }[];
      const scores = { ok: 1, found: 0.5 };
      expect(rows.map((row) => row.scores)).to.deep.equal([scores, scores]);
    }
  });
});
