// npm run demo [-- FILE]: logs an evaluation into a running server and prints what one query says of it.
import { connect, type Client } from './client.js';
import { loadProblems } from './load.js';
import { readProblems, sampleProblems } from './problems.js';

interface Standing {
  readonly model: string;
  readonly method: string;
  readonly count: number;
  readonly correct: number;
  readonly mean: number;
}

async function readStandings(client: Client, experimentIds: readonly string[]) {
  const query = [
    'dimensions: metadata.model as model, metadata.method as method',
    'measures: count(*) as count, sum(scores.correct) as correct, avg(scores.correct) as mean',
    `from: experiment(${experimentIds.map((id) => `'${id}'`).join(', ')})`,
    'sort: mean',
  ].join('\n');
  console.log(`${query}\n`);
  const { data } = await client.post<{ data: readonly Standing[] }>('/query', { query });
  return data;
}

function printStandings(standings: readonly Standing[]): void {
  const lines = standings.map(({ model, method, count, correct, mean }) => [
    model,
    method,
    String(count),
    String(correct),
    mean.toFixed(5),
  ]);
  const table = [['model', 'method', 'count', 'correct', 'mean'], ...lines];
  const widths = [0, 1, 2, 3, 4].map((column) =>
    Math.max(...table.map((cells) => cells[column]?.length ?? 0)),
  );
  for (const cells of table)
    console.log(
      cells
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
}

const url = process.env['EVALSTORE_URL'] ?? 'http://127.0.0.1:8000';
const key = process.env['EVALSTORE_API_KEY'];
const file = process.argv[2];

try {
  if (key === undefined)
    throw new Error('set EVALSTORE_API_KEY to the key that the server printed at its first start');
  const client = connect(url, key);
  const problems = file === undefined ? sampleProblems() : await readProblems(file);
  const projectName = file === undefined ? 'sample' : 'gsm8k';
  const ids = await loadProblems(client, projectName, problems, (line) => console.error(line));
  printStandings(await readStandings(client, ids));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
