// One answer of every operation, to the request by which spec/access asks who may use it.
import { randomUUID } from 'node:crypto';
import type { Client } from '../../support/client.js';
import { longQuery, runningQueries, startQuery } from '../../support/long-query.js';
import { uploadPath } from '../access/attachment-requests.js';
import type { Request } from '../access/outcomes.js';
import { requests } from '../access/requests.js';
import { makeOwnWorld, type OwnWorld } from '../access/world.js';
import { endpoints } from './endpoints.js';

/** Bodies of 200s by operation. */
export type Answered = ReadonlyMap<string, unknown>;

async function reportOfUpload(world: OwnWorld): Promise<Request> {
  const key = randomUUID();
  await uploadPath(world, key);
  return { path: '/attachment/status', body: { key, status: { upload_status: 'error' } } };
}

async function requestOf(world: OwnWorld, client: Client, operation: string): Promise<Request> {
  // The query that is listed is the one that is cancelled.
  if (operation === 'GET /v1/queries') await startQuery(client, (await longQuery(client)).text);
  if (operation === 'DELETE /v1/queries/{id}')
    return { path: `/v1/queries/${(await runningQueries(client))[0]!.id}` };
  if (operation === 'POST /attachment/status') return reportOfUpload(world);
  const build = requests[operation.replace(/\{(\w+)\}/, ':$1')];
  return build?.(world) ?? { path: operation.split(' ')[1]! };
}

export async function answersOf(client: Client): Promise<Answered> {
  const world = await makeOwnWorld(client);
  const answers = new Map<string, unknown>();
  for (const { operation, answer } of endpoints) {
    if (answer.form === 'elsewhere') continue;
    const { path, body, headers = {} } = await requestOf(world, client, operation);
    const [method = ''] = operation.split(' ');
    const { status, text } = await client.request(method, path, body, { headers });
    if (status !== 200) throw new Error(`${operation}: ${status} ${text}`);
    answers.set(operation, answer.form === 'text' ? text : JSON.parse(text));
  }
  return answers;
}
