// A probe: one use of a parameter or body field whose effect is seen, so that it fails when it is dropped.
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Client, Json } from '../../support/client.js';

export type { Client, Json };

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

/** A probe of each of the parameters or fields. */
export const probesOf = (
  operation: string,
  place: Line['place'],
  runs: Readonly<Record<string, Run>>,
): readonly Probe[] => Object.entries(runs).map(([name, run]) => ({ operation, place, name, run }));

/** One run that shows the effect of all of them. */
export const shownBy = (run: Run, names: readonly string[]): Readonly<Record<string, Run>> =>
  Object.fromEntries(names.map((name) => [name, run]));

/** The field of another organisation is refused, so it is seen to be read. */
export const refused =
  (operation: string, body: (client: Client) => Json | Promise<Json>): Run =>
  async (client) => {
    const [method, path] = operation.split(' ') as [string, string];
    expect((await client.request(method, path, await body(client))).status).to.equal(400);
  };

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

export const newProject = async (client: Client): Promise<string> =>
  idOf(await create(client, 'project'));

/** An object that takes events of the kind, in a project of its own. */
export async function eventObject(client: Client, kind: string): Promise<string> {
  const project_id = await newProject(client);
  return kind === 'project_logs' ? project_id : idOf(await create(client, kind, { project_id }));
}

/** Answers the version of the write. */
export const insert = (
  client: Client,
  kind: string,
  id: string,
  ...events: readonly Json[]
): Promise<string> => client.insert(`${kind}/${id}`, events);

export const rowsOf = (client: Client, kind: string, id: string): Promise<readonly Json[]> =>
  client.events(`${kind}/${id}`);
