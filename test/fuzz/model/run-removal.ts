// Jobs that remove events, of the server and of the model, and reads that must know it.
import { endOfJob } from '../../support/jobs.js';
import { answer } from '../answer.js';
import { expressionText } from '../print.js';
import { plainQuery } from '../query.js';
import type { Operation } from './arbitrary-history.js';
import { expectSame, Mismatch, pathOf, pickObject, type Conversation } from './conversation.js';
import { expired, fieldOf, latest, liveAt, remove, type ModelObject } from './model-server.js';
import { repeatFetches } from './run-fetch.js';
import { setting } from './run-query.js';
import { runSummary } from './run-summary.js';
import { textIn } from './tagged-json.js';

type Purge = Extract<Operation, { kind: 'purge' }>;
type Retention = Extract<Operation, { kind: 'retention' }>;

const dayMs = 86_400_000;

/** Clients keep answers, and the server those to summaries. */
async function readAgain(conversation: Conversation, object = 1): Promise<void> {
  await repeatFetches(conversation);
  await runSummary(conversation, { kind: 'summary', object: Math.max(1, object) });
}

/** @param ids of the events that must leave each object */
async function runJob(
  conversation: Conversation,
  what: string,
  id: unknown,
  ids: ReadonlyMap<ModelObject, ReadonlySet<string>>,
): Promise<void> {
  const { server, walks, historyFrom, count } = conversation;
  const { state, rows } = await endOfJob(server, String(id));
  let removed = 0;
  for (const [object, events] of ids) removed += remove(object, events);
  for (const walk of walks)
    walk.rows = walk.rows.filter((row) => !(ids.get(walk.object)?.has(row.id) ?? false));
  if (removed > 0) count('removal of rows');
  // A deletion with an insert of the event leaves an entry of feedback, which goes too. With the history, some may have left before.
  const isCounted = rows >= removed || historyFrom > 0n;
  expectSame(
    `${what}: ${rows} rows, of ${removed}`,
    { state, isCounted },
    { state: 'done', isCounted: true },
  );
}

/** The ids of the live rows that pass. */
function idsThatPass(object: ModelObject, filter: Exclude<Purge['events'], readonly string[]>) {
  const rows = liveAt([object], latest).map((row) => (name: string) => fieldOf(row, name));
  return answer({ ...plainQuery('rows'), filter }, rows, setting).rows.map(({ rows: [row] }) =>
    textIn(row!('id')),
  );
}

export async function runPurge(
  conversation: Conversation,
  { object: picked, events }: Purge,
): Promise<void> {
  const object = pickObject(conversation, picked);
  await readAgain(conversation, picked);
  const isList = Array.isArray(events);
  const body = 'kind' in events ? { filter: expressionText(events, style) } : { ids: events };
  const what = `purge ${JSON.stringify(body)}`;
  const reply = await conversation.server.request('POST', `${pathOf(object)}/purge`, body);
  // A condition that is probably a mistake.
  if (!isList && reply.status === 400 && reply.text.includes(': nothing is removed')) return;
  if (reply.status !== 200)
    throw new Mismatch(`${what}\n  answered ${reply.status}: ${reply.text}`);
  const ids = 'kind' in events ? idsThatPass(object, events) : events;
  await runJob(conversation, what, reply.json()['id'], new Map([[object, new Set(ids)]]));
  await readAgain(conversation, picked);
}

const style = { parentheses: 'all', aliases: [] } as const;

export async function runRetention(
  conversation: Conversation,
  { since, kinds }: Retention,
): Promise<void> {
  const { server, projectId, objects, historyFrom } = conversation;
  // What leaves with the history is not known, and the age of traces depends on it.
  if (historyFrom > 0n) return;
  await readAgain(conversation);
  const path = `/v1/project/${projectId}`;
  const days = Math.floor((Date.now() - Date.parse(since)) / dayMs);
  const set = async (settings: object) =>
    (await server.request('PATCH', path, { settings })).json();
  await set({ retention_days: days, retention_kinds: kinds });
  const dry = await server.get(`${path}/retention`);
  const cutoff = Date.parse(String(dry['cutoff']));
  const ids = new Map(
    objects
      .filter(({ kind }) => kinds.includes(kind))
      .map((object) => [object, expired(object, cutoff)]),
  );
  const rows = [...ids].flatMap(([{ versions }, gone]) =>
    versions.filter(({ id }) => gone.has(id)),
  );
  expectSame(
    `dry run of retention: ${String(dry['rows'])} rows, of ${rows.length}`,
    Number(dry['rows']) >= rows.length,
    true,
  );
  const { id } = await server.post(`${path}/retention`);
  await set({ retention_days: null });
  await runJob(conversation, 'retention', id, ids);
  await readAgain(conversation);
}
