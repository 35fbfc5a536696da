// A probe: one use of a parameter or body field whose effect is seen, so that it fails when it is dropped.
import { randomUUID } from 'node:crypto';
import type { TestServer } from '../../support/start-server.js';

export type Client = Pick<TestServer, 'request'>;

export type Json = Readonly<Record<string, unknown>>;

/**
 * `operation` is a method and a path with `{id}`; `name` the path of the field, with `[]` for the items of an
 * array and `*` for any key.
 */
export interface Line {
  readonly operation: string;
  readonly place: 'query' | 'body' | 'header';
  readonly name: string;
}

/** Rejects when the parameter or field has no effect. Runs any number of times on one server. */
export type Run = (client: Client) => Promise<void>;

export interface Probe extends Line {
  readonly run: Run;
}

/** Fields that are seen by one run share it: it runs once for all of them. */
export function onceEach(client: () => Client): (run: Run) => Promise<void> {
  const results = new Map<Run, Promise<void>>();
  return (run) => {
    const result = results.get(run) ?? run(client());
    results.set(run, result);
    return result;
  };
}

export const titleOf = ({ operation, place, name }: Line): string =>
  `${operation} ${place} ${name}`;

export const unique = (word: string): string => `${word} ${randomUUID()}`;

export const send = async (
  client: Client,
  operation: string,
  body?: unknown,
  id = '',
): Promise<Json> => {
  const [method, path] = operation.split(' ') as [string, string];
  return (await client.request(method, path.replace('{id}', id), body)).json();
};

export const create = async (client: Client, kind: string, body: Json = {}): Promise<Json> =>
  send(client, `POST /v1/${kind}`, { name: unique(kind), ...body });

export const idOf = ({ id }: Json): string => id as string;

/** An object that takes events of the kind, in a project of its own. */
export async function eventObject(client: Client, kind: string): Promise<string> {
  const project = idOf(await create(client, 'project'));
  return kind === 'project_logs'
    ? project
    : idOf(await create(client, kind, { project_id: project }));
}

/** Answers the version of the write. */
export async function insert(
  client: Client,
  kind: string,
  id: string,
  ...events: readonly Json[]
): Promise<string> {
  const answer = await client.request('POST', `/v1/${kind}/${id}/insert`, { events });
  answer.json();
  return answer.headers.get('x-evalstore-version') ?? '';
}

export const rowsOf = async (client: Client, kind: string, id: string): Promise<readonly Json[]> =>
  (await send(client, `GET /v1/${kind}/{id}/fetch`, undefined, id))['events'] as Json[];
