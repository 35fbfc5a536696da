// Parquet files of pyarrow, polars, pandas and DuckDB as the body of an insert.
import { expect } from 'chai';
import { createExperiment, createProject } from '../../support/objects.js';
import { sharedServer } from '../../support/start-server.js';
import { runPython } from './run-python.js';

describe('Parquet files of Python', () => {
  const server = sharedServer();

  it('store the events that were read from an answer, and the rows of frames', async () => {
    const { id: project } = await createProject(server());
    const { id: source } = await createExperiment(server(), project);
    await server().insert(`experiment/${source}`, [
      {
        id: 'a',
        input: { q: 'é', '10': 1, '9': [null, {}] },
        output: ['x', 1.5, true],
        scores: { h: 0.1, exact: 1 },
        metrics: { tokens: 7, start: 1700000000.123 },
        tags: ['x', 'y'],
        metadata: { model: 'small', empty: {} },
        created: '2024-01-02T03:04:05.678Z',
        span_attributes: { name: 'root', type: 'llm' },
      },
      { id: 'b', input: 'text', output: 'null', error: { code: 7 } },
      { id: 'c', tags: [] },
    ]);
    const { out } = await runPython(server(), {
      environment: 'frames',
      files: ['test/clients/python/programs/insert_parquet.py'],
      variables: {
        EVALSTORE_URL: server().url,
        EVALSTORE_KEY: server().key,
        SOURCE: source,
        PROJECT: project,
      },
    });
    const { answers, frames } = JSON.parse(out) as Readonly<
      Record<'answers' | 'frames', Readonly<Record<string, unknown>>>
    >;
    const events = (await server().events(`experiment/${source}`))
      .map(
        ({
          _xact_id: _x,
          experiment_id: _e,
          project_id: _p,
          span_id: _s,
          root_span_id: _r,
          ...event
        }) => event,
      )
      .sort((one, other) => (String(one['id']) < String(other['id']) ? -1 : 1));
    expect(Object.keys(answers)).to.have.length(8);
    for (const [name, stored] of Object.entries(answers))
      expect(stored, name).to.deep.equal(events);
    expect(Object.keys(frames)).to.have.length(6);
    for (const [name, stored] of Object.entries(frames))
      expect(stored, name).to.deep.equal([
        {
          id: 'a',
          input: { q: 'é', n: [1, null] },
          scores: { h: 0.5 },
          tags: ['x', 'y'],
          metadata: { n: 2 ** 53 },
        },
        { id: 'b', input: { n: [] }, scores: null, tags: null, metadata: null },
      ]);
  });
});
