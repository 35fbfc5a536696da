// A branch without the paths of a filter is left out only if none of its rows can pass.
import { expect } from 'chai';
import { sharedServer } from '../support/start-server.js';
import { createProject } from '../support/objects.js';

describe('a segment without the path of a filter', () => {
  const server = sharedServer({ environment: { EVALSTORE_FLUSH_ROWS: '1' }, tuning: {} });

  for (const [filter, rows] of [
    ['metadata.absent in []', 0],
    ['metadata.absent not in []', 1],
    ["metadata.absent in ['x']", 0],
    ["metadata.absent not in ['x']", 0],
    ['(metadata.absent in []) = false', 1],
  ] as const)
    it(`has ${rows} rows that pass ${filter}`, async () => {
      const { id } = await createProject(server(), { name: filter });
      await server().insert(`project_logs/${id}`, [{ id: 'a', metadata: { present: 1 } }]);
      await server().settle();
      const query = `select: id | from: project_logs('${id}') | filter: ${filter}`;
      const answer = await server().post('/query', { query });
      expect(answer['data']).to.have.length(rows);
    });
});
