// Comparisons as queries: the panel of an input has the scores of whole traces, as the grid has.
import { expect } from 'chai';
import {
  byInput,
  comparisonQuery,
  sidesQuery,
  trialsQuery,
  withGroup,
  type Comparison,
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

  it('has groups that select as many traces as they count, also by what only roots have', async () => {
    const project = await createProject(server());
    const { id } = await createExperiment(server(), project.id, { name: 'one' });
    await server().insert(
      `experiment/${id}`,
      [5, 7].map((tokens) => ({ input: `${tokens}`, scores: { ok: 1 }, metrics: { tokens } })),
    );
    const all: Comparison = {
      experiments: [id],
      changed: id,
      score: '',
      direction: 'all',
      filter: '',
      traceFilter: '',
      version: null,
      groupBy: byInput,
    };
    for (const [groupBy, counts] of [
      ['metrics.tokens', [2]],
      ['scores.ok', [2]],
      ['input', [1, 1]],
    ] as const) {
      const groups = await server().query(comparisonQuery({ ...all, groupBy }));
      expect(
        groups.map(({ n0 }) => n0),
        groupBy,
      ).to.deep.equal(counts);
      for (const { value = null, n0 } of groups) {
        const { f = '', g = '' } = withGroup({ ...all, groupBy }, JSON.stringify(value));
        const inputs = comparisonQuery({ ...all, filter: f, traceFilter: g });
        expect(await server().query(inputs), groupBy).to.have.length(n0 as number);
      }
    }
  });
});
