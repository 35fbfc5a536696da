// Span ids are unique only in their traces: code that seeds its random generator for each example repeats them.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { slugOf } from '../otlp/slugs.js';
import { span } from '../otlp/spans.js';
import { createExperiment, createProject } from '../support/objects.js';
import { inHeader, sendSpans } from '../support/post-spans.js';
import { startServer, type ServerProcess } from '../support/start-server.js';

const id = 'a'.repeat(16);
const [first, second, third] = ['1', '2', '3'].map((digit) => digit.repeat(32)) as [
  string,
  string,
  string,
];

const spanOf = (traceId: string, name: string) => span({ traceId, spanId: id, name });

/** What a row with either id has. */
const stored = (trace: string, name: string, root = trace) => [name, id, root];

describe('OpenTelemetry spans of several traces with one span id', () => {
  let dir = '';
  let server: ServerProcess;
  let project = '';

  before(async () => {
    dir = await mkdtemp(path.join(tmpdir(), 'evalstore-'));
    server = await startServer({ dir, tuning: {} });
  });

  beforeEach(async () => {
    project = (await createProject(server)).id;
  });

  after(async () => {
    await server.stop();
    await rm(dir, { recursive: true });
  });

  const send = async (spans: readonly unknown[], parent = `project_id:${project}`) =>
    expect(await sendSpans(server, spans, inHeader(parent))).to.deep.equal([200, '{}']);

  const rows = async (object = `project_logs/${project}`) => {
    const events = await server.events(object);
    return Object.fromEntries(
      events.map((event) => [
        event['id'] as string,
        [
          (event['span_attributes'] as { name: string }).name,
          event['span_id'],
          event['root_span_id'],
        ],
      ]),
    );
  };

  /** The states of storage in which the same spans have to find their rows. */
  const states: Readonly<Record<string, () => Promise<void>>> = {
    'buffered rows': async () => {},
    segments: () => server.settle(),
    'a server that started again': async () => {
      await server.stop();
      server = await startServer({ dir, tuning: {} });
    },
  };

  for (const [state, reach] of Object.entries(states))
    it(`are rows of their own, and the same rows when they are sent again, in ${state}`, async () => {
      await send([spanOf(first, 'first'), spanOf(second, 'second')]);
      expect(await rows()).to.deep.equal({
        [id]: stored(first, 'first'),
        [`${second}-${id}`]: stored(second, 'second'),
      });
      await reach();
      await send([spanOf(third, 'third'), spanOf(second, 'second again')]);
      await send([
        spanOf(second, 'second, third time'),
        spanOf(first, 'first again'),
        spanOf(second, 'second, last time'),
      ]);
      expect(await rows()).to.deep.equal({
        [id]: stored(first, 'first again'),
        [`${second}-${id}`]: stored(second, 'second, last time'),
        [`${third}-${id}`]: stored(third, 'third'),
      });
    });

  for (const [state, reach] of Object.entries(states))
    it(`are told apart below one exported span, in ${state}`, async () => {
      const experiment = (await createExperiment(server, project)).id;
      const root = 'c'.repeat(32);
      const slug = slugOf(
        4,
        1,
        [
          [3, 'b'.repeat(16)],
          [4, root],
        ],
        { object_id: experiment },
      );
      await send([spanOf(first, 'first'), spanOf(second, 'second')], slug);
      await reach();
      await send([spanOf(second, 'second again')], slug);
      await send([spanOf(first, 'first again')], slug);
      expect(await rows(`experiment/${experiment}`)).to.deep.equal({
        [id]: stored(first, 'first again', root),
        [`${second}-${id}`]: stored(second, 'second again', root),
      });
    });

  it('keep their rows if they arrive in requests at once', async () => {
    const traces = Array.from({ length: 8 }, (_, n) => String(n + 1).repeat(32));
    const sendAll = () => Promise.all(traces.map((trace) => send([spanOf(trace, trace)])));
    await sendAll();
    await sendAll();
    const found = Object.values(await rows());
    expect(found).to.have.deep.members(traces.map((trace) => stored(trace, trace)));
  });

  it('do not replace a row of another kind with the same id', async () => {
    await server.post(`/v1/project_logs/${project}/insert`, { events: [{ id, input: 'kept' }] });
    await send([spanOf(first, 'first')]);
    const found = await server.events(`project_logs/${project}`);
    expect(found.map((row) => [row['id'], row['input']])).to.deep.equal([
      [`${first}-${id}`, null],
      [id, 'kept'],
    ]);
  });

  it('keep the id with the trace after the other row is deleted', async () => {
    await send([spanOf(first, 'first'), spanOf(second, 'second')]);
    const deletion = { events: [{ id, _object_delete: true }] };
    await server.post(`/v1/project_logs/${project}/insert`, deletion);
    await send([spanOf(second, 'second again')]);
    expect(await rows()).to.deep.equal({ [`${second}-${id}`]: stored(second, 'second again') });
    await send([spanOf(third, 'third')]);
    expect(await rows()).to.have.keys(id, `${second}-${id}`);
  });

  it('share no id with another object', async () => {
    const other = (await createProject(server)).id;
    await send([spanOf(first, 'first')]);
    await send([spanOf(second, 'second')], `project_id:${other}`);
    expect(await rows(`project_logs/${other}`)).to.have.keys(id);
  });

  it('take feedback and children by the ids of their rows, and have their children in their traces', async () => {
    const child = (trace: string, digit: string) =>
      span({ traceId: trace, spanId: digit.repeat(16), parentSpanId: id });
    await send([child(second, '8'), spanOf(first, 'first'), spanOf(second, 'second')]);
    await send([child(first, '9')]);
    const both = `${second}-${id}`;
    const logs = `/v1/project_logs/${project}`;
    await server.post(`${logs}/feedback`, { feedback: [{ id: both, scores: { good: 1 } }] });
    await server.post(`${logs}/feedback`, { feedback: [{ id, scores: { good: 0 } }] });
    await server.post(`${logs}/insert`, { events: [{ id: 'below', _parent_id: both }] });
    const data = await server.query(
      `select: id, root_span_id, span_parents, scores.good as good | from: project_logs('${project}') | sort: id`,
    );
    expect(data).to.deep.equal([
      { id: both, root_span_id: second, span_parents: null, good: 1 },
      { id: '8'.repeat(16), root_span_id: second, span_parents: [id], good: null },
      { id: '9'.repeat(16), root_span_id: first, span_parents: [id], good: null },
      { id, root_span_id: first, span_parents: null, good: 0 },
      { id: 'below', root_span_id: second, span_parents: [id], good: null },
    ]);
  });
});
