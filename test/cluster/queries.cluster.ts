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
import { bucketService } from '../support/bucket-service.js';
import { createExperiment, createProject } from '../support/objects.js';
import { eventOf } from './events.js';
import { openLake, outcome, type Lake } from './lake.js';

const port = 18_791;
const count = 600;

interface Answer {
  readonly data: readonly Readonly<Record<string, unknown>>[];
  readonly cluster?: {
    readonly route: string;
    readonly reason: string | null;
    readonly sql: string | null;
  };
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
  let lake: Lake;
  let experiment: string;

  before(async () => {
    lake = await openLake({ port, endpoint: bucket().url });
    const { server } = lake;
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
  });
  after(() => lake.stop());

  /** Null if the server refuses the query. */
  async function ask(query: string, more: object = {}) {
    const reply = await lake.server.request('POST', '/query', { query, ...more });
    if (reply.status !== 200) return null;
    const answer = reply.json() as unknown as Answer;
    return { ...answer, version: reply.headers.get('x-evalstore-version') };
  }

  /** What differs, in a text; otherwise whether the query is equal or declines. Null if the server refuses it. */
  async function compared(query: string): Promise<string | null> {
    const [explained, theirs] = [await ask(query, { explain: true }), await ask(query)];
    if (explained === null || theirs === null) return null;
    const { route, reason, sql } = explained.cluster!;
    if (route === 'server') return reason === null ? `${query}: no reason` : 'declined';
    // Of a version, the server answers itself.
    const ours = await ask(query, { version: theirs.version });
    const [left, right] = [ours, theirs].map((answer) =>
      answer!.data.map((row) => comparable(Object.values(row))),
    );
    if (left!.join('\n') === right!.join('\n')) return 'equal';
    const place = Math.max(
      0,
      left!.findIndex((row, index) => row !== right![index]),
    );
    return `${query}\n${sql}\n${left!.length} rows, ${right!.length}; row ${place}: ${left![place]} is ${right![place]}`;
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
    for (const name of ['refused', 'failed', 'unreachable', 'exceeded'])
      expect(await outcome(lake.server, name), name).to.equal(0);
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
