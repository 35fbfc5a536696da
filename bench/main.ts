// npm run bench: one run, its result file, and the report over all result files.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { readOptions, usage } from './options.js';
import { resultsDirectory, writeReport } from './report/write.js';
import { writeResults } from './results.js';
import { runBenchmark } from './run.js';

const bench = fileURLToPath(new URL('..', import.meta.url));

const isWrong = ({ status }: { readonly status: string }) =>
  status === 'wrong' || status === 'failed';

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  const results = await runBenchmark(options, path.join(bench, '..'), (line) =>
    console.error(line),
  );
  const file = await writeResults(resultsDirectory, results);
  console.log(`${file}\n${await writeReport()}`);
  if (results.outcomes.some(isWrong) || results.failures.length > 0) process.exitCode = 1;
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  console.error(usage);
  process.exitCode = 1;
}
