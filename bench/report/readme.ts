// Writes the benchmark section of the README.
import { isGenerated, type Results } from '../results.js';
import { timesPlotOf, titleOf } from './report.js';
import { summaryTable } from './summary.js';

const region = /(<!-- benchmark -->\n)[\s\S]*?(<!-- \/benchmark -->)/;

/** The number of cores that other work may use before the section has a warning. */
const quietCores = 0.1;

const warning = ({ machine }: Results): readonly string[] =>
  machine.load.othersCores <= quietCores
    ? []
    : [
        `Other work used ${machine.load.othersCores.toFixed(1)} of the ${machine.cores} cores during the run: ` +
          'the figures are worse and less stable than on an idle machine.',
      ];

const text = (results: Results): string =>
  [
    `${titleOf(results)}; ${results.machine.cores} cores, ${results.machine.memoryGb} GB, ${results.machine.date}:`,
    ...warning(results),
    summaryTable(results),
    `![Times of all contenders](bench/${timesPlotOf(results)})`,
  ].join('\n\n');

/** Shows the largest run of generated events with all contenders. */
export function withBenchmark(readme: string, runs: readonly Results[]): string {
  const generated = runs.filter(isGenerated);
  const most = Math.max(...generated.map(({ contenders }) => contenders.length));
  const shown = generated.findLast(({ contenders }) => contenders.length === most);
  if (shown === undefined) return readme;
  if (!region.test(readme)) throw new Error('README.md: expected the marks of the benchmark');
  return readme.replace(
    region,
    (_, start: string, end: string) => `${start}\n${text(shown)}\n\n${end}`,
  );
}
