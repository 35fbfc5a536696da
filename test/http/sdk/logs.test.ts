// POST /logs3: rows of many objects, applied once each, and rows that cannot be stored leave the others alone.
import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { createDataset, createExperiment, createProject } from '../../support/objects.js';
import { sharedServer, type Json } from '../../support/start-server.js';

const permutations = <T>(values: readonly T[]): readonly (readonly T[])[] =>
  values.length === 0
    ? [[]]
    : values.flatMap((value) =>
        permutations(values.filter((other) => other !== value)).map((rest) => [value].concat(rest)),
      );

const idOf = (how: string, order: readonly string[]) => `${how}: ${order.join()}`;

describe('rows of the SDKs', () => {
  const server = sharedServer();
  let project_id: string;
  let experiment_id: string;
  let dataset_id: string;

  beforeEach(async () => {
    project_id = (await createProject(server())).id;
    experiment_id = (await createExperiment(server(), project_id)).id;
    dataset_id = (await createDataset(server(), { project_id })).id;
  });

  const send = (body: unknown) => server().request('POST', '/logs3', body);

  const log = async (...rows: readonly Json[]): Promise<Json> =>
    (await send({ rows, api_version: 2 })).json();

  const inExperiment = () => server().events(`experiment/${experiment_id}`);

  const feedback = async () =>
    (await server().get(`/v1/experiment/${experiment_id}/feedback`)) as Readonly<
      Record<'comments' | 'audit', readonly Json[]>
    >;

  it('of several objects are one transaction, each in the object that it names first', async () => {
    const answer = await log(
      { id: 'a', experiment_id, project_id, output: 'x' },
      {
        id: 'b',
        dataset_id,
        project_id,
        input: 1,
        expected: 2,
        output: null,
        scores: null,
        is_root: true,
      },
      {
        id: 'c',
        project_id,
        log_id: 'g',
        metrics: { start: 1.5 },
        created: '2026-01-01T00:00:00.123456789Z',
      },
    );
    expect(answer['ids']).to.deep.equal(['a', 'b', 'c']);
    const stored = [
      ...(await inExperiment()),
      ...(await server().events(`dataset/${dataset_id}`)),
      ...(await server().events(`project_logs/${project_id}`)),
    ];
    expect(stored.map(({ id, _xact_id }) => [id, _xact_id])).to.deep.equal(
      ['a', 'b', 'c'].map((id) => [id, answer['xact_id']]),
    );
    expect(stored[1]).to.include({ input: 1, expected: 2 });
    expect(stored[2]).to.include({ created: '2026-01-01T00:00:00.123456Z' });
  });

  it('are taken wherever they stand in the body, in any encoding', async () => {
    const rows = `[{"id":"a","experiment_id":"${experiment_id}","input":{"rows":[1]}}]`;
    for (const body of [
      `{"api_version":2,"rows":${rows}}`,
      ` { "x" : {"rows":[{}]} , "rows" : ${rows} , "y" : [ ] } `,
      `{"ro\\u0077s":${rows}}`,
    ])
      expect((await send(body)).json()['ids'], body).to.deep.equal(['a']);
    const headers = { 'Content-Encoding': 'gzip' };
    const packed = gzipSync(`{"rows":${rows}}`);
    expect((await server().request('POST', '/logs3', packed, { headers })).status).to.equal(200);
    expect((await send({ rows: [] })).json()['ids']).to.deep.equal([]);
  });

  it('may be larger than the bodies of most operations', async () => {
    const input = 'x'.repeat(17 * 2 ** 20);
    await log({ id: 'e', experiment_id, input });
    const measured = `measures: max(len(input)) as n | from: experiment('${experiment_id}')`;
    const answer = await server().request('POST', '/query', { query: measured });
    expect(answer.json()['data']).to.deep.equal([{ n: input.length }]);
  });

  it('start a span in one request and end it in a later one', async () => {
    const span = { id: 'e', experiment_id, span_id: 's', root_span_id: 't' };
    await log({ ...span, _is_merge: false, metrics: { start: 1 }, span_attributes: { name: 'n' } });
    await log({
      ...span,
      _is_merge: true,
      metrics: { end: 2 },
      output: 'done',
      created: '2020-01-01',
    });
    const [row, ...others] = await inExperiment();
    expect(others).to.deep.equal([]);
    expect(row).to.deep.include({
      span_id: 's',
      root_span_id: 't',
      output: 'done',
      metrics: { start: 1, end: 2 },
    });
    expect(row?.['created']).not.to.match(/^2020/);
  });

  it('leave one row however often they are sent', async () => {
    const rows = [
      { id: 'e', experiment_id, input: 1 },
      { id: 'e', experiment_id, _is_merge: true, scores: { s: 1 }, _audit_source: 'app' },
      { id: randomUUID(), experiment_id, origin: { id: 'e' }, comment: { text: 'fine' } },
      { id: 'not a UUID "', experiment_id, origin: { id: 'e' }, comment: 'as text' },
    ];
    await log(...rows);
    const once = await feedback();
    await log(...rows);
    const twice = await feedback();
    expect(await inExperiment()).to.have.length(1);
    expect(once.comments.map(({ comment }) => comment)).to.deep.equal(['fine', 'as text']);
    for (const kind of ['comments', 'audit'] as const)
      expect(
        twice[kind].map(({ id }) => id),
        kind,
      ).to.deep.equal(once[kind].map(({ id }) => id));
  });

  it('have the same effect in one request as each in a request of its own', async () => {
    const orders = permutations(['delete', 'insert', 'comment', 'score'] as const);
    const sent = { experiment_id, _audit_source: 'app' };
    const comment = (id: string, text: string) => ({
      id: randomUUID(),
      ...sent,
      origin: { id },
      comment: text,
    });
    const score = (id: string) => ({ id, ...sent, _is_merge: true, scores: { s: 1 } });
    const rowOf = {
      delete: (id: string) => ({ id, experiment_id, _object_delete: true }),
      insert: (id: string) => ({ id, experiment_id, output: 'new' }),
      comment: (id: string) => comment(id, 'new'),
      score,
    };
    const ids = orders.flatMap((order) => [idOf('one', order), idOf('each', order)]);
    await log(...ids.map((id) => ({ id, experiment_id, output: 'old' })));
    await log(...ids.flatMap((id) => [comment(id, 'old'), score(id)]));
    for (const order of orders) await log(...order.map((of) => rowOf[of](idOf('one', order))));
    for (const at of [0, 1, 2, 3])
      await log(...orders.map((order) => rowOf[order[at]!](idOf('each', order))));
    const events = await inExperiment();
    const { comments, audit } = await feedback();
    const endOf = (how: string, order: readonly string[]) => {
      const id = idOf(how, order);
      return {
        order,
        events: events
          .filter((event) => event['id'] === id)
          .map(({ output, scores }) => [output, scores]),
        comments: comments.filter(({ event_id: of }) => of === id).map(({ comment: text }) => text),
        audit: audit.filter(({ event_id: of }) => of === id).map(({ changes }) => changes),
      };
    };
    expect(orders.map((order) => endOf('one', order))).to.deep.equal(
      orders.map((order) => endOf('each', order)),
    );
  });

  it('keep feedback that comes before its event, and who gave it', async () => {
    await log({
      id: 'e',
      experiment_id,
      _is_merge: true,
      scores: { human: 1 },
      expected: { whole: true },
      tags: ['seen'],
      _audit_source: 'external',
      _audit_metadata: { user: 'u' },
    });
    await log({
      id: 'e',
      experiment_id,
      _is_merge: true,
      input: 'q',
      expected: { other: 1 },
      _audit_source: 'app',
    });
    const [row] = await inExperiment();
    expect(row).to.deep.include({ input: 'q', scores: { human: 1 }, metadata: null });
    expect(row?.['expected'], 'is replaced by feedback').to.deep.equal({ other: 1 });
    const [first, second] = (await feedback()).audit;
    expect(first).to.deep.include({
      source: 'external',
      metadata: { user: 'u' },
      changes: { scores: { human: 1 }, expected: { whole: true }, tags: ['seen'] },
    });
    expect(second).to.deep.include({ source: 'app', changes: { expected: { other: 1 } } });
  });

  it('keep scores of feedback by any name, also those that a merge leaves out', async () => {
    await log({ id: 'e', experiment_id, scores: { a: 1 } });
    const scores = '{"__proto__":0.5,"constructor":0.25,"prototype":1}';
    const row = `{"id":"e","experiment_id":"${experiment_id}","_is_merge":true,"scores":${scores}`;
    await server().post('/logs3', `{"rows":[${row},"_audit_source":"app"}]}`);
    const fetched = async () =>
      (await server().request('GET', `/v1/experiment/${experiment_id}/fetch`)).text;
    const kept = `"scores":{"a":1,${scores.slice(1)}`;
    expect(await fetched()).to.contain(kept);
    await server().post('/logs3', `{"rows":[${row.replace('0.25', '0.75')}}]}`);
    expect(await fetched()).to.contain(kept);
  });

  it('keep the dataset record in the spelling of the JavaScript SDK', async () => {
    await log({ id: 'e', experiment_id, datasetRecordId: 'r1' });
    await log({ id: 'e', experiment_id, _is_merge: true, output: 1 });
    expect((await inExperiment())[0]).to.include({ dataset_record_id: 'r1', output: 1 });
    const others = [{ datasetRecordId: 7 }, { dataset_record_id: 'r2', datasetRecordId: null }];
    for (const fields of others) await log({ id: 'e', experiment_id, ...fields });
    expect((await inExperiment())[0]).to.include({ dataset_record_id: 'r2' });
    await log({ id: 'l', project_id, datasetRecordId: 'r1' }, { dataset_id, datasetRecordId: 'r' });
    expect(await server().events(`project_logs/${project_id}`)).to.have.length(1);
  });

  it('keep a text that is sent as the context, as its error', async () => {
    await log({ id: 'e', experiment_id, context: 'not masked', input: 1 });
    expect((await inExperiment())[0]).to.deep.include({
      context: { error: 'not masked' },
      input: 1,
    });
  });

  it('unite tags on a merge, unless a merge path says otherwise', async () => {
    const tagged = async (fields: Json) => {
      await log({ id: 'e', experiment_id, _is_merge: true, ...fields });
      return (await inExperiment())[0]?.['tags'];
    };
    expect(await tagged({ tags: ['a', 'b'] })).to.deep.equal(['a', 'b']);
    expect(await tagged({ tags: ['b', 'c'] })).to.deep.equal(['a', 'b', 'c']);
    expect(await tagged({ input: 1 })).to.deep.equal(['a', 'b', 'c']);
    expect(await tagged({ tags: ['d'], _merge_paths: [['tags']] })).to.deep.equal(['d']);
    expect(await tagged({ tags: null })).to.equal(null);
    const events = [{ id: 'e', tags: ['x'], _is_merge: true }];
    await tagged({ tags: ['d'] });
    await server().insert(`experiment/${experiment_id}`, events);
    expect((await inExperiment())[0]?.['tags'], 'an insert replaces').to.deep.equal(['x']);
  });

  it('take values out of arrays', async () => {
    const metadata = { list: [1, { a: 1, b: 2 }, 'x'], text: 'x' };
    await log({ id: 'e', experiment_id, tags: ['a', 'b'], metadata });
    await log({
      id: 'e',
      experiment_id,
      _is_merge: true,
      _array_delete: [
        { path: ['tags'], delete: ['a', 'z'] },
        { path: ['metadata', 'list'], delete: [{ b: 2, a: 1 }, 1] },
        { path: ['metadata', 'text'], delete: ['x'] },
        { path: ['metadata', 'absent'], delete: ['x'] },
        { path: ['output'], delete: ['x'] },
      ],
    });
    const [row] = await inExperiment();
    expect(row).to.deep.include({
      tags: ['b'],
      metadata: { list: ['x'], text: 'x' },
      output: null,
    });
  });

  it('delete an event', async () => {
    await log({ id: 'r', dataset_id, input: 1 });
    await log({ id: 'r', dataset_id, created: '2026-01-01T00:00:00Z', _object_delete: true });
    expect(await server().events(`dataset/${dataset_id}`)).to.deep.equal([]);
  });

  it('keep every digit and the order of keys', async () => {
    const row = `{"id":"e","experiment_id":"${experiment_id}","metadata":{"b":1,"10":12345678901234567890},"unheard":1}`;
    await send(`{"rows":[${row}]}`);
    const { text } = await server().request('GET', `/v1/experiment/${experiment_id}/fetch`);
    expect(text).to.include('"metadata":{"b":1,"10":12345678901234567890}');
  });
});
