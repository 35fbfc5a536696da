// Inserts, sent to the server and to the model, and what the server chose learnt from the first fetch.
import { insertBody } from './arbitrary-event.js';
import type { Operation } from './arbitrary-history.js';
import {
  expectSame,
  listOf,
  Mismatch,
  pathOf,
  pickObject,
  readReply,
  type Conversation,
} from './conversation.js';
import { Refused, type RowState, type SentEvent } from './model-row.js';
import {
  latest,
  liveAt,
  learn,
  normalised,
  stateAfter,
  store,
  type ModelObject,
} from './model-server.js';
import { checkPage } from './run-fetch.js';
import { string, textIn } from './tagged-json.js';

type Insert = Extract<Operation, { kind: 'insert' }>;
type RefusedInsert = Extract<Operation, { kind: 'refused insert' }>;

const send = ({ server }: Conversation, object: ModelObject, events: readonly SentEvent[]) =>
  server.request('POST', `${pathOf(object)}/insert`, insertBody(events));

export async function runRefusedInsert(
  conversation: Conversation,
  { object, events, naming }: RefusedInsert,
): Promise<void> {
  const answer = await send(conversation, pickObject(conversation, object), events);
  if (answer.status !== 400 || !naming.every((part) => answer.text.includes(part)))
    throw new Mismatch(
      `insert ${insertBody(events)}\n  server: ${answer.status} ${answer.text}\n  model:  400 naming ${naming.join(' and ')}`,
    );
}

/** The states after the events, or the refusal that the model wants. */
function predict(object: ModelObject, events: readonly SentEvent[], ids: readonly string[]) {
  try {
    return stateAfter(object, events, ids);
  } catch (error) {
    if (error instanceof Refused) return error;
    throw error;
  }
}

export async function runInsert(conversation: Conversation, insert: Insert): Promise<void> {
  const object = pickObject(conversation, insert.object);
  const { events } = insert;
  const what = `insert ${insertBody(events)}`;
  const answer = await send(conversation, object, events);
  const placeholders = events.map(({ id }, index) => id ?? `generated ${index}`);
  const refusal = predict(object, events, placeholders);
  if (refusal instanceof Refused) {
    conversation.count('unknown parent');
    if (answer.status !== 400 || !answer.text.includes(refusal.naming))
      throw new Mismatch(
        `${what}\n  server: ${answer.status} ${answer.text}\n  model:  400 naming ${refusal.naming}`,
      );
    return;
  }
  const reply = readReply(what, answer);
  const ids = listOf(reply, 'row_ids').map(textIn);
  checkIds(what, events, ids);
  countEffects(conversation, object, events);
  const rows = stateAfter(object, events, ids);
  checkXactId(conversation, reply.version);
  store(object, rows, reply.version);
  conversation.xactIds.push(reply.version);
  if (rows.some(hasUnknown)) await learnFrom(conversation, object, rows.length, reply.version);
}

function checkIds(what: string, events: readonly SentEvent[], ids: readonly string[]): void {
  const expected = events.map(({ id }, index) => id ?? ids[index]);
  expectSame(`${what}: row_ids`, ids, expected);
}

function checkXactId({ xactIds }: Conversation, xactId: bigint): void {
  const last = xactIds.at(-1) ?? 0n;
  if (xactId >> 48n !== 0x0de1n || xactId <= last)
    throw new Mismatch(`transaction id ${xactId} after ${last}`);
}

const hasUnknown = ({ deleted, created, spanId, rootSpanId }: RowState): boolean =>
  !deleted && [created, spanId, rootSpanId].some(({ text }) => text === undefined);

/** The rows of the newest transaction come first: as many traces as rows hold all of them. */
async function learnFrom(
  conversation: Conversation,
  object: ModelObject,
  limit: number,
  xactId: bigint,
): Promise<void> {
  const body = { limit, version: String(xactId) };
  const answer = await conversation.server.request('POST', `${pathOf(object)}/fetch`, body);
  const reply = readReply('fetch after an insert', answer);
  const shown = new Map(
    listOf(reply, 'events').map((event) => {
      const fields = normalised(event);
      return [fields['id'], fields];
    }),
  );
  for (const row of object.versions.filter((version) => version.xactId === xactId)) {
    const event = shown.get(string(row.id));
    if (!row.deleted && event !== undefined) learn(row, event);
  }
  checkPage('fetch after an insert', liveAt([object], xactId), limit, reply);
}

function countEffects(
  { count }: Conversation,
  object: ModelObject,
  events: readonly SentEvent[],
): void {
  const live = new Set(liveAt([object], latest).map(({ id }) => id));
  for (const event of events) {
    const isLive = event.id !== null && live.has(event.id);
    if (event.parent !== undefined) count('child');
    else if (event.isDelete === true) count(isLive ? 'delete' : 'delete of nothing');
    else if (event.isMerge === true) count(isLive ? 'merge' : 'merge into nothing');
    else count(isLive ? 'replacement' : 'new row');
  }
}
