// The questions, asked of the server and of the cluster.
import type { AnswerRow } from '../contenders/contender.js';
import { difference } from '../questions/compare-answers.js';
import type { StoreServer } from '../store/server.js';
import type { BenchBucket } from './bucket.js';
import { costOfRounds, type Answered, type Cost } from './measure.js';
import { clusterQuestions, textOf, type ClusterQuestion } from './questions.js';
import type { Trino } from './trino.js';

/** The answer of the server to a question, as the statement of a cluster would give it: JSON as text. */
async function askServer(
  { client, projectId }: StoreServer,
  question: ClusterQuestion,
): Promise<readonly AnswerRow[]> {
  const body = JSON.stringify({ query: textOf(question, projectId) });
  const { data } = (await client.post('/query', body)) as { readonly data: readonly AnswerRow[] };
  return data.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        question.columns[name] === 'json' && value !== null ? JSON.stringify(value) : value,
      ]),
    ),
  );
}

interface Explained {
  readonly cluster: { readonly sql: string | null; readonly reason: string | null };
}

const explain = async ({ client, projectId }: StoreServer, question: ClusterQuestion) => {
  const body = JSON.stringify({ query: textOf(question, projectId), explain: true });
  return ((await client.post('/query', body)) as Explained).cluster;
};

async function askTrino(trino: Trino, sql: string, question: ClusterQuestion) {
  const names = Object.keys(question.columns);
  const rows = await trino.rows(sql);
  return rows.map((cells): AnswerRow =>
    Object.fromEntries(names.map((name, at) => [name, cells[at]])),
  );
}

/** Each question of the server in turn. */
export async function askAll(
  server: StoreServer,
  cost: (ask: () => Promise<readonly AnswerRow[]>) => Promise<Answered>,
): Promise<readonly Answered[]> {
  const answers: Answered[] = [];
  for (const question of clusterQuestions) {
    answers.push(await cost(() => askServer(server, question)));
    console.error(`  ${question.title}: ${answers.at(-1)!.cost.seconds.toFixed(2)} s`);
  }
  return answers;
}

/** Of a question that the cluster answers, or declines. */
export interface OfTrino {
  readonly trino: Cost | null;
  /** Why the cluster does not answer it. */
  readonly declined: string | null;
  /** How its answer differs from the server's. */
  readonly wrong: string | null;
}

/** The statements that the server would send. `expected` has its own answers. */
export async function askCluster(
  server: StoreServer,
  bucket: BenchBucket,
  trino: Trino,
  rounds: number,
  expected: readonly Answered[],
): Promise<readonly OfTrino[]> {
  const explained = await Promise.all(
    clusterQuestions.map((question) => explain(server, question)),
  );
  // Java compiles what it has run often.
  for (const { sql } of explained) if (sql !== null) await trino.rows(sql);
  const results: OfTrino[] = [];
  for (const [at, question] of clusterQuestions.entries()) {
    const { sql, reason } = explained[at]!;
    if (sql === null) {
      results.push({ trino: null, declined: reason, wrong: null });
      continue;
    }
    const { rows, cost } = await costOfRounds({ ...trino, bucket }, rounds, () =>
      askTrino(trino, sql, question),
    );
    console.error(`  ${question.title}: ${cost.seconds.toFixed(2)} s`);
    const { rows: ours } = expected[at]!;
    // Of a page, the statement has one row more.
    const wrong = difference(question, ours, rows.slice(0, ours.length));
    results.push({ trino: cost, declined: null, wrong });
  }
  return results;
}
