// Results -> the part of the README that shows them.
import { isGenerated, type Results } from '../results.js';
import { timesPlotOf, titleOf } from './report.js';
import { summaryTable } from './summary.js';

const region = /(<!-- benchmark -->\n)[\s\S]*?(<!-- \/benchmark -->)/;

/** Cores that others may use before the figures say more about them. */
const quietCores = 0.1;

const warning = ({ machine }: Results): readonly string[] =>
  machine.load.othersCores <= quietCores
    ? []
    : [
        `Other work used ${machine.load.othersCores.toFixed(1)} of the ${machine.cores} cores meanwhile: ` +
          'the figures are worse and less even than those of a machine at rest.',
      ];

const text = (results: Results): string =>
  [
    `${titleOf(results)}; ${results.machine.cores} cores, ${results.machine.memoryGb} GB, ${results.machine.date}:`,
    ...warning(results),
    summaryTable(results),
    `![Times of all contenders](bench/${timesPlotOf(results)})`,
  ].join('\n\n');

/** Of the largest run of generated events in which all contenders took part. */
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
