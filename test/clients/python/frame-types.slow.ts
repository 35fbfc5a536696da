// The columns of an answer have the same types whichever rows there are, for every reader of frames in Python.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { eventsOf } from '../../fuzz/arbitrary-events.js';
import { insertBody } from '../../fuzz/model/arbitrary-event.js';
import { openServer } from '../../support/hosted-server.js';
import { createProject } from '../../support/objects.js';
import { newSeed } from '../../support/seed.js';
import type { TestServer } from '../../support/start-server.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { root } from '../run-program.js';
import { frameQueries, withinYears } from './frame-queries.js';
import { runPython } from './run-python.js';

const queryCount = 150;

async function insert(server: TestServer, count: number, seed: number): Promise<string> {
  const { id } = await createProject(server);
  const [events = []] = fc.sample(fc.noBias(eventsOf('e', count)), { seed, numRuns: 1 });
  const body = withinYears(insertBody(events));
  const { status, text } = await server.request('POST', `/v1/project_logs/${id}/insert`, body);
  expect(status, text).to.equal(200);
  return `project_logs('${id}')`;
}

describe('types of frames', () => {
  const directory = temporaryDirectory();

  it('do not depend on the rows', async () => {
    const seed = newSeed();
    const server = await openServer({
      dir: directory(),
      environment: { EVALSTORE_FLUSH_ROWS: '1000000' },
      tuning: { segments: { narrowRowsMin: 1 } },
    });
    try {
      const segments = await insert(server, 40, seed);
      await server.settle();
      const states = {
        none: await insert(server, 0, seed),
        one: await insert(server, 1, seed + 1),
        buffer: await insert(server, 40, seed + 2),
        segments,
      };
      const queries = frameQueries(seed, queryCount);
      const fixed = queries.flatMap(({ areFixed }) => areFixed);
      expect(fixed.filter(Boolean)).to.have.length.above(0.8 * fixed.length);
      const file = path.join(directory(), 'queries.json');
      await writeFile(file, JSON.stringify(queries));
      const { out } = await runPython(server, {
        environment: 'frames',
        files: ['test/clients/python/programs/frame_types.py', path.relative(root, file)],
        variables: { STATES: JSON.stringify(states) },
      });
      const found = JSON.parse(out) as Readonly<Record<string, unknown>>;
      expect(found).to.deep.include({ queries: queryCount });
      expect(found['rows']).to.be.greaterThan(2_500);
      expect(found['misfits']).to.be.greaterThan(50);
      expect(found['types']).to.deep.equal([
        'BIGINT',
        'BOOLEAN',
        'DOUBLE',
        'JSON',
        'TIMESTAMP WITH TIME ZONE',
        'VARCHAR',
        'VARCHAR[]',
      ]);
    } finally {
      await server.stop();
    }
  }).timeout(900_000);
});
