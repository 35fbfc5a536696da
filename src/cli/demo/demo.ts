// `evalstore demo`: logs an evaluation to a running server, and prints a query and the summaries of it.
import { connect, type Client } from '../connection.js';
import type { Context } from '../context.js';
import { loadProblems, type Loaded } from './load.js';
import { readProblems, sampleProblems } from './problems.js';
import { formatTable } from '../table.js';

interface Standing {
  readonly model: string;
  readonly method: string;
  readonly count: number;
  readonly correct: number;
  readonly mean: number;
}

interface Comparison {
  readonly comparison_experiment_name: string;
  readonly scores: { readonly correct: CorrectSummary };
  readonly score_stats: { readonly correct: CorrectStatistics };
}

interface CorrectSummary {
  readonly score: number;
  readonly diff?: number;
  readonly improvements: number;
  readonly regressions: number;
}

interface CorrectStatistics {
  readonly diff_low?: number;
  readonly diff_high?: number;
}

/** Formats a number that is absent if there are too few problems. */
const digits = (value: number | undefined): string => value?.toFixed(5) ?? 'unknown';

/** One query over all experiments. */
async function printStandings(
  client: Client,
  experiments: readonly Loaded[],
  print: Context['print'],
): Promise<void> {
  const query = [
    'dimensions: metadata.model as model, metadata.method as method',
    'measures: count(*) as count, sum(scores.correct) as correct, avg(scores.correct) as mean',
    `from: experiment(${experiments.map(({ id }) => `'${id}'`).join(', ')})`,
    'sort: mean',
  ].join('\n');
  const { data } = await client.post<{ data: readonly Standing[] }>('/query', { query });
  const lines = data.map(({ model, method, count, correct, mean }) => [
    model,
    method,
    String(count),
    String(correct),
    digits(mean),
  ]);
  print(`${query}\n`);
  print(formatTable(['model', 'method', 'count', 'correct', 'mean'], lines));
}

async function summaryLine(client: Client, { id, name }: Loaded): Promise<readonly string[]> {
  const summary = await client.get<Comparison>(
    `/v1/experiment/${id}/summarize?summarize_scores=true`,
  );
  const { score, diff, improvements, regressions } = summary.scores.correct;
  const { diff_low, diff_high } = summary.score_stats.correct;
  return [
    name,
    summary.comparison_experiment_name,
    ...[score, diff].map(digits),
    [diff_low, diff_high].map(digits).join(' to '),
    ...[improvements, regressions].map(String),
  ];
}

/** Compares each experiment with the first one of its model. */
async function printComparisons(
  client: Client,
  experiments: readonly Loaded[],
  print: Context['print'],
): Promise<void> {
  const lines = [];
  for (const experiment of experiments.filter(({ base }) => base !== null))
    lines.push(await summaryLine(client, experiment));
  const head = ['experiment', 'compared with', 'score', 'diff', '95 % interval of diff'];
  print('\nGET /v1/experiment/{experiment_id}/summarize?summarize_scores=true\n');
  print(formatTable([...head, 'improvements', 'regressions'], lines));
}

/**
 * @param file the file of grade-school-math; undefined for a small sample
 * @throws as `connect`; Error for a line of the file that is not a problem
 */
export async function runDemo({ print, note, ...context }: Context, file?: string): Promise<void> {
  const client = connect(context);
  const problems = file === undefined ? sampleProblems() : await readProblems(file);
  const projectName = file === undefined ? 'sample' : 'gsm8k';
  const experiments = await loadProblems(client, projectName, problems, note);
  await printStandings(client, experiments, print);
  await printComparisons(client, experiments, print);
}
