// Sums and means are computed with compensation for rounding errors, so that they do not depend on the order of the rows.
import { expect } from 'chai';
import { createExperiment, createProject } from '../support/objects.js';
import { sharedServer } from '../support/start-server.js';
import { summarize } from '../support/summaries.js';

const count = 1_000;

const values = { scores: { exact: 0.1 }, metrics: { custom: 0.1 } };

const traces = Array.from({ length: count }, (_, index) => ({ id: `e${index}`, ...values }));

const spans = traces.map((each) => ({
  ...each,
  span_id: each.id,
  root_span_id: 'e0',
  ...(each.id === 'e0' ? {} : { span_parents: ['e0'] }),
}));

for (const [name, events] of Object.entries({ traces, 'spans of one trace': spans }))
  describe(`the numbers of ${count} ${name} with 0.1`, () => {
    const server = sharedServer();
    let id = '';

    before(async () => {
      const project = await createProject(server());
      ({ id } = await createExperiment(server(), project.id));
      await server().insert(`experiment/${id}`, events);
    });

    it('have the exact sum and mean', async () => {
      const query = `measures: sum(scores.exact) as sum, avg(scores.exact) as mean | from: experiment('${id}')`;
      const { data } = await server().post('/query', { query });
      expect(data).to.deep.equal([{ sum: 100, mean: 0.1 }]);
    });

    it('have the exact means in summaries', async () => {
      const { scores, metrics } = await summarize(server(), id);
      expect(scores).to.have.nested.property('exact.score', 0.1);
      expect(metrics).to.have.nested.property('custom.metric', 0.1);
    });

    it('have the exact means in a summary of a trace', async () => {
      const query = `select: scores, metrics | from: experiment('${id}') summary | limit: 1`;
      const { data } = await server().post('/query', { query });
      expect(data).to.have.nested.property('[0].scores.exact', 0.1);
      expect(data).to.have.nested.property('[0].metrics.custom', 0.1);
    });
  });
