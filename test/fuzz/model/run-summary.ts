// Summaries of experiments: means over traces of the means of their rows.
import { summariesOf } from '../summary.js';
import type { Operation } from './arbitrary-history.js';
import { expectSame, pathOf, pickObject, readReply, type Conversation } from './conversation.js';
import { fieldOf, latest, liveAt, memberOf } from './model-server.js';
import { byCodePoint, doubleOf, isObject, type Tagged } from './tagged-json.js';

/** Digits that do not depend on the order of additions. */
const digits = 12;

const shown = (scores: Iterable<readonly [string, number, number]>) =>
  [...scores]
    .map(([name, mean, count]) => [name, mean.toPrecision(digits), count] as const)
    .toSorted(([left], [right]) => byCodePoint(left, right));

const membersOf = (value: Tagged | undefined) =>
  Object.entries(isObject(value ?? null) ? (value as object) : {}) as [string, Tagged][];

export async function runSummary(
  conversation: Conversation,
  { object: picked }: Extract<Operation, { kind: 'summary' }>,
): Promise<void> {
  const object = pickObject(conversation, picked);
  const path = `${pathOf(object)}/summarize?summarize_scores=true`;
  const { body } = readReply(path, await conversation.server.request('GET', path));
  const values = new Map<string, number[]>();
  const rows = liveAt([object], latest).map((row) => (name: string) => fieldOf(row, name));
  for (const trace of summariesOf(rows))
    for (const [name, value] of membersOf(trace('scores')))
      values.set(name, [...(values.get(name) ?? []), doubleOf(value)!]);
  const expected = [...values].map(
    ([name, all]) =>
      [name, all.reduce((sum, each) => sum + each, 0) / all.length, all.length] as const,
  );
  const answered = membersOf(body['scores']).map(
    ([name, score]) =>
      [
        name,
        doubleOf(memberOf(score, 'score'))!,
        doubleOf(memberOf(memberOf(body['score_stats'] ?? null, name.slice(1)), 'count'))!,
      ] as const,
  );
  expectSame(`GET ${path}`, shown(answered), shown(expected));
  if (expected.length > 0) conversation.count('summary with scores');
}
