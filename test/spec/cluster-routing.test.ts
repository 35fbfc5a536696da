// Queries that a Trino cluster answers: with every acknowledged event, as pages and files, and what happens if it fails. The cluster is
// one that the test speaks for; test/cluster asks a real one.
import { expect } from 'chai';
import { bucketName, bucketService } from '../support/bucket-service.js';
import { openServer } from '../support/hosted-server.js';
import { createExperiment, createProject } from '../support/objects.js';
import type { ServerTuning, TestServer } from '../support/test-server.js';
import { waitUntil } from '../support/wait-until.js';
import { recordedCoordinator, type Reply } from '../trino/recorded-coordinator.js';

const error = (errorType: string, errorName: string): Reply => ({
  error: { message: 'it says why', errorType, errorName },
});

const snapshotOf = (statement = '') =>
  Number(/FOR VERSION AS OF BIGINT '(\d+)'/.exec(statement)?.[1]);

const nothing = (): Reply => ({});

describe('queries on a Trino cluster', () => {
  const bucket = bucketService();
  const closes: (() => unknown)[] = [];
  let statements: string[] = [];
  let reply: (statement: string) => Reply = nothing;
  let cancelled: readonly string[] = [];
  let prefixes = 0;
  let server: TestServer;
  let experiment: string;

  async function start(
    more: Readonly<Record<string, string>> = {},
    tuning: ServerTuning = { bucketTimes: { tableMs: 50 } },
  ): Promise<void> {
    const coordinator = await recordedCoordinator(
      ({ rows }) => rows,
      (statement) => {
        statements.push(statement);
        return reply(statement);
      },
    );
    ({ cancelled } = coordinator);
    closes.push(coordinator.close);
    const environment = {
      EVALSTORE_TRINO_URL: coordinator.url,
      EVALSTORE_CLUSTER_ROWS: '0',
      EVALSTORE_BUCKET: `s3://${bucketName}/routing-${++prefixes}`,
      EVALSTORE_BUCKET_ENDPOINT: bucket().url,
      ...more,
    };
    server = await openServer({ environment, tuning });
    closes.push(() => server.stop());
    const { id: project } = await createProject(server);
    ({ id: experiment } = await createExperiment(server, project));
    await waitUntil('the cluster is checked', async () => (await state()) !== 'checking');
  }

  const state = async () =>
    ((await server.get('/status'))['cluster'] as { readonly state: string }).state;

  beforeEach(() => {
    statements = [];
    reply = nothing;
  });
  afterEach(async () => {
    for (const close of closes.splice(0).toReversed()) await close();
  });

  const insert = (...events: readonly object[]) =>
    server.insert(`experiment/${experiment}`, events);

  const ask = (clauses: string, more = {}) =>
    server.request('POST', '/query', {
      query: `${clauses} | from: experiment('${experiment}')`,
      ...more,
    });

  const count = 'measures: count(1) as n';

  /** The number of the queries with each outcome. */
  async function outcomes(): Promise<Readonly<Record<string, number>>> {
    const { text } = await server.request('GET', '/metrics');
    const found = [
      ...text.matchAll(/evalstore_cluster_queries_total\{outcome="(\w+)"\} ([1-9]\d*)/g),
    ];
    return Object.fromEntries(found.map(([, name, value]) => [name, Number(value)]));
  }

  function expectError(
    { status, text }: Awaited<ReturnType<typeof ask>>,
    code: number,
    sentence: string,
  ) {
    expect([status, text]).to.deep.equal([code, sentence]);
  }

  it('are answered by it, over a snapshot with every acknowledged event', async () => {
    await start();
    await insert({ id: 'a', scores: { s: 1 } });
    reply = () => ({ data: [[41]] });
    const answer = await ask(count);
    expect(answer.json()['data']).to.deep.equal([{ n: 41 }]);
    expect((await ask(count)).json()['data']).to.deep.equal([{ n: 41 }]);
    await insert({ id: 'b', scores: { s: 1 } });
    await ask(count);
    const [first = 0, again, later] = statements.map(snapshotOf);
    expect([again, later]).to.deep.equal([first, first + 1]);
    expect(await outcomes()).to.deep.equal({ answered: 3 });
  });

  it('have its values in every format', async () => {
    await start();
    await insert({ id: 'a', metadata: { model: 'x' }, scores: { s: 1 }, tags: ['t'], input: [1] });
    const time = '2024-02-03 23:59:59.999999';
    reply = () => ({ data: [['a', time, 0.5, ['é'], '{"q":[1]}', 'NaN', null, true]] });
    const query =
      "select: id, created, scores.s as s, tags, input, scores.s + 1 as t, metadata.x as x, metadata.model = 'x' as is_x | sort: scores.s desc | limit: 1";
    expect((await ask(query)).json()['data']).to.deep.equal([
      {
        id: 'a',
        created: '2024-02-03T23:59:59.999999Z',
        s: 0.5,
        tags: ['é'],
        input: { q: [1] },
        t: null,
        x: null,
        is_x: true,
      },
    ]);
    const csv = await ask(query, { fmt: 'csv' });
    expect(csv.text).to.equal(
      'id,created,s,tags,input,t,x,is_x\na,2024-02-03T23:59:59.999999Z,0.5,"[""é""]","{""q"":[1]}",,,true\n',
    );
  });

  it('have pages, of which the later ones are read here', async () => {
    await start();
    await insert(...['a', 'b', 'c'].map((id, index) => ({ id, scores: { s: index } })));
    const rows = (
      await ask('select: id, _xact_id, root_span_id | sort: id asc', { version: null })
    ).json()['data'] as Readonly<Record<string, string>>[];
    reply = () => ({
      data: rows
        .slice(0, 2)
        .map(({ id, _xact_id: xact, root_span_id: trace }, position) => [
          id,
          xact,
          trace,
          position,
        ]),
    });
    const page = (await ask('select: id | sort: scores.s asc | limit: 1')).json();
    expect(statements.at(-1)).to.match(/ LIMIT 2$/);
    expect(page['data']).to.deep.equal([{ id: 'a' }]);
    const cursor = `cursor: '${String(page['cursor'])}'`;
    const next = await ask(`select: id | sort: scores.s asc | limit: 1 | ${cursor}`);
    expect(next.json()['data']).to.deep.equal([{ id: 'b' }]);
  });

  it('are answered here if they do not compile, or are small', async () => {
    await start();
    await insert({ id: 'a' }, { id: 'b' });
    const asked = await ask(`${count}, stddev(scores.s) as d`);
    expect(asked.json()['data']).to.deep.equal([{ n: 2, d: null }]);
    expect([statements, await outcomes()]).to.deep.equal([[], { declined: 1 }]);
    const explained = async () =>
      (await ask(count, { explain: true })).json()['cluster'] as Record<string, unknown>;
    expect(await explained()).to.include({ route: 'server', reason: 'no table' });
    await ask(count);
    expect(await explained()).to.include({ state: 'agrees', route: 'cluster', reason: null });
    await start({ EVALSTORE_CLUSTER_ROWS: '3' });
    await insert({ id: 'a' });
    expect((await ask(count)).json()['data']).to.deep.equal([{ n: 1 }]);
    expect(await outcomes()).to.deep.equal({});
    await server.settle();
    const few = 'a query that takes no more work than a page';
    expect(await explained()).to.include({ route: 'server', reason: few });
  });

  it('are answered here if the cluster refuses or fails', async () => {
    await start();
    await insert({ id: 'a' });
    reply = () => error('USER_ERROR', 'SYNTAX_ERROR');
    expect((await ask(count)).json()['data']).to.deep.equal([{ n: 1 }]);
    expect(server.log()).to.match(
      /"query":"[-\da-f]+".*refuses a statement: SYNTAX_ERROR: it says why: the server answers/,
    );
    reply = () => error('EXTERNAL', 'ICEBERG_CANNOT_OPEN_SPLIT');
    expect((await ask(count)).json()['data']).to.deep.equal([{ n: 1 }]);
    expect(await outcomes()).to.deep.equal({ refused: 1, failed: 1 });
    expect(await state()).to.equal('agrees');
  });

  it('leave the cluster alone for a while if it does not answer', async () => {
    await start();
    await insert({ id: 'a' });
    reply = () => 'break';
    expect((await ask(count)).json()['data']).to.deep.equal([{ n: 1 }]);
    expect(await state()).to.equal('unavailable');
    expect((await ask(count)).json()['data']).to.deep.equal([{ n: 1 }]);
    expect(statements).to.have.length(1);
    expect(await outcomes()).to.deep.equal({ unreachable: 1 });
  });

  it('have the time of a query, after which the statement is cancelled', async () => {
    await start({ EVALSTORE_QUERY_TIMEOUT_SECONDS: '3' });
    await insert({ id: 'a' });
    reply = () => 'silence';
    const answer = await ask(count);
    expectError(
      answer,
      400,
      'the query exceeded its time budget of 3 s: narrow it with a filter, fewer sources, fewer columns or a limit',
    );
    expect(cancelled).to.deep.equal(['/v1/statement/queued/1']);
    expect(await outcomes()).to.deep.equal({ exceeded: 1 });
  });

  it('end with their client', async () => {
    await start();
    await insert({ id: 'a' });
    reply = () => 'silence';
    const asked = ask(count);
    await waitUntil('the query is listed', async () => statements.length > 0);
    const listed = (await server.get('/v1/queries'))['objects'] as { readonly id: string }[];
    await server.request('DELETE', `/v1/queries/${listed[0]!.id}`);
    expectError(await asked, 400, 'the query was cancelled by DELETE /v1/queries/{id}');
    expect(cancelled).to.deep.equal(['/v1/statement/queued/1']);
    expect(await outcomes()).to.deep.equal({ cancelled: 1 });
  });

  it('say why the cluster did not answer if too much has to be fetched here', async () => {
    await start({ EVALSTORE_FETCH_GB: '0' }, { cacheBytes: 1 });
    await insert({ id: 'a', input: 'x'.repeat(1000) });
    await server.settle();
    const tooMuch =
      'the query reads 0.0 MB that are only in the bucket (EVALSTORE_FETCH_GB): narrow it with a filter on created';
    const query = 'measures: stddev(scores.s) as d, max(created) as last';
    await waitUntil('the segment is only in the bucket', async () => {
      const answer = await ask(query);
      return answer.status === 400;
    });
    expectError(
      await ask(query),
      400,
      `${tooMuch}, or let the cluster answer it: the aggregate stddev`,
    );
    reply = () => error('INTERNAL_ERROR', 'REMOTE_TASK_ERROR');
    const failed = await ask('measures: max(created) as last');
    const { name } = (await server.get('/status'))['cluster'] as { readonly name: string };
    expectError(
      failed,
      503,
      `the cluster ${name} did not finish a statement: REMOTE_TASK_ERROR: it says why, and here ${tooMuch}`,
    );
  });
});
