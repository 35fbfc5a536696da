// Fetches of every form, sent to the server and answered by the model.
import type { Answer } from '../../support/client.js';
import type { Operation } from './arbitrary-history.js';
import {
  checkSnapshot,
  expectSame,
  listOf,
  Mismatch,
  pathOf,
  pickObject,
  pickVersion,
  readReply,
  readVersions,
  type Conversation,
  type Reply,
  type Walk,
} from './conversation.js';
import {
  afterTuple,
  eventOf,
  isAfter,
  liveAt,
  normalised,
  pageLength,
  passes,
  textOf,
  type ModelObject,
  type PathFilter,
  type RowVersion,
} from './model-server.js';
import type { Tagged } from './tagged-json.js';

type Fetch = Extract<Operation, { kind: 'fetch' | 'walk' }>;
type AfterTuple = Extract<Operation, { kind: 'fetch after tuple' }>;
type NextPage = Extract<Operation, { kind: 'next page' }>;

/** Fields by name: their order means nothing at the top, and everything below. */
const inNameOrder = (event: Readonly<Record<string, Tagged>>) =>
  Object.entries(event).sort(([left], [right]) => (left < right ? -1 : 1));

/** Compares a page with the first rows of `rows`, and returns the rows that are left. */
export function checkPage(
  what: string,
  rows: readonly RowVersion[],
  limit: number | null,
  reply: Reply,
): readonly RowVersion[] {
  const length = pageLength(rows, limit);
  const shown = listOf(reply, 'events').map(normalised);
  const expected = rows.slice(0, length).map((row) => eventOf(row));
  expectSame(
    `${what}: ids`,
    shown.map(({ id }) => id),
    expected.map(({ id }) => id),
  );
  for (const [index, event] of expected.entries())
    expectSame(`${what}: event ${index}`, inNameOrder(shown[index] ?? {}), inNameOrder(event));
  const isEnd = limit === 0 || length === rows.length;
  expectSame(`${what}: cursor is null`, reply.body['cursor'] === null, isEnd);
  return rows.slice(length);
}

const filterBody = (filters: readonly PathFilter[]) =>
  filters.length === 0
    ? ''
    : `,"filters":[${filters
        .map(
          ({ path, value }) =>
            `{"type":"path_lookup","path":${JSON.stringify(path)},"value":${value}}`,
        )
        .join(',')}]`;

type Parameters = Readonly<Record<string, string | number | null | undefined>>;

/** By GET when that can say it, and `limit` is even. */
async function request(
  conversation: Conversation,
  object: ModelObject,
  parameters: Parameters,
  filters: readonly PathFilter[],
): Promise<{ readonly what: string; readonly answer: Answer }> {
  const path = `${pathOf(object)}/fetch`;
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  const sent = given.filter(([, value]) => value !== null);
  const isGet = filters.length === 0 && Number(parameters['limit'] ?? 0) % 2 === 0;
  if (isGet) {
    const query = sent.map(([name, value]) => `${name}=${encodeURIComponent(value ?? '')}`);
    const what = `GET ${path}?${query.join('&')}`;
    return { what, answer: await revalidated(conversation, what.slice(4)) };
  }
  const members = given.map(([name, value]) => `"${name}":${JSON.stringify(value)}`).join(',');
  const body = `{${members || '"limit":null'}${filterBody(filters)}}`;
  const what = `POST ${path} ${body}`;
  return { what, answer: await conversation.server.request('POST', path, body) };
}

/** As a browser asks: a 304 stands for the answer that it has. */
async function revalidated({ server, answers, count }: Conversation, path: string) {
  const known = answers.get(path);
  const tag = known?.headers.get('etag') ?? null;
  const headers = tag === null ? {} : { 'if-none-match': tag };
  const answer = await server.request('GET', path, undefined, { headers });
  if (answer.status === 304 && known !== undefined) {
    count('unchanged answer');
    return known;
  }
  answers.set(path, answer);
  return answer;
}

const passing = (
  rows: readonly RowVersion[],
  filters: readonly PathFilter[],
): readonly RowVersion[] => rows.filter((row) => passes(row, filters));

