// The queries of the golden transcripts have the same answers from segments on the disk and from those that are only in a bucket.
import path from 'node:path';
import { expect } from 'chai';
import { printQuery } from '../../src/query/syntax/print.js';
import { comparable } from '../../src/query/trino/answer.js';
import { readsClock } from '../../src/query/syntax/walk.js';
import { eventOf } from '../cluster/events.js';
import { bucketName, bucketService, noFault } from '../support/bucket-service.js';
import { openServer } from '../support/hosted-server.js';
import { createExperiment, createProject } from '../support/objects.js';
import type { TestServer } from '../support/test-server.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { astOf, goldenFiles, readGolden } from './golden-file.js';

const segments = { narrowRowsMin: 1 };

function queriesOf(experiment: string): readonly string[] {
  const from = [{ kind: 'experiment' as const, id: experiment, at: { line: 1, column: 1 } }];
  const asts = goldenFiles().flatMap((file) =>
    readGolden(file).flatMap(({ query, sections }) =>
      sections.has('error') ? [] : [astOf(query)],
    ),
  );
  return asts
    .filter((ast) => !readsClock(ast))
    .map((ast) => printQuery({ ...ast, from, limit: ast.limit ?? 100 }));
}

async function fill(server: TestServer): Promise<string> {
  const { id: project } = await createProject(server);
  const { id } = await createExperiment(server, project);
  const events = Array.from({ length: 90 }, (_, index) => eventOf(index));
  for (const part of [0, 1, 2]) {
    await server.insert(
      `experiment/${id}`,
      events.filter((_, index) => index % 3 === part),
    );
    await server.settle();
  }
  const changed = events
    .slice(0, 5)
    .map((event) => ({ id: event['id'], _is_merge: true, input: 1 }));
  const deleted = events.slice(-5).map((event) => ({ id: event['id'], _object_delete: true }));
  await server.insert(`experiment/${id}`, [...changed, ...deleted]);
  await server.settle();
  return id;
}

async function answered(server: TestServer, query: string): Promise<string> {
  const answer = await server.request('POST', '/query', { query });
  // Sums of numbers with many digits depend on the order in which threads add.
  const said = answer.status === 200 ? comparable(answer.json()['data']) : answer.text;
  return `${query}\n${said}`;
}

describe('golden queries of segments that are only in a bucket', () => {
  const service = bucketService();
  const directory = temporaryDirectory();

  it('have the answers of segments on the disk', async () => {
    service().plant(noFault);
    const dir = path.join(directory(), 'data');
    const local = await openServer({ dir, tuning: { segments } });
    const queries = queriesOf(await fill(local));
    const expected: string[] = [];
    for (const query of queries) expected.push(await answered(local, query));
    await local.stop();
    const environment = {
      EVALSTORE_BUCKET: `s3://${bucketName}/goldens`,
      EVALSTORE_BUCKET_ENDPOINT: service().url,
      EVALSTORE_TABLES: 'off',
    };
    const far = await openServer({ dir, environment, tuning: { segments, cacheBytes: 1 } });
    const different: string[] = [];
    for (const [index, query] of queries.entries()) {
      await far.settle();
      const answer = await answered(far, query);
      if (answer !== expected[index]) different.push(`${expected[index]}\n${answer}`);
    }
    await far.stop();
    expect(different.join('\n\n')).to.equal('');
    expect(queries.length).to.be.above(200);
    const fetched = service()
      .requests()
      .filter((request) => request.startsWith('GET') && request.includes('/segments/'));
    expect(fetched.length).to.be.above(queries.length);
  });
});
