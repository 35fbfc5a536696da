// Queries, sent to the server and answered by the model.
import { assertNever } from '../../src/errors.js';
import type { Operation } from './arbitrary-history.js';
import {
  checkSnapshot,
  listOf,
  Mismatch,
  pickVersion,
  readReply,
  type Conversation,
} from './conversation.js';
import { answer, isExpected, type ExpectedRow } from './model-query.js';
import { fieldOf, liveAt, type ModelObject } from './model-server.js';
import { queryText } from './query.js';
import { isObject, type Tagged } from './tagged-json.js';

type QueryOperation = Extract<Operation, { kind: 'query' }>;

interface Source {
  readonly text: string;
  readonly objects: readonly ModelObject[];
}

const named = (chosen: readonly ModelObject[]): Source => ({
  text: `experiment(${chosen.map(({ id }) => `'${id}'`).join(', ')})`,
  objects: chosen,
});

function sourceOf({ projectId, objects }: Conversation, source: QueryOperation['source']): Source {
  const experiments = objects.filter(({ kind }) => kind === 'experiment');
  switch (source) {
    case 'experiment':
      return named(experiments.slice(0, 1));
    case 'experiments':
      return named(experiments);
    case 'project_logs':
      return { text: `project_logs('${projectId}')`, objects: objects.slice(0, 1) };
    case 'project':
      return { text: `project('${projectId}')`, objects };
    default:
      return assertNever(source);
  }
}

export async function runQuery(
  conversation: Conversation,
  { source, query, version: picked }: QueryOperation,
): Promise<void> {
  const { text, objects } = sourceOf(conversation, source);
  const version = pickVersion(conversation, picked);
  const body = { query: queryText(query, text), version: version.sent };
  const what = `query ${JSON.stringify(body)}`;
  const reply = readReply(what, await conversation.server.request('POST', '/query', body));
  const expected = answer(
    query,
    liveAt(objects, version.xactId).map((row) => (name) => fieldOf(row, name)),
  );
  checkRows(what, listOf(reply, 'data'), expected);
  checkSnapshot(what, objects, version.xactId, reply.version);
  if (expected.length > 1) conversation.count(`query of ${query.kind} with several rows`);
  if (picked !== null) conversation.count('query of a version');
}

function checkRows(what: string, shown: readonly Tagged[], expected: readonly ExpectedRow[]): void {
  const isSame = (row: ExpectedRow, index: number) => isExpectedRow(row, shown[index] ?? null);
  if (shown.length === expected.length && expected.every(isSame)) return;
  const place = expected.findIndex((row, index) => !isSame(row, index));
  throw new Mismatch(
    `${what}: ${shown.length} rows for ${expected.length}, first difference in row ${place}\n  server: ${JSON.stringify(shown)}\n  model:  ${JSON.stringify(expected.map((row) => row.map(({ value }) => value)))}`,
  );
}

function isExpectedRow(expected: ExpectedRow, shown: Tagged): boolean {
  if (!isObject(shown)) return false;
  const names = expected.map((_, index) => `sc${index}`);
  return (
    Object.keys(shown).join() === names.join() &&
    expected.every((value, index) => isExpected(value, shown[`sc${index}`] ?? null))
  );
}
