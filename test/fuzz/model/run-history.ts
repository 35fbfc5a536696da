// One history against the server and the model, from a new project to the end of its last walk.
import { assertNever } from '../../../src/errors.js';
import type { TestServer } from '../../support/start-server.js';
import type { History, Operation } from './arbitrary-history.js';
import { openConversation, type Conversation } from './conversation.js';
import { finishWalks, runAfterTuple, runFetch, runNextPage } from './run-fetch.js';
import { runInsert, runRefusedInsert } from './run-insert.js';
import { runQuery } from './run-query.js';
import { runPurge, runRetention } from './run-removal.js';
import { runSummary } from './run-summary.js';

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
    case 'summary':
      return runSummary(conversation, operation);
    case 'purge':
      return runPurge(conversation, operation);
    case 'retention':
      return runRetention(conversation, operation);
    default:
      return assertNever(operation);
  }
}

/** @throws Mismatch at the first answer that is not the model's */
export async function continueHistory(conversation: Conversation, history: History): Promise<void> {
  for (const operation of history) {
    if (operation === null) continue;
    await runOperation(conversation, operation);
    conversation.count(operation.kind);
  }
  await finishWalks(conversation);
}

export interface FinishedHistory {
  readonly conversation: Conversation;
  /** How often each thing happened. */
  readonly counts: ReadonlyMap<string, number>;
}

/** @throws Mismatch at the first answer that is not the model's */
export async function runHistory(
  server: TestServer,
  history: History,
  fillerRows = 0,
): Promise<FinishedHistory> {
  const counts = new Map<string, number>();
  const count = (what: string) => void counts.set(what, (counts.get(what) ?? 0) + 1);
  const conversation = await openConversation(server, count, fillerRows);
  await continueHistory(conversation, history);
  return { conversation, counts };
}
