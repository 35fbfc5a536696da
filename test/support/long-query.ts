// A query that runs until its time budget ends, so that a test can look at it and cancel it.
import { randomUUID } from 'node:crypto';
import type { Answer, Client } from './client.js';
import type { StoredObject } from './objects.js';
import { waitUntil } from './wait-until.js';

const numbers = Array.from({ length: 300 }, (_, n) => n);
const list = 'metadata.list';
const unpivot = ['a', 'b', 'c', 'd'].map((name) => `${list} as ${name}`).join(', ');

export interface RunningQuery extends StoredObject {
  readonly query: string;
  readonly state: string;
  readonly user_id: string;
  readonly project_ids: readonly string[];
  readonly started: string;
  readonly elapsed_ms: number;
  readonly waited_ms: number;
}

export interface SlowQuery extends StoredObject {
  readonly elapsed_ms: number;
  readonly waited_ms: number;
}

/** The text of a long query, in a project that it makes. */
export async function longQuery(client: Client): Promise<{ projectId: string; text: string }> {
  const projectId = String((await client.post('/v1/project', { name: randomUUID() }))['id']);
  await client.insert(`project_logs/${projectId}`, [{ id: 'lists', metadata: { list: numbers } }]);
  const from = `from: project_logs('${projectId}')`;
  const text = `measures: count(*) as n | unpivot: ${unpivot} | filter: a + b + c + d < 0 | ${from}`;
  return { projectId, text };
}

export const runningQueries = async (client: Client): Promise<readonly RunningQuery[]> =>
  (await client.get('/v1/queries'))['objects'] as readonly RunningQuery[];

export const slowQueries = async (client: Client, key?: string): Promise<readonly SlowQuery[]> => {
  const answer = await client.request('GET', '/v1/queries', undefined, key ? { key } : {});
  return answer.json()['slow'] as readonly SlowQuery[];
};

/** Starts the query, and waits until it is listed. */
export async function startQuery(
  client: Client,
  query: string,
  fmt = 'json',
): Promise<{ id: string; answer: Promise<Answer> }> {
  const before = new Set((await runningQueries(client)).map(({ id }) => id));
  const answer = client.request('POST', '/query', { query, fmt });
  let id: string | undefined;
  await waitUntil('the query is listed', async () => {
    id = (await runningQueries(client)).find((each) => !before.has(each.id))?.id;
    return id !== undefined;
  });
  return { id: id!, answer };
}
