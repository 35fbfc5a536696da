// The native command line `bt` against a server: what it lists, shows, writes and synchronises.
import { readFile, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import {
  createDataset,
  createExperiment,
  createProject,
  listObjects,
  namesOf,
  type StoredObject,
} from '../support/objects.js';
import { sharedServer, type Json } from '../support/start-server.js';
import { commandLine } from './command-line.js';

const traces = [0, 1, 2, 3, 4];

/** Two spans for each trace, the second an llm call. */
const spans = traces.flatMap((index) => [
  {
    id: `root${index}`,
    span_id: `s${index}`,
    root_span_id: `t${index}`,
    input: `question ${index}`,
    output: `answer ${index}`,
    scores: { good: index / 4 },
    tags: ['t'],
    metadata: { long: 'x'.repeat(1000) },
    span_attributes: { name: 'request', type: 'task' },
  },
  {
    id: `call${index}`,
    span_id: `c${index}`,
    root_span_id: `t${index}`,
    span_parents: [`s${index}`],
    output: { text: 'inner' },
    metrics: { tokens: 3 },
    span_attributes: { name: 'call', type: 'llm' },
  },
]);

const fields = (row: Json, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, row[name]]));

const compared = (rows: readonly Json[]) =>
  rows
    .map((row) => fields(row, [...Object.keys(spans[0]!), 'span_parents', 'metrics']))
    .sort((one, other) => String(one['id']).localeCompare(String(other['id'])));

