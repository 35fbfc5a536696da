// The tables of the questions of a run.
import type { AskedQuestion, Results } from '../results.js';
import { table, titled, type Cell } from './markdown.js';
import { analyticMean, fastestOf, meanRatio, medianOf, ratioTo, type TimeOf } from './ratios.js';

const rivals = ({ contenders }: Results) => contenders.filter(({ name }) => name !== 'evalstore');

const meanTitle = '**geometric mean of the analytic questions**';
const fastestTitle = 'geometric mean of their fastest rounds';

/** A time, or the reason why there is none. */
function timeCell(results: Results, contender: string, { name }: AskedQuestion): Cell {
  const outcome = results.outcomes.find(
    (each) => each.contender === contender && each.question === name,
  );
  return outcome?.median ?? outcome?.status ?? null;
}

/** The last two rows of a table of questions. */
const meanRows = (
  names: readonly string[],
  meanOf: (name: string, timeOf: TimeOf) => number | null,
): readonly (readonly Cell[])[] => [
  titled(
    meanTitle,
    names.map((name) => meanOf(name, medianOf)),
  ),
  titled(
    fastestTitle,
    names.map((name) => meanOf(name, fastestOf)),
  ),
];

/** Medians in milliseconds. */
export function timeTable(results: Results): string {
  const others = rivals(results);
  const names = ['evalstore', ...others.map(({ name }) => name)];
  const rows = results.questions.map((question) =>
    titled(
      question.title,
      names.map((name) => timeCell(results, name, question)),
    ),
  );
  const means = meanRows(names, (name, timeOf) =>
    analyticMean(results, (question) => timeOf(results, name, question)),
  );
  return table(
    ['Question, ms', 'Evalstore', ...others.map(({ title }) => title)],
    [...rows, ...means],
  );
}

/** Evalstore's time divided by that of each other contender. */
export function ratioTable(results: Results): string {
  const others = rivals(results);
  const names = others.map(({ name }) => name);
  const rows = results.questions.map((question) =>
    titled(
      question.title,
      names.map((name) => ratioTo(results, name, question.name)),
    ),
  );
  const means = meanRows(names, (name, timeOf) => meanRatio(results, name, timeOf));
  return table(['Evalstore to', ...others.map(({ title }) => title)], [...rows, ...means]);
}

/** The questions without a time, with the reason. */
export function refusals({ outcomes, absent, failures }: Results): string | null {
  const lines = outcomes
    .filter(({ status }) => status !== 'answered')
    .map(
      ({ contender, question, status, reason }) =>
        `- ${contender}, ${question}: ${status}: ${reason ?? ''}`,
    );
  const missing = Object.entries(absent).map(([name, reason]) => `- ${name}: absent: ${reason}`);
  const all = [...lines, ...missing, ...failures.map((failure) => `- ${failure}`)];
  return all.length === 0 ? null : ['Not measured:', '', ...all].join('\n');
}

/** The analytic questions that another contender answers faster. */
export function losses(results: Results, contender: string): string | null {
  const lost = results.questions
    .filter(({ group }) => group === 'analytic')
    .map(({ title, name }) => ({ title, ratio: ratioTo(results, contender, name) }))
    .filter(({ ratio }) => ratio !== null && ratio > 1);
  const { title } = results.contenders.find(({ name }) => name === contender) ?? {};
  if (title === undefined) return null;
  const list = lost.map(({ title: question, ratio }) => `${question} (${ratio!.toFixed(1)})`);
  return `${title} is faster in ${lost.length} analytic questions${lost.length === 0 ? '' : `: ${list.join('; ')}`}.`;
}
