// "explain" of a query: what the server reads, instead of rows.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { asking } from './access/asking.js';
import { openServer } from '../support/hosted-server.js';
import { createExperiment, createProject } from '../support/objects.js';
import type { TestServer } from '../support/test-server.js';

interface Statement {
  readonly engine: string;
  readonly sources: readonly { name: string; files: readonly string[]; leaf_columns: string[] }[];
  readonly sql: string;
  readonly parameters: readonly unknown[];
  readonly plan: string;
}

const segmentsIn = ({ sources }: Statement) =>
  sources.flatMap(({ files }) => files).filter((file) => file.startsWith('segments/'));

describe('the explanation of a query', () => {
  let directory: string;
  let server: TestServer;
  let project: string;
  let experiment: string;

  // Two segments, of which the second alone has the score `rare`, and a buffered row.
  before(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'evalstore-'));
    server = await openServer({ dir: directory, tuning: { segments: { narrowRowsMin: 1 } } });
    ({ id: project } = await createProject(server));
    ({ id: experiment } = await createExperiment(server, project));
    const insert = (...events: readonly object[]) =>
      server.insert(`experiment/${experiment}`, events);
    await insert({ id: 'a', scores: { s: 1 } }, { id: 'b', scores: { s: 0.5 } });
    await server.settle();
    await insert({ id: 'c', scores: { s: 1, rare: 1 } }, { id: 'd', scores: { s: 0 } });
    await server.settle();
    await insert({ id: 'e', input: 'buffered' });
  });
  after(async () => {
    await server.stop();
    await rm(directory, { recursive: true });
  });

  async function explained(clauses: string, explain: true | 'analyze' = true) {
    const query = clauses.replace('EXPERIMENT', `experiment('${experiment}')`);
    const answer = (await server.request('POST', '/query', { query, explain })).json();
    const [statement, ...others] = answer['data'] as readonly Statement[];
    expect(others).to.deep.equal([]);
    return statement!;
  }

  it('names the files and typed columns that the query reads, and the plan of the engine', async () => {
    const found = await explained('measures: avg(scores.s) as s | from: EXPERIMENT');
    expect(segmentsIn(found).map((file) => path.extname(file))).to.deep.equal([
      '.narrow',
      '.narrow',
    ]);
    const segments = found.sources.filter(({ name }) => name.startsWith('segment'));
    expect(segments.map((source) => source.leaf_columns)).to.deep.equal([
      ['scores/s'],
      ['scores/s'],
    ]);
    const buffers = found.sources.filter(({ name }) => name.startsWith('buffer'));
    expect(buffers.flatMap(({ files }) => files).join()).to.match(/^tmp\/.*rows-[^/]*$/);
    const { engine, sql, parameters, plan } = found;
    expect(sql).to.contain('"scores/s" AS f0');
    expect(JSON.stringify(parameters)).to.contain('.narrow');
    expect(plan).to.match(/READ_PARQUET[\s\S]*Projections: scores\/s/);
    expect(plan).not.to.contain('Total Time');
    expect(engine).to.equal('small');
  });

  it('names the wide files of a query for JSON text, and leaves out segments that cannot have a row', async () => {
    const wide = segmentsIn(await explained('select: scores | from: EXPERIMENT'));
    expect(wide.map((file) => path.extname(file))).to.deep.equal(['.parquet', '.parquet']);
    const rare = await explained(
      'measures: count(*) as n | from: EXPERIMENT | filter: scores.rare > 0',
    );
    expect(segmentsIn(rare)).to.have.length(1);
    expect(rare.sources.map(({ files }) => files.length)).to.have.members([0, 1, 1]);
  });

  it('runs the query for the times of its steps', async () => {
    const found = await explained('measures: count(scores.s) as n | from: EXPERIMENT', 'analyze');
    expect(found.plan).to.match(/Total Time: [\d.]+s/);
    // Of five rows, one has no scores.
    expect(found.plan).to.match(/READ_PARQUET[\s\S]*\b4 rows/);
  });

  it('is of the whole answer of a pivot, of prompts and of every version', async () => {
    const pivot =
      'dimensions: id, scores.s as s | measures: count(*) as n | from: EXPERIMENT | pivot: n';
    expect(JSON.stringify((await explained(pivot)).parameters)).to.contain('0.5');
    expect(segmentsIn(await explained('select: id | from: EXPERIMENT versions'))).to.have.length(2);
    const prompts = await explained(`select: id | from: project_prompts('${project}')`);
    expect(segmentsIn(prompts)).to.deep.equal([]);
  });

  it('is of an earlier version, and has no entity tag', async () => {
    const query = `select: id | from: experiment('${experiment}')`;
    const before = await server.request('POST', '/query', { query, explain: true });
    const version = before.headers.get('x-evalstore-version');
    await server.insert(`experiment/${experiment}`, [{ id: 'f' }]);
    const after = await server.request('POST', '/query', { query, explain: true, version });
    expect(after.headers.get('x-evalstore-version'))
      .to.equal(version)
      .and.to.match(/^\d{19}$/);
    expect([before.headers.get('etag'), after.headers.get('etag')]).to.deep.equal([null, null]);
  });

  it('is for owners alone, and for no other values', async () => {
    const query = `select: id | from: experiment('${experiment}')`;
    const { service_token: key } = await asking(() => server).addAccount(['Viewers']);
    const asked = { query, explain: true };
    const refused = await server.request('POST', '/query', asked, { key });
    expect([refused.status, refused.text]).to.deep.equal([
      403,
      'explain: only owners of an organisation see how the server runs a query',
    ]);
    expect((await server.request('POST', '/query', asked, { key: null })).status).to.equal(401);
    const wrong = await server.request('POST', '/query', { query, explain: 'plan' });
    expect([wrong.status, wrong.text]).to.deep.equal([
      400,
      'explain: expected true, false, "analyze" or null, got "plan"',
    ]);
    const plain = await server.request('POST', '/query', { query, explain: false });
    expect(plain.json()['data']).to.have.length.of.at.least(5);
  });

  it('is not an answer of a download or of a query on one experiment, which ignore the field', async () => {
    const query = `select: id | from: experiment('${experiment}') | limit: 1`;
    const asked = { query, explain: true };
    const offered = await server.request('POST', '/query/download', asked);
    const { pathname, search } = new URL(offered.json()['url'] as string);
    const path = `/v1/experiment/${experiment}/query`;
    for (const answer of [
      await server.request('GET', pathname + search),
      await server.request('POST', path, asked),
    ])
      expect(Object.keys((answer.json()['data'] as readonly object[])[0]!)).to.deep.equal(['id']);
  });
});
