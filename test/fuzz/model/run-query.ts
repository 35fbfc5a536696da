// Queries, sent to the server and answered by the model.
import { assertNever } from '../../../src/errors.js';
import { answer } from '../answer.js';
import type { Field } from '../candidate.js';
import { checkRows } from '../check-request.js';
import { queryText } from '../query.js';
import type { Operation } from './arbitrary-history.js';
import {
  checkSnapshot,
  listOf,
  pickVersion,
  readVersions,
  type Conversation,
} from './conversation.js';
import { fieldOf, liveAt, type ModelObject } from './model-server.js';

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

/** No query of a history asks for the time. */
export const setting = { context: { zone: 0, now: 0n }, observe: () => undefined };

export async function runQuery(
  conversation: Conversation,
  { source, query, version: picked }: QueryOperation,
): Promise<void> {
  const { text, objects } = sourceOf(conversation, source);
  const version = pickVersion(conversation, picked);
  const body = { query: queryText(query, text), version: version.sent };
  const what = `query ${JSON.stringify(body)}`;
  const answered = await conversation.server.request('POST', '/query', body);
  const reply = readVersions(conversation, what, answered, [version.xactId]);
  if (reply === null) return;
  const rows = liveAt(objects, version.xactId).map(
    (row): Field =>
      (name) =>
        fieldOf(row, name),
  );
  const expected = answer(query, rows, setting);
  checkRows(what, query, listOf(reply, 'data'), expected, rows);
  checkSnapshot(what, objects, version.xactId, reply.version);
  if (query.filter !== null && expected.rows.length > 0)
    conversation.count('query with a filter and rows');
  if (expected.rows.length > 1) conversation.count(`query of ${query.kind} with several rows`);
  if (picked !== null && expected.rows.length > 0)
    conversation.count('query of a version with rows');
}