describe('bt', () => {
  const server = sharedServer();
  const { directory, run } = commandLine(server);
  let project: StoredObject;

  /** What a command prints as JSON. */
  const bt = async (...parameters: readonly string[]): Promise<unknown> => {
    const { code, out, errors } = await run('bin/bt', ...parameters, '--json', '--no-input');
    if (code !== 0) throw new Error(`bt ${parameters.join(' ')} ended with ${code}: ${errors}`);
    return JSON.parse(out.slice(out.search(/^[[{]/m)));
  };

  const eventsOf = (kind: string, id: string) => server().events(`${kind}/${id}`);

  /** The rows that it wrote, and its answer. */
  const pull = async (source: string, ...parameters: readonly string[]) => {
    const answer = (await bt('sync', 'pull', source, ...parameters)) as Json;
    const folder = path.join(directory(), String(answer['output_path']));
    const lines: string[] = [];
    for (const file of await readdir(folder))
      lines.push(...(await readFile(path.join(folder, file), 'utf8')).trim().split('\n'));
    return { folder, rows: lines.map((line) => JSON.parse(line) as Json) };
  };

  const datasets = (command: string, ...parameters: readonly string[]) =>
    bt('datasets', command, 'words', '-p', 'logs', ...parameters) as Promise<Json>;

  const snapshots = (command: string, ...parameters: readonly string[]) =>
    bt('datasets', 'snapshots', command, 'words', '-p', 'logs', ...parameters) as Promise<Json>;

  /** Of the dataset, by their ids. */
  const records = async () => {
    const found = (await datasets('view', '--full', '--all-rows'))['rows'] as readonly Json[];
    return found
      .map(({ id, input, metadata }) => [id, input, metadata])
      .sort(([one], [other]) => String(one).localeCompare(String(other)));
  };

  before(async () => {
    project = await createProject(server(), { name: 'logs' });
    await server().insert(`project_logs/${project.id}`, spans);
  });

  it('lists, creates and deletes projects', async () => {
    await run('bin/bt', 'projects', 'create', 'made');
    const listed = (await bt('projects', 'list')) as readonly StoredObject[];
    expect(namesOf(listed)).to.have.members(['logs', 'made']);
    await run('bin/bt', 'projects', 'delete', 'made');
    expect(namesOf(await listObjects(server(), '/v1/project'))).to.deep.equal(['logs']);
  });

  describe('view', () => {
    interface Shown {
      readonly items: readonly { readonly row: Json }[];
      readonly paging: { readonly next_cursor: string | null };
    }
    const view = async (...parameters: readonly string[]): Promise<Shown> =>
      (await bt('view', 'logs', '-p', 'logs', ...parameters)) as Shown;
    const ids = ({ items }: Shown) => items.map(({ row }) => row['id']);

    it('shows the newest traces, page by page', async () => {
      const first = await view('--limit', '2');
      const second = await view('--limit', '4', '--cursor', String(first.paging.next_cursor));
      expect([...ids(first), ...ids(second)]).to.deep.equal(
        traces.toReversed().map((index) => `root${index}`),
      );
      const [{ row } = { row: {} as Json }] = first.items;
      expect(row).to.deep.nested.include({ 'metrics.llm_calls': 1, 'metrics.total_tokens': 3 });
      expect(String(row['metadata'])).to.have.lengthOf.below(200);
      expect(second.paging.next_cursor).to.equal(null);
    });

    it('shows spans, those that a filter and a search let through', async () => {
      expect(ids(await view('--list-mode', 'spans'))).to.deep.equal(
        spans.map(({ id }) => id).toReversed(),
      );
      const good = await view('--list-mode', 'spans', '--filter', 'scores.good > 0.5');
      expect(ids(good)).to.deep.equal(['root4', 'root3']);
      expect(ids(await view('--search', 'answer 2'))).to.deep.equal(['root2']);
    });

    it('shows the spans of a trace, and one of them as a whole', async () => {
      const trace = (await bt('view', 'trace', '-p', 'logs', '--trace-id', 't1')) as {
        items: readonly Json[];
      };
      expect(trace.items.map(({ id }) => id)).to.have.members(['root1', 'call1']);
      const { item } = (await bt('view', 'span', '-p', 'logs', '--id', 'root1')) as { item: Json };
      const names = ['input', 'output', 'scores', 'tags', 'metadata', 'span_id', 'root_span_id'];
      expect(fields(item, names)).to.deep.equal(fields(spans[2]!, names));
    });
  });

  it('runs SQL, and says why a query is refused', async () => {
    const query = `SELECT span_attributes.type AS type, count(*) AS n FROM project_logs('${project.id}') GROUP BY 1 ORDER BY 1`;
    expect(((await bt('sql', query)) as Json)['data']).to.deep.equal([
      { type: 'llm', n: 5 },
      { type: 'task', n: 5 },
    ]);
    const wrong = await run('bin/bt', 'sql', `SELECT nothing( FROM project_logs('${project.id}')`);
    expect(wrong.code).not.to.equal(0);
    expect(wrong.errors).to.match(/query line 1, column \d+: /);
  });

  describe('sync', () => {
    it('pulls whole traces, page by page', async () => {
      const { rows } = await pull('project_logs:logs', '--traces', '3', '--page-size', '2');
      expect(rows.map(({ id }) => id)).to.have.members(
        [4, 3, 2].flatMap((index) => [`root${index}`, `call${index}`]),
      );
    });

    it('pulls the spans of a filter', async () => {
      const filter = "span_attributes.type = 'llm'";
      const { rows } = await pull('project_logs:logs', '--spans', '3', '--filter', filter);
      expect(rows.map(({ id }) => id)).to.deep.equal(['call4', 'call3', 'call2']);
    });

    it('pushes what it pulled to another project, every span once', async () => {
      const { folder, rows } = await pull('project_logs:logs', '--traces', '100');
      const copy = await createProject(server(), { name: 'copy' });
      for (const root of ['once', 'twice']) {
        const pushed = await bt(
          'sync',
          'push',
          'project_logs:copy',
          '--in',
          folder,
          '--root',
          root,
        );
        expect(pushed).to.include({ status: 'completed', rows_uploaded: 10 });
      }
      const events = await eventsOf('project_logs', copy.id);
      expect(compared(events)).to.deep.equal(compared(rows));
      expect(compared(events)).to.deep.equal(compared(await eventsOf('project_logs', project.id)));
    });

    it('pulls experiments and datasets', async () => {
      const experiment = await createExperiment(server(), project.id, { name: 'evaluated' });
      const dataset = await createDataset(server(), { project_id: project.id, name: 'records' });
      const inserted = { events: [{ id: 'a', input: { q: 1 }, expected: 2 }] };
      await server().post(`/v1/experiment/${experiment.id}/insert`, inserted);
      await server().post(`/v1/dataset/${dataset.id}/insert`, inserted);
      for (const source of ['experiment:evaluated', 'dataset:records']) {
        const { rows } = await pull(source, '-p', 'logs');
        expect(rows).to.have.length(1);
        expect(rows[0], source).to.deep.include(inserted.events[0]);
      }
    });
  });

  describe('datasets', () => {
    before(async () => {
      const inserted = [
        { id: 'a', input: { w: 'one' }, expected: 1 },
        { id: 'b', input: { w: 'two' }, expected: 2, metadata: { m: 1 } },
      ];
      const file = path.join(directory(), 'records.jsonl');
      await writeFile(file, inserted.map((record) => JSON.stringify(record)).join('\n'));
      expect(await datasets('create', '--file', file)).to.include({ uploaded: 2 });
    });

    it('creates, adds to and updates them', async () => {
      await datasets('add', '--rows', '[{"id":"c","input":3,"expected":3}]');
      await datasets('update', '--rows', '[{"id":"a","metadata":{"late":true}}]');
      expect(await records()).to.deep.equal([
        ['a', { w: 'one' }, { late: true }],
        ['b', { w: 'two' }, { m: 1 }],
        ['c', 3, null],
      ]);
      const [dataset] = await listObjects(server(), '/v1/dataset?dataset_name=words');
      const stored = await eventsOf('dataset', dataset!.id);
      expect(stored.find(({ id }) => id === 'a')).to.deep.include({ expected: 1 });
    });

    it('keeps snapshots of them, and restores one', async () => {
      const before = await records();
      await snapshots('create', 'base');
      await datasets('add', '--rows', '[{"id":"d","input":4}]');
      await datasets('update', '--rows', '[{"id":"a","input":"changed"}]');
      expect(await records()).to.have.length(before.length + 1);
      const listed = (await snapshots('list'))['snapshots'] as readonly StoredObject[];
      expect(namesOf(listed)).to.deep.equal(['base']);
      await snapshots('restore', '--name', 'base', '--force');
      expect(await records()).to.deep.equal(before);
      await snapshots('delete', 'base', '--force');
      expect((await snapshots('list'))['snapshots']).to.deep.equal([]);
    });
  });

  it('lists, shows, pulls and deletes experiments, prompts, functions and scorers', async () => {
    const project_id = project.id;
    const messages = [{ role: 'user', content: 'Hello' }];
    const prompt_data = { prompt: { type: 'chat', messages }, options: { model: 'small' } };
    const function_data = { type: 'parameters', data: { depth: 3 } };
    await server().post('/insert-functions', {
      functions: [
        { project_id, name: 'Answer', slug: 'answer', prompt_data },
        { project_id, name: 'Judge', slug: 'judge', prompt_data, function_type: 'scorer' },
        { project_id, name: 'Depth', slug: 'depth', function_data, function_type: 'parameters' },
      ],
    });
    await createExperiment(server(), project_id, { name: 'listed' });
    const listed = async (kind: string) =>
      namesOf((await bt(kind, 'list', '-p', 'logs')) as readonly StoredObject[]);
    expect(await listed('experiments')).to.include('listed');
    expect(await listed('prompts')).to.have.members(['Answer', 'Judge']);
    expect(await listed('functions')).to.have.members(['Answer', 'Judge', 'Depth']);
    expect(await listed('scorers')).to.deep.equal(['Judge']);
    expect(await bt('prompts', 'view', 'answer', '-p', 'logs')).to.deep.include({ prompt_data });
    expect(await bt('functions', 'view', 'depth', '-p', 'logs')).to.deep.include({ function_data });
    await bt('functions', 'pull', 'answer', '-p', 'logs', '--output-dir', 'pulled');
    const pulled = await readFile(path.join(directory(), 'pulled/logs.ts'), 'utf8');
    expect(pulled).to.include('slug: "answer"').and.to.include('content: "Hello"');
    const { code, errors } = await run('bin/bt', 'functions', 'invoke', 'answer', '-p', 'logs');
    expect(code).not.to.equal(0);
    expect(errors).to.include('POST /function/invoke: this server does not run functions');
    for (const [kind, slug] of [
      ['functions', 'answer'],
      ['scorers', 'judge'],
      ['functions', 'depth'],
    ] as const) {
      const deleted = await run('bin/bt', kind, 'delete', slug, '-p', 'logs', '--force');
      expect(deleted.code, deleted.errors).to.equal(0);
    }
    expect(await listed('functions')).to.deep.equal([]);
  });
});
