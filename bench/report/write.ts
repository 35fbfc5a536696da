// Result files -> REPORT.md, its plots, and the table of the README.
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { readResults, writeFormatted } from '../results.js';
import { loadPlot, timesPlot } from './plots.js';
import { withBenchmark } from './readme.js';
import { loadPlotOf, reportText, timesPlotOf } from './report.js';

const bench = fileURLToPath(new URL('../..', import.meta.url));

export const resultsDirectory = path.join(bench, 'results');

/** The section that `npm run bench -- cluster` writes. */
export const clusterResult = path.join(resultsDirectory, 'cluster.md');

/** Returns the path of the report. */
export async function writeReport(): Promise<string> {
  const runs = await readResults(resultsDirectory);
  for (const run of runs) {
    await writeFile(path.join(bench, timesPlotOf(run)), timesPlot(run));
    await writeFile(path.join(bench, loadPlotOf(run)), loadPlot(run));
  }
  const notes = new Map<string, string>();
  for (const { name } of runs) {
    const file = path.join(resultsDirectory, `${name}.md`);
    notes.set(name, await readFile(file, 'utf8').catch(() => ''));
  }
  const report = path.join(bench, 'REPORT.md');
  await writeFormatted(
    report,
    reportText(runs, notes, await readFile(clusterResult, 'utf8').catch(() => '')),
  );
  const readme = path.join(bench, '..', 'README.md');
  await writeFormatted(readme, withBenchmark(await readFile(readme, 'utf8'), runs));
  return report;
}
