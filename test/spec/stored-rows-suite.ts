// Rows by id, by trace and the newest rows are answered from where they are stored. Their bytes have to be those of a query: the server runs
// one for the same request with the version.
import { expect } from 'chai';
import * as fc from 'fast-check';
import { event, insertBody } from '../fuzz/model/arbitrary-event.js';
import { createDataset, createExperiment, createProject } from '../support/objects.js';
import { newSeed } from '../support/seed.js';
import { sharedServer, type Answer } from '../support/start-server.js';

const ids = ['r1', 'r2', 'r3', 'r4', 'r5', 'R1', 'é 6', 'r"7', 'none'];
const traces = ['t1', 't2', 'T1', 'é', '😀', '\uffff', 'r1', 'none'];

const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;

const insert = fc.array(event, { minLength: 3, maxLength: 6, size: 'max' });

/** Lists whose control characters have escapes, and texts of every kind. */
const oddRows = [
  { id: 'r1', tags: ['\u001f', '\\u001f', '\u0007\b', '\u007f\u2028', '😀"', 'plain'], input: 'x' },
  {
    id: 'r2',
    root_span_id: 't1',
    created: '1969-12-31T23:59:59.999999Z',
    metadata: { '\u001f': 1 },
  },
  { id: 'r3', root_span_id: 't1', span_id: 's', span_parents: ['t1', '\u0001'], expected: [] },
];

/** All that a row has, apart from what was said about it. */
const everyField = `id, _xact_id, _pagination_key, created, org_id, project_id, experiment_id, dataset_id, log_id,
  dataset_record_id, _object_delete, input, output, expected, error, scores, metadata, tags, metrics, context, span_id,
  span_parents, root_span_id, is_root, span_attributes, origin, classifications`;

const selected = ['*', everyField, 'tags, span_parents, created, input as i, is_root'];

interface Source {
  readonly from: string;
  readonly path: string;
}

const shownHeaders = 'x-evalstore-version x-bt-cursor etag content-type x-bt-freshness-state'.split(
  ' ',
);

const seen = ({ status, text, headers }: Answer) => ({
  status,
  text,
  headers: shownHeaders.map((name) => headers.get(name)),
});

const lists = (field: string, values: readonly string[]) => [
  `${field} in [${[...values, values[0]!].map(quoted).join(', ')}]`,
  ...values.map((value) => `${field} = ${quoted(value)}`),
];

const filters = [
  `id in ['r1', 'r2', 'r3'] and root_span_id = 't1'`,
  `'r1' = id and id in ['r1', 'r2']`,
  ...lists('id', ids),
  ...lists('root_span_id', traces),
];

/** Compares one in `every` of the requests at each state of `histories` random histories of so many `inserts`. */
export function storedRowsAreTheSame(histories: number, inserts: number, every: number): void {
  const server = sharedServer({ tuning: {} });
  let sources: readonly Source[];

  beforeEach(async () => {
    const project = await createProject(server());
    const experiment = await createExperiment(server(), project.id);
    const dataset = await createDataset(server(), { project_id: project.id });
    sources = [
      ['project_logs', project.id],
      ['experiment', experiment.id],
      ['dataset', dataset.id],
    ].map(([kind, id]) => ({ from: `${kind}('${id}')`, path: `/v1/${kind}/${id}` }));
  });

  async function compare(path: string, body: object): Promise<Answer> {
    const direct = await server().request('POST', path, body);
    expect(direct.status, direct.text).to.equal(200);
    const version = direct.headers.get('x-evalstore-version');
    const queried = await server().request('POST', path, { ...body, version });
    expect(seen(direct), JSON.stringify([path, body])).to.deep.equal(seen(queried));
    return direct;
  }

  async function compareQuery(source: Source, filter: string, index: number): Promise<number> {
    const clauses = `select: ${selected[index % 3]} | from: ${source.from} | filter: ${filter}`;
    const { text } = await compare('/query', { query: clauses });
    if (index % 4 === 0) {
      await compare('/query', { query: `${clauses} | limit: 2`, fmt: 'jsonl' });
      await compare('/query', { query: `${clauses} | limit: ${index % 3}` });
    }
    return (JSON.parse(text) as { data: unknown[] }).data.length;
  }

  const compareFetch = ({ path }: Source, field: string, value: string) =>
    compare(`${path}/fetch`, { filters: [{ type: 'path_lookup', path: [field], value }] });

  const limits = [1, 2, 3, 5, 8, 100];

  async function comparePages({ from, path }: Source, limit: number): Promise<void> {
    await compare(`${path}/fetch`, { limit });
    const clauses = `select: ${selected[limit % 3]} | from: ${from} | limit: ${limit}`;
    await compare('/query', { query: clauses, fmt: limit % 2 === 0 ? 'json' : 'jsonl' });
  }

  let round = 0;

  /** Returns how many rows were shown. */
  async function check(): Promise<number> {
    round += 1;
    const isAsked = (index: number) => (index + round) % every === 0;
    const queries = sources.flatMap((source) =>
      filters.map((filter, index) => () => compareQuery(source, filter, index)),
    );
    const fetches = sources.flatMap((source) => [
      ...ids.map((id) => () => compareFetch(source, 'id', id)),
      ...traces.map((trace) => () => compareFetch(source, 'root_span_id', trace)),
    ]);
    const pages = sources.flatMap((source) =>
      limits.map((limit) => () => comparePages(source, limit)),
    );
    await Promise.all(pages.filter((_, i) => isAsked(i)).map((each) => each()));
    const rows = await Promise.all(queries.filter((_, i) => isAsked(i)).map((each) => each()));
    await Promise.all(fetches.filter((_, i) => isAsked(i)).map((each) => each()));
    return rows.reduce((sum, count) => sum + count, 0);
  }

  it('rows by id, by trace and the newest rows have the same bytes when they are read from where they are stored', async () => {
    const seed = newSeed();
    process.stdout.write(`      seed ${seed}\n`);
    let rows = 0;
    for (const bodies of fc.sample(fc.array(insert, { minLength: inserts, maxLength: inserts }), {
      numRuns: histories,
      seed,
    })) {
      for (const { path } of sources)
        await server().request('POST', `${path}/insert`, {
          events: path.includes('dataset') ? oddRows.slice(0, 1) : oddRows,
        });
      for (const [index, body] of bodies.entries()) {
        // Some events are refused.
        await server().request('POST', `${sources[index % 2]!.path}/insert`, insertBody(body));
        if (index % 5 === 1) await server().settle();
        if (index % 4 === 3) rows += await check();
      }
      await server().settle();
      rows += await check();
    }
    expect(rows).to.be.above(20 * histories);
  });
}
