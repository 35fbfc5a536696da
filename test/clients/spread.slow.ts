// What the SDK spreads over processes, loggers and pages: spans, attachments, records.
import { expect } from 'chai';
import { sharedServer, type Json } from '../support/start-server.js';
import { runProgram } from './run-program.js';

const nameOf = (event: Json) => (event['span_attributes'] as Json)['name'] as string;

/** A span of `loggers.mjs` has the parts of all of its flushes, and the parent under which it was started. */
function expectMerged(event: Json, bySpan: ReadonlyMap<unknown, Json>): void {
  expect(event['metrics']).to.include.keys('start', 'end');
  const parent = bySpan.get((event['span_parents'] as readonly string[] | null)?.[0]);
  expect(event['root_span_id']).to.equal(
    parent === undefined ? event['root_span_id'] : parent['root_span_id'],
  );
  if (nameOf(event) === 'inner') {
    expect(event['metrics']).to.include({ tokens: 1 });
    expect(event['output']).to.equal((parent!['metadata'] as Json)['first']);
  } else if (nameOf(event) === 'outer') {
    const { second } = event['metadata'] as Json;
    expect(event).to.deep.include({ scores: { good: 1 } });
    expect(nameOf(parent!)).to.match(new RegExp(`^p\\d ${String(second)}$`));
  } else {
    const index = event['input'] as number;
    expect(event).to.deep.include({ output: index, tags: [`late ${index}`] });
    expect(parent === undefined ? undefined : nameOf(parent)).to.equal(
      index % 4 === 0 ? 'request' : undefined,
    );
  }
}

describe('the SDK', () => {
  const server = sharedServer();

  describe('goes on with spans in another process', () => {
    let begun: Json;
    let byName: ReadonlyMap<string, Json>;

    before(async () => {
      ({ result: begun } = await runProgram(server(), 'elsewhere'));
      await runProgram(server(), 'elsewhere', JSON.stringify(begun));
      const events = await server().events(`project_logs/${String(begun['projectId'])}`);
      const root = events.find(({ id }) => id === begun['root'])!;
      const trace = events.filter(({ root_span_id }) => root_span_id === root['root_span_id']);
      expect(trace).to.have.length(5);
      byName = new Map(trace.map((event) => [nameOf(event), event]));
    });

    it('under an exported parent, by its slug or by headers', () => {
      const root = byName.get('request')!;
      for (const [name, parent] of [
        ['by slug', root],
        ['by headers', root],
        ['with parent', root],
        ['nested', byName.get('with parent')!],
      ] as const)
        expect(byName.get(name), name).to.deep.include({
          span_parents: [parent['span_id']],
          root_span_id: root['root_span_id'],
        });
    });

    it('and updates the parent', () => {
      expect(byName.get('request')).to.deep.include({
        input: 'question',
        output: 'answer',
        metadata: { late: true },
        is_root: true,
      });
    });

    it('in an experiment, too', async () => {
      const events = await server().events(`experiment/${String(begun['experimentId'])}`);
      const root = events.find((event) => nameOf(event) === 'eval');
      expect(root).to.deep.include({ input: 1, output: 2, scores: { exact: 1 } });
      expect(events.find((event) => nameOf(event) === 'task')).to.deep.include({
        span_parents: [root!['span_id']],
        root_span_id: root!['root_span_id'],
      });
    });
  });

  it('logs nested spans with 16 loggers at the same time, every span once and merged', async () => {
    const { result: begun } = await runProgram(server(), 'elsewhere');
    const ran = await Promise.all(
      ['p0', 'p1', 'p2', 'p3'].map((name) =>
        runProgram(server(), 'loggers', String(begun['exported']), name),
      ),
    );
    const ids = ran.flatMap(({ result }) => result['ids'] as readonly string[]);
    expect(ids).to.have.length(16 * 12 * 7);
    const events = (
      await Promise.all(
        ['loggers', 'elsewhere'].map(async (name) => {
          const path = `/v1/project?project_name=${name}`;
          const [project] = (await server().get(path))['objects'] as readonly Json[];
          return server().events(`project_logs/${String(project?.['id'])}`);
        }),
      )
    ).flat();
    const written = new Set(ids);
    const stored = events.filter(({ id }) => written.has(id as string));
    expect(stored).to.have.length(ids.length);
    expect(new Set(stored.map(({ id }) => id))).to.deep.equal(written);
    const bySpan = new Map(events.map((event) => [event['span_id'], event]));
    for (const event of stored) expectMerged(event, bySpan);
  });

  it('uploads attachments of logs, records and experiments, and downloads the same bytes', async () => {
    const { result } = await runProgram(server(), 'attachments');
    expect(result['downloads']).to.deep.equal({
      file: true,
      status: { upload_status: 'done' },
      image: true,
      address: 'data:image/png;base64,',
      upload: { upload_status: 'done' },
      notes: true,
    });
    const [event] = await server().events(`project_logs/${String(result['projectId'])}`);
    const { image } = event!['input'] as { readonly image: Json };
    expect(image).to.include({
      type: 'braintrust_attachment',
      filename: 'ä b.png',
      content_type: 'image/png',
    });
    const search = new URLSearchParams(
      Object.entries(image).filter(([name]) => name !== 'type') as [string, string][],
    );
    const found = await server().get(`/attachment?${search.toString()}`);
    expect(found['status']).to.deep.equal({ upload_status: 'done' });
    const { key, ...output } = event!['output'] as Json;
    expect(key).to.be.a('string');
    expect(output).to.deep.equal({
      type: 'braintrust_attachment',
      filename: 'answer.json',
      content_type: 'application/json',
    });
  });

  it('reads a dataset of several pages by its id, as of a snapshot, and filtered', async () => {
    const { result } = await runProgram(server(), 'records');
    expect(result).to.deep.include({
      byId: { rows: 1250, different: 1250 },
      snapshot: { rows: 2500, different: 2500 },
      filtered: { rows: 1, different: 1 },
    });
    expect(result['missing']).to.match(/^Dataset snapshot "nothing" not found/);
    const [{ id } = { id: '' }] = (await server().get('/v1/dataset?dataset_name=many'))[
      'objects'
    ] as readonly Json[];
    expect(
      await server().query(
        `measures: count(*) as n, sum(input) as inputs | from: dataset('${String(id)}')`,
      ),
    ).to.deep.equal([{ n: 1250, inputs: 1249 * 1250 }]);
  });

  it('lets scorers read the trace of their case, filtered', async () => {
    const { result } = await runProgram(server(), 'traces');
    for (const input of ['a', 'b']) {
      const { all, ...seen } = (result['seen'] as Json)[input] as Json;
      expect(all).to.have.members(['ask', 'eval', 'look', 'task']);
      expect(seen).to.deep.equal({
        llm: [`answer ${input}`],
        failed: [],
        stored: ['look'],
        long: [],
      });
    }
    const events = await server().events(`experiment/${String(result['experimentId'])}`);
    expect(events.filter((event) => nameOf(event) === 'look')).to.have.length(2);
    const scores = await server().query(
      `measures: avg(scores."asked once") as mean | from: experiment('${String(result['experimentId'])}')`,
    );
    expect(scores).to.deep.equal([{ mean: 1 }]);
  });
});
