// Names of directories above the data directory have no effect, not even those that the engine would take for columns.
import { expect } from 'chai';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createExperiment, createProject } from '../support/objects.js';
import { startServer, type ServerProcess } from '../support/start-server.js';

const count = 12;

const names = ['id=x', '_row=0', '_superseded_by=1', 'hash=1', 'created=2024-01-01', 'input=7'];

const expected = (output: number | null) =>
  Array.from({ length: count }, (_, index) => ({
    id: `e${index}`,
    input: index,
    output: index === 3 ? output : null,
  }));

describe('a data directory below directories named like columns', () => {
  let root = '';
  let server: ServerProcess;
  let experiment = '';

  const start = () =>
    startServer({
      dir: path.join(root, ...names, 'data'),
      environment: { EVALSTORE_FLUSH_ROWS: '10' },
      tuning: {},
    });

  before(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'evalstore-'));
    server = await start();
    experiment = (await createExperiment(server, (await createProject(server)).id)).id;
  });

  after(async () => {
    await server.stop();
    await rm(root, { recursive: true, force: true });
  });

  const insert = (events: readonly object[]) => server.insert(`experiment/${experiment}`, events);

  const rows = async () => {
    const query = `select: id, input, output | from: experiment('${experiment}') | sort: input`;
    return (await server.post('/query', { query }))['data'];
  };

  it('has the rows that were inserted, buffered, in segments and after merges', async () => {
    await insert(Array.from({ length: count }, (_, index) => ({ id: `e${index}`, input: index })));
    expect(await rows()).to.deep.equal(expected(null));
    await server.settle();
    expect(await rows()).to.deep.equal(expected(null));
    await insert([{ id: 'e3', output: 1, _is_merge: true }]);
    expect(await rows()).to.deep.equal(expected(1));
    await insert([{ id: 'deleted', input: 100 }]);
    await insert([{ id: 'deleted', _object_delete: true }]);
    await insert(Array.from({ length: 10 }, () => ({ id: 'e3', output: 2, _is_merge: true })));
    await server.settle();
    expect(await rows()).to.deep.equal(expected(2));
  });

  it('opens again', async () => {
    await server.stop();
    server = await start();
    expect(await rows()).to.deep.equal(expected(2));
  });
});