export async function runFetch(conversation: Conversation, fetch: Fetch): Promise<void> {
  const { fetches } = conversation;
  if (fetch.filters.length === 0 && fetches.push(fetch) > repeatedMax) fetches.shift();
  const object = pickObject(conversation, fetch.object);
  const { limit, filters } = fetch;
  const version = pickVersion(conversation, fetch.version);
  const parameters = { limit, version: version.sent };
  const { what, answer } = await request(conversation, object, parameters, filters);
  const reply = readVersions(conversation, what, answer, [version.xactId]);
  if (reply === null) return;
  const rows = passing(liveAt([object], version.xactId), filters);
  const left = checkPage(what, rows, limit, reply);
  checkSnapshot(what, [object], version.xactId, reply.version);
  countForms(conversation, fetch, rows);
  if (fetch.kind === 'walk') keepWalk(conversation, { object, filters, rows: left }, reply);
}

const repeatedMax = 2;

/** The last fetches once more. */
export async function repeatFetches(conversation: Conversation): Promise<void> {
  for (const fetch of conversation.fetches.splice(0))
    await runFetch(conversation, { ...fetch, kind: 'fetch' });
}

function countForms(
  { count }: Conversation,
  { filters, version }: Fetch,
  rows: readonly RowVersion[],
): void {
  if (filters.length > 0 && rows.length > 0) count('fetch with filters that rows pass');
  if (version !== null && rows.length > 0) count('fetch of a version with rows');
}

function keepWalk(
  { walks }: Conversation,
  walk: Pick<Walk, 'object' | 'filters' | 'rows'>,
  { body, version }: Reply,
): void {
  const cursor = body['cursor'];
  if (typeof cursor === 'string') walks.push({ ...walk, version, cursor: cursor.slice(1) });
}

export async function runNextPage(
  conversation: Conversation,
  { walk: picked, limit }: NextPage,
): Promise<void> {
  const { walks } = conversation;
  const walk = walks[picked % Math.max(1, walks.length)];
  if (walk === undefined) return;
  const { object, filters, cursor } = walk;
  const { what, answer } = await request(conversation, object, { limit, cursor }, filters);
  const reply = readReply(what, answer);
  walk.rows = checkPage(what, walk.rows, limit, reply);
  if (reply.version !== walk.version)
    throw new Mismatch(`${what}: the snapshot changed from ${walk.version} to ${reply.version}`);
  conversation.count('page by cursor');
  const next = reply.body['cursor'];
  if (typeof next === 'string') walk.cursor = next.slice(1);
  else walks.splice(walks.indexOf(walk), 1);
}

/** Walks every open walk to its end. */
export async function finishWalks(conversation: Conversation): Promise<void> {
  while (conversation.walks.length > 0)
    await runNextPage(conversation, { kind: 'next page', walk: 0, limit: 5 });
}

export async function runAfterTuple(
  conversation: Conversation,
  { object: picked, place, limit, filters, version: pickedVersion }: AfterTuple,
): Promise<void> {
  const object = pickObject(conversation, picked);
  const shown = object.versions.filter(({ deleted }) => !deleted);
  const row = shown[place % Math.max(1, shown.length)];
  if (row === undefined) return;
  const tuple = { xactId: row.xactId, rootSpanId: textOf(row.rootSpanId) };
  const version = pickVersion(conversation, pickedVersion);
  const parameters = {
    limit,
    max_xact_id: String(tuple.xactId),
    max_root_span_id: tuple.rootSpanId,
    version: version.sent,
  };
  const { what, answer } = await request(conversation, object, parameters, filters);
  const reply = readVersions(conversation, what, answer, [
    version.sent === undefined ? tuple.xactId : version.xactId,
  ]);
  if (reply === null) return;
  const rows =
    version.sent === undefined
      ? afterTuple(object, tuple)
      : liveAt([object], version.xactId).filter((each) => isAfter(each, tuple));
  checkPage(what, passing(rows, filters), limit, reply);
  conversation.count('page after a tuple');
}
