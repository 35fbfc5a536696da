// What spans belong to: the attribute `braintrust.parent`, the header `x-bt-parent`, exported spans.
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { slugOf } from '../otlp/slugs.js';
import { onlyPath, span, traceId, type Json } from '../otlp/spans.js';
import { createExperiment, createProject, listObjects } from '../support/objects.js';
import { inHeader, inParent, sendSpans, type Sent } from '../support/post-spans.js';
import { sharedServer } from '../support/start-server.js';

describe('parents of OpenTelemetry spans', () => {
  const server = sharedServer();
  let project = '';
  let experiment = '';

  before(async () => {
    project = (await createProject(server())).id;
    experiment = (await createExperiment(server(), project)).id;
  });

  const send = (spans: readonly unknown[], sent?: Sent) => sendSpans(server(), spans, sent);
  const rows = (kind: string, id: string) => server().events(`${kind}/${id}`);

  it('are named by the attribute, which goes before the header', async () => {
    const [first, second] = [await createProject(server()), await createProject(server())];
    const spans = [
      inParent(`project_id:${first.id.toUpperCase()}`, { spanId: '1'.repeat(16) }),
      inParent(`project_name:${second.name}`, { spanId: '2'.repeat(16) }),
      inParent(`experiment_id:${experiment}`, { spanId: '3'.repeat(16) }),
      span({ spanId: '4'.repeat(16) }),
    ];
    expect(await send(spans, inHeader(`project_id:${second.id}`))).to.deep.equal([200, '{}']);
    const found = await Promise.all([
      rows('project_logs', first.id),
      rows('project_logs', second.id),
      rows('experiment', experiment),
    ]);
    expect(found.map((list) => list.map(({ id }) => (id as string)[0]).join())).to.deep.equal([
      '1',
      '4,2',
      '3',
    ]);
    expect(new Set(found.flat().map((row) => row['_xact_id'])).size).to.equal(1);
    expect(found[0][0]!['metadata']).to.deep.equal({
      'braintrust.parent': `project_id:${first.id.toUpperCase()}`,
    });
  });

  it('a project that there is not is made, once', async () => {
    const name = `Projekt für Spans ${randomUUID()}`;
    const header = Buffer.from(`project_name:${name}`).toString('latin1');
    const answers = await Promise.all([1, 2, 3].map(() => send([span()], inHeader(header))));
    expect(answers).to.deep.equal(answers.map(() => [200, '{}']));
    const found = await listObjects(
      server(),
      `/v1/project?project_name=${encodeURIComponent(name)}`,
    );
    expect(found).to.have.length(1);
    expect(await rows('project_logs', found[0]!.id)).to.have.length(1);
  });

  it('no project is made by spans that are refused', async () => {
    const name = `refused ${randomUUID()}`;
    const [status] = await send([inParent(`project_name:${name}`, { traceId: 'x' })]);
    expect(status).to.equal(400);
    expect(
      await listObjects(server(), `/v1/project?project_name=${encodeURIComponent(name)}`),
    ).to.deep.equal([]);
  });

  it('an exported span is the parent of roots, and its trace that of all', async () => {
    const { id } = await createExperiment(server(), project);
    const parent = slugOf(
      4,
      1,
      [
        [3, 'a'.repeat(16)],
        [4, 'b'.repeat(32)],
      ],
      { object_id: id, row_id: 'r' },
    );
    const spans = [
      span({ spanId: '1'.repeat(16) }),
      span({ spanId: '2'.repeat(16), parentSpanId: '1'.repeat(16) }),
    ];
    expect(await send(spans, inHeader(parent))).to.deep.equal([200, '{}']);
    const found = await rows('experiment', id);
    const shown = found.map((row) => [
      row['id'],
      row['span_parents'],
      row['root_span_id'],
      row['is_root'],
    ]);
    expect(shown).to.have.deep.members([
      ['1'.repeat(16), ['a'.repeat(16)], 'b'.repeat(32), false],
      ['2'.repeat(16), ['1'.repeat(16)], 'b'.repeat(32), false],
    ]);
    expect((found[0]!['context'] as { otel: Json }).otel['trace_id']).to.equal(traceId);
  });

  const noParent =
    'resourceSpans[0].scopeSpans[0].spans[0]: the span has no parent: expected the attribute braintrust.parent or the header x-bt-parent';
  const forms =
    'expected project_id:<id>, project_name:<name>, experiment_id:<id> or an exported span';

  it('are missed', async () => {
    expect(await send([span()])).to.deep.equal([400, noParent]);
    expect(await send([span()], inHeader(''))).to.deep.equal([400, noParent]);
  });

  it('are of one of the forms', async () => {
    expect(await send([span()], inHeader('shop'))).to.deep.equal([
      400,
      `${onlyPath}: the header x-bt-parent: ${forms}, got "shop"`,
    ]);
    expect(await send([inParent('project_id:')])).to.deep.equal([
      400,
      `${onlyPath}: the attribute braintrust.parent: ${forms}, got "project_id:"`,
    ]);
    expect(await send([inParent(5)])).to.deep.equal([
      400,
      `${onlyPath}: the attribute braintrust.parent: expected a string, got 5`,
    ]);
    expect(await send([inParent('project_id:shop')])).to.deep.equal([
      400,
      `${onlyPath}: the attribute braintrust.parent: expected the id to be a UUID`,
    ]);
  });

  it('that there are not, or that are of another kind, are refused', async () => {
    const absent = randomUUID();
    for (const [parent, kind, id] of [
      [`project_id:${absent}`, 'project', absent],
      [`project_id:${experiment}`, 'project', experiment],
      [`experiment_id:${absent}`, 'experiment', absent],
      [slugOf(3, 1, [[1, absent]]), 'experiment', absent],
    ] as const)
      expect(await send([span()], inHeader(parent))).to.deep.equal([
        403,
        `${onlyPath}: the header x-bt-parent: no ${kind} with the id "${id}" that this key may use`,
      ]);
  });

  it('are at most 1,000 of one request', async () => {
    const spans = Array.from({ length: 1001 }, (_, n) => inParent(`project_name:p${n}`));
    expect(await send(spans)).to.deep.equal([
      400,
      'request body: expected spans of at most 1000 parents, got more',
    ]);
  });
});
