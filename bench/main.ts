// npm run bench: one run, its result file, and the report over all result files.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { readOptions, usage } from './options.js';
import { reportText } from './report/report.js';
import { readResults, writeFormatted, writeResults } from './results.js';
import { runBenchmark } from './run.js';

const bench = fileURLToPath(new URL('..', import.meta.url));
const resultsDirectory = path.join(bench, 'results');

const isWrong = ({ status }: { readonly status: string }) =>
  status === 'wrong' || status === 'failed';

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  const results = await runBenchmark(options, path.join(bench, '..'), (line) =>
    console.error(line),
  );
  const file = await writeResults(resultsDirectory, results);
  const report = path.join(bench, 'REPORT.md');
  await writeFormatted(report, reportText(await readResults(resultsDirectory)));
  console.log(`${file}\n${report}`);
  if (results.outcomes.some(isWrong)) process.exitCode = 1;
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  console.error(usage);
  process.exitCode = 1;
}
