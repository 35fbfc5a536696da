// Queries on a cluster over the table of a project: the rows that the server answers with, or a reason why not.
import { expect } from 'chai';
import { printQuery } from '../../src/query/syntax/print.js';
import { parseQuery } from '../../src/query/syntax/parse.js';
import { readsClock } from '../../src/query/syntax/walk.js';
import type { QueryAst } from '../../src/query/syntax/ast.js';
import { comparable } from '../../src/query/trino/answer.js';
import { astOf, goldenFiles, readGolden } from '../query/golden-file.js';
import { corners, typical, withSource } from '../query/trino/questions.js';
import { randomQueries } from '../query/trino/transcript.js';
import { bucketName, bucketService } from '../support/bucket-service.js';
import { testKey } from '../support/client.js';
import { openServer } from '../support/hosted-server.js';
import { createExperiment, createProject } from '../support/objects.js';
import type { TestServer } from '../support/test-server.js';
import { waitUntil } from '../support/wait-until.js';
import { eventOf } from './events.js';
import { startTrino, type RunningTrino } from './running-trino.js';

const port = 18_791;
const count = 600;

interface Answer {
  readonly data: readonly Readonly<Record<string, unknown>>[];
  readonly cluster?: { readonly sql: string | null; readonly declined: string | null };
}

const time = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)\.(\d{3})(\d{3})$/;

/** A cell of Trino as the value that the server has in its place: times and JSON are texts of other forms. */
function valueOf(cell: unknown, ours: unknown): unknown {
  if (typeof cell !== 'string') return cell;
  const [, day, clock, millis = '', micros = ''] = time.exec(cell) ?? [];
  if (day !== undefined) {
    const digits = micros === '000' ? millis : millis + micros;
    return `${day}T${clock}${Number(digits) === 0 ? '' : `.${digits}`}Z`;
  }
  const isJson = typeof ours !== 'string' || (cell !== ours && cell.startsWith('"'));
  return isJson ? (JSON.parse(cell) as unknown) : cell;
}

const astsOfGoldens = (): readonly QueryAst[] =>
  goldenFiles().flatMap((file) =>
    readGolden(file).flatMap(({ query, sections }) =>
      sections.has('error') ? [] : [astOf(query)],
    ),
  );

const parsed = (questions: Readonly<Record<string, string>>): readonly QueryAst[] =>
  Object.values(questions).map((query) => parseQuery(withSource(query)));

/** Rows that are merged into, and rows that are deleted. */
const merged = 40;
const deleted = 30;

describe('queries on a cluster of two workers', () => {
  const bucket = bucketService();
  let server: TestServer;
  let trino: RunningTrino;
  let experiment: string;

  before(async () => {
    const environment = {
      EVALSTORE_TRINO_URL: `http://127.0.0.1:${port}`,
      EVALSTORE_TRINO_CATALOG: 'lake',
      EVALSTORE_BUCKET: `s3://${bucketName}/cluster`,
      EVALSTORE_BUCKET_ENDPOINT: bucket().url,
    };
    server = await openServer({ environment, tuning: { segments: { narrowRowsMin: 1 } } });
    const { id: project } = await createProject(server);
    ({ id: experiment } = await createExperiment(server, project));
    const { id: other } = await createExperiment(server, project);
    const events = Array.from({ length: count }, (_, index) => eventOf(index));
    for (const part of [0, 1, 2]) {
      const some = events.filter((_, index) => index % 3 === part);
      await server.insert(`experiment/${experiment}`, some);
      await server.insert(`experiment/${other}`, some.slice(0, 20));
      await server.settle();
    }
    const merges = events
      .slice(0, merged)
      .map(({ id }) => ({ id, _is_merge: true, metadata: { n: 5.5 } }));
    await server.insert(`experiment/${experiment}`, merges);
    const deletions = events.slice(-deleted).map(({ id }) => ({ id, _object_delete: true }));
    await server.insert(`experiment/${experiment}`, deletions);
    await server.settle();
    trino = await startTrino(port, {
      EVALSTORE_URL: server.url,
      EVALSTORE_KEY: testKey,
      EVALSTORE_BUCKET_ENDPOINT: bucket().url,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'S3RVER',
      AWS_SECRET_ACCESS_KEY: 'S3RVER',
    });
    const live = `SELECT count(*) FROM lake."${project}".events WHERE object_id = '${experiment}'`;
    await waitUntil('the table has the rows', async () => {
      const rows = await trino.rows(live).catch(() => []);
      return rows[0]?.[0] === count - deleted;
    });
  });
  after(async () => {
    trino.stop();
    await server.stop();
  });

  async function answerTo(query: string, explain: boolean): Promise<Answer | null> {
    const reply = await server.request('POST', '/query', { query, explain });
    return reply.status === 200 ? (reply.json() as unknown as Answer) : null;
  }

  /** What differs, in a text; otherwise whether the query is equal or declines. Null if the server refuses it. */
  async function compared(query: string): Promise<string | null> {
    const [explained, answer] = [await answerTo(query, true), await answerTo(query, false)];
    if (explained === null || answer === null) return null;
    const { sql = null, declined = null } = explained.cluster ?? {};
    if (sql === null) return declined === null ? `${query}: no reason` : 'declined';
    const ours = answer.data.map((row) => Object.values(row));
    const theirs = await trino.rows(sql).catch((error: unknown) => [[String(error)]]);
    const values = theirs.map((row, at) =>
      row.map((cell, index) => valueOf(cell, ours[at]?.[index])),
    );
    const [left, right] = [ours.map(comparable), values.map(comparable)];
    if (left.join('\n') === right.join('\n')) return 'equal';
    const place = Math.max(
      0,
      left.findIndex((row, index) => row !== right[index]),
    );
    return `${query}\n${sql}\n${left.length} rows, ${right.length}; row ${place}: ${left[place]} is ${right[place]}`;
  }

  /** @param leastEqual how many of the queries run on the cluster, at least */
  async function expectSame(asts: readonly QueryAst[], leastEqual: number): Promise<void> {
    let equal = 0;
    const wrong: string[] = [];
    for (const ast of asts) {
      if (readsClock(ast)) continue;
      const from = [{ kind: 'experiment' as const, id: experiment, at: { line: 1, column: 1 } }];
      const found = await compared(printQuery({ ...ast, from, limit: ast.limit ?? 100 }));
      if (found === 'equal') equal += 1;
      else if (found !== null && found !== 'declined') wrong.push(found);
    }
    expect(wrong.join('\n\n')).to.equal('');
    expect(equal).to.be.at.least(leastEqual);
  }

  it('agree with the server on typical questions', () => expectSame(parsed(typical), 16));

  it('agree with the server on the corners of the language', () => expectSame(parsed(corners), 20));

  it('agree with the server on golden queries', () => expectSame(astsOfGoldens(), 60));

  it('agree with the server on random queries', () => {
    const queries = randomQueries("experiment('e1')");
    return expectSame(
      queries.map((text) => parseQuery(text)),
      120,
    );
  });
});
