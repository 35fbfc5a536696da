// The header that says how long a query took.
import { expect } from 'chai';
import { createProject } from '../support/objects.js';
import { sharedServer } from '../support/start-server.js';

/** Of the header, in milliseconds. */
const timesOf = (header: string): ReadonlyMap<string, number> =>
  new Map(
    header.split(', ').map((metric) => {
      const [, name = '', duration = ''] = /^(\w+);dur=(\d+\.\d)$/.exec(metric) ?? [];
      return [name, Number(duration)] as const;
    }),
  );

describe('the time of a query', () => {
  const server = sharedServer();

  for (const fmt of ['json', 'jsonl', 'csv', 'parquet', 'arrow'])
    it(`is in the header Server-Timing of its answer, as ${fmt}`, async () => {
      const { id } = await createProject(server());
      const events = Array.from({ length: 200 }, (_, input) => ({ input }));
      await server().insert(`project_logs/${id}`, events);
      const query = `dimensions: input | from: project_logs('${id}')`;
      const { headers } = await server().request('POST', '/query', { query, fmt });
      const times = timesOf(headers.get('server-timing') ?? '');
      expect([...times.keys()]).to.deep.equal(['total', 'wait', 'read']);
      // Each is rounded.
      const parts = times.get('wait')! + times.get('read')!;
      expect(times.get('total')).to.be.at.least(parts - 0.2);
      expect(times.get('read')).to.be.above(0);
    });
});
