// Programs that read answers by their addresses: whole, in parts, and more than once.
import { expect } from 'chai';
import { createProject } from '../../support/objects.js';
import { sharedServer } from '../../support/start-server.js';
import { runPython, type PythonEnvironment } from './run-python.js';

const folder = 'test/clients/python/programs';

const rows = 2000;

const readers: readonly (readonly [PythonEnvironment, string, number])[] = [
  ['frames', 'read_address.py', 12],
  ['duckdb-http', 'read_address_duckdb.py', 4],
];

describe('answers by address', () => {
  const server = sharedServer();

  for (const [environment, program, reads] of readers)
    it(`are read by ${program}`, async () => {
      const { id } = await createProject(server());
      const events = Array.from({ length: rows }, (_, n) => ({
        id: `r${String(n).padStart(4, '0')}`,
        metadata: { n },
      }));
      await server().post(`/v1/project_logs/${id}/insert`, { events });
      const { out } = await runPython(server(), {
        environment,
        files: [`${folder}/${program}`, `${folder}/addresses.py`],
        variables: {
          QUERY: `select: id, metadata.n | from: project_logs('${id}') | sort: metadata.n`,
        },
      });
      const begin = [['r0000', 0], ['r0001', 1], rows];
      expect(JSON.parse(out)).to.deep.equal({
        read: Array.from({ length: reads }, () => begin),
        last: [1998, 1999],
      });
    });
});
