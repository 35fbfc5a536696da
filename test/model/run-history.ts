// One history against the server and the model, from a new project to the end of its last walk.
import { assertNever } from '../../src/errors.js';
import type { TestServer } from '../support/start-server.js';
import type { History, Operation } from './arbitrary-history.js';
import { openConversation, type Conversation } from './conversation.js';
import { finishWalks, runAfterTuple, runFetch, runNextPage } from './run-fetch.js';
import { runInsert, runRefusedInsert } from './run-insert.js';
import { runQuery } from './run-query.js';

function runOperation(conversation: Conversation, operation: Operation): Promise<void> {
  switch (operation.kind) {
    case 'insert':
      return runInsert(conversation, operation);
    case 'refused insert':
      return runRefusedInsert(conversation, operation);
    case 'fetch':
    case 'walk':
      return runFetch(conversation, operation);
    case 'next page':
      return runNextPage(conversation, operation);
    case 'fetch after tuple':
      return runAfterTuple(conversation, operation);
    case 'query':
      return runQuery(conversation, operation);
    default:
      return assertNever(operation);
  }
}

/**
 * Returns how often each thing happened.
 * @throws Mismatch at the first answer that is not the model's
 */
export async function runHistory(
  server: TestServer,
  history: History,
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  const count = (what: string) => void counts.set(what, (counts.get(what) ?? 0) + 1);
  const conversation = await openConversation(server, count);
  for (const operation of history) {
    if (operation === null) continue;
    await runOperation(conversation, operation);
    count(operation.kind);
  }
  await finishWalks(conversation);
  return counts;
}
