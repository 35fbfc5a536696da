// One history's talk with the server: its objects, what the model knows of them, and checked requests.
import { randomUUID } from 'node:crypto';
import type { Answer, TestServer } from '../../support/start-server.js';
import { createExperiment, createProject, type StoredObject } from '../../support/objects.js';
import { formatShortVersion, sameLiveRows } from './model-version.js';
import type { FetchOperation, VersionPick } from './arbitrary-history.js';
import type { ObjectKind } from './model-row.js';
import { latest, type ModelObject, type PathFilter, type RowVersion } from './model-server.js';
import { isArray, isObject, tag, type Tagged } from './tagged-json.js';

/** A walk over pages whose rows were fixed by its first page. */
export interface Walk {
  readonly object: ModelObject;
  readonly filters: readonly PathFilter[];
  readonly version: bigint;
  /** What is left. */
  rows: readonly RowVersion[];
  cursor: string;
}

export interface Conversation {
  readonly server: TestServer;
  readonly projectId: string;
  /** Project logs and two experiments. */
  readonly objects: readonly ModelObject[];
  /** Of every insert, in their order. */
  readonly xactIds: bigint[];
  readonly walks: Walk[];
  /** The last answers to GET requests, which a 304 stands for. */
  readonly answers: Map<string, Answer>;
  /** Fetches to repeat beside a removal. */
  readonly fetches: FetchOperation[];
  /** Older versions are refused. */
  readonly historyFrom: bigint;
  /** Notes that something happened. */
  readonly count: (what: string) => void;
}

/** The server's answer is not the model's. */
export class Mismatch extends Error {
  override readonly name = 'Mismatch';
}

export function expectSame(what: string, actual: unknown, expected: unknown): void {
  const [shown, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (shown !== wanted) throw new Mismatch(`${what}\n  server: ${shown}\n  model:  ${wanted}`);
}

/** In a project of its own, so that histories share a server. */
export async function openConversation(
  server: TestServer,
  count: Conversation['count'],
  fillerRows = 0,
): Promise<Conversation> {
  const project = await createProject(server, { name: `model ${randomUUID()}` });
  const orgId = String(project['org_id']);
  const experiments = await openExperiments(server, project.id, fillerRows);
  const modelObject = (kind: ObjectKind, id: string): ModelObject => ({
    kind,
    id,
    projectId: project.id,
    orgId,
    versions: [],
  });
  return {
    server,
    projectId: project.id,
    objects: [
      modelObject('project_logs', project.id),
      ...experiments.map(({ id }) => modelObject('experiment', id)),
    ],
    xactIds: [],
    walks: [],
    answers: new Map(),
    fetches: [],
    historyFrom: 0n,
    count,
  };
}

/** Two, with the rows of a deleted one before theirs in every segment. */
async function openExperiments(
  server: TestServer,
  projectId: string,
  fillerRows = 0,
): Promise<readonly StoredObject[]> {
  const count = fillerRows === 0 ? 2 : 3;
  const created = await Promise.all(
    Array.from({ length: count }, () => createExperiment(server, projectId)),
  );
  if (fillerRows === 0) return created;
  const [filler, ...others] = created.toSorted((left, right) => (left.id < right.id ? -1 : 1));
  const path = `/v1/experiment/${filler!.id}`;
  const events = Array.from({ length: fillerRows }, (_, number) => ({ metadata: { number } }));
  await server.post(`${path}/insert`, { events });
  (await server.request('DELETE', path)).json();
  return others;
}

export function pickObject({ objects }: Conversation, index: number): ModelObject {
  const object = objects[index % objects.length];
  if (object === undefined) throw new Error('a history has objects');
  return object;
}

/** A version as it is sent, and the transaction id that it means. */
export interface Version {
  readonly sent: string | undefined;
  readonly xactId: bigint;
}

export function pickVersion({ xactIds }: Conversation, picked: VersionPick | null): Version {
  const found = picked === null ? undefined : xactIds[picked.pick % Math.max(1, xactIds.length)];
  if (picked === null || found === undefined) return { sent: undefined, xactId: latest };
  const xactId = found + BigInt(picked.offset);
  return { sent: picked.isShort ? formatShortVersion(xactId) : String(xactId), xactId };
}

export const pathOf = ({ kind, id }: ModelObject): string => `/v1/${kind}/${id}`;

/** An answer in a form in which nothing of its JSON is lost. */
export interface Reply {
  readonly body: Readonly<Record<string, Tagged>>;
  /** Of the snapshot, or of the write. */
  readonly version: bigint;
}

export function readReply(what: string, answer: Answer): Reply {
  if (answer.status !== 200)
    throw new Mismatch(`${what}\n  answered ${answer.status}: ${answer.text}`);
  const body = tag(answer.text);
  if (!isObject(body)) throw new Mismatch(`${what}: expected an object`);
  const named = Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name.slice(1), value]),
  );
  return { body: named, version: BigInt(answer.headers.get('x-evalstore-version') ?? '0') };
}

/** The answer; null if it refuses a version that is no longer kept, which must be one of these. */
export function readVersions(
  { historyFrom, count }: Conversation,
  what: string,
  answer: Answer,
  versions: readonly bigint[],
): Reply | null {
  if (versions.every((version) => version >= historyFrom)) return readReply(what, answer);
  if (answer.status !== 400 || !answer.text.includes('older versions are not kept'))
    throw new Mismatch(`${what}\n  answered ${answer.status}, though the version is forgotten`);
  count('forgotten version');
  return null;
}

export function listOf({ body }: Reply, name: string): readonly Tagged[] {
  const list = body[name] ?? null;
  if (!isArray(list)) throw new Mismatch(`${name}: expected an array`);
  return list;
}

/** The snapshot that the answer names must show the rows of the version that was asked for. */
export function checkSnapshot(
  what: string,
  objects: readonly ModelObject[],
  asked: bigint,
  answered: bigint,
): void {
  if (!sameLiveRows(objects, asked, answered))
    throw new Mismatch(`${what}: x-evalstore-version ${answered} does not give what it showed`);
}
