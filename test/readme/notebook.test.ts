// The manual's query for notebooks reads from the files what the server answers.
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { openServer } from '../support/hosted-server.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import type { TestServer } from '../support/test-server.js';
import { waitUntil } from '../support/wait-until.js';

const [, notebookQuery = ''] =
  /```sql\n([\s\S]*?)```/.exec(readFileSync('src/manual/notebooks.md', 'utf8')) ?? [];

const requests = [
  [
    { id: 'a', input: 'one', metadata: { model: 'small' }, scores: { accuracy: 1 } },
    { id: 'b', input: 'two', metadata: { model: 'large' }, scores: { accuracy: 0.5 } },
    { id: 'c', input: 'three', metadata: { model: 'small' } },
  ],
  [
    { id: 'b', _is_merge: true, scores: { accuracy: 0.25 } },
    { id: 'd', metadata: { model: 'large', tier: 3 } },
  ],
  [
    { id: 'c', _object_delete: true },
    { id: 'a', input: 'replaced', scores: { accuracy: 0 }, metadata: { model: 'small' } },
  ],
];

describe('the query of the page on notebooks', () => {
  const directory = temporaryDirectory();
  let connection: DuckDBConnection;
  let server: TestServer;
  let projectId: string;

  before(async () => {
    connection = await (await DuckDBInstance.create(':memory:')).connect();
  });
  after(() => connection.closeSync());

  beforeEach(async () => {
    server = await openServer({ dir: directory(), environment: { EVALSTORE_FLUSH_ROWS: '1' } });
    const project = await server.request('POST', '/v1/project', { name: 'notebook' });
    projectId = project.json()['id'] as string;
  });

  const folder = () => path.join(directory(), 'segments', `project_id=${projectId}`);

  const read = async (sql: string) =>
    (await connection.runAndReadAll(sql)).getRowObjectsJson() as readonly object[];

  async function insertAll(): Promise<void> {
    for (const events of requests) await server.insert(`project_logs/${projectId}`, events);
  }

  const ask = () =>
    server.request('POST', '/query', {
      query: `select: id, input, metadata.model as model, scores.accuracy as accuracy
        from: project_logs('${projectId}') | sort: id`,
      use_columnstore: true,
    });

  const isPublished = async () =>
    (await ask()).headers.get('x-evalstore-columnstore') === 'segments';

  /** `input` as its JSON value, as in the server's answers. */
  async function readNotebook(): Promise<readonly object[]> {
    const rows = notebookQuery.trim().replace(/;$/, '');
    const found = await read(`
      SELECT e.id, input, "metadata/model" AS model, "scores/accuracy" AS accuracy
      ${rows.replaceAll('data/segments/project_id=…', folder())} ORDER BY e.id`);
    return found.map((row) => {
      const { input } = row as { readonly input: string | null };
      return Object.assign(row, { input: input === null ? null : (JSON.parse(input) as unknown) });
    });
  }

  it('gives what the server answered before it was stopped', async () => {
    await insertAll();
    const answer = (await ask()).json()['data'];
    expect(answer).to.have.length(3);
    await waitUntil('every row is in a published segment', isPublished);
    await server.stop();
    expect(await readNotebook()).to.deep.equal(answer);
  });
});
