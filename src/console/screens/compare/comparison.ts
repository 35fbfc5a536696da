// The query that compares experiments input by input, or by groups of inputs. The first one is the baseline.
import { allOf, quoted, quotedName, textOf } from '../../server/clauses.js';
import { isValue } from '../rows/view.js';

export type Direction = 'all' | 'up' | 'down';

export interface Comparison {
  /** Ids; the first is the baseline. */
  readonly experiments: readonly string[];
  /** The id of the experiment by whose changes the inputs are sorted and selected; not the baseline. */
  readonly changed: string;
  /** Empty if the experiments have no scores. */
  readonly score: string;
  readonly direction: Direction;
  /** A condition on the roots. */
  readonly filter: string;
  /** A condition on whole traces, such as on a metric. */
  readonly traceFilter: string;
  /** Null for the latest. */
  readonly version: string | null;
  /** The expression whose values are compared. */
  readonly groupBy: string;
}

export const byInput = 'input';

/** The maximum number of groups; a filter finds others. */
export const groupsMax = 5_000;

const ofExperiment = (id: string, expression: string): string =>
  `experiment_id = ${quoted(id)} ? ${expression} : null`;

const measuresOf = ({ experiments, score }: Comparison): string => {
  const mean = (id: string) => `avg(${ofExperiment(id, `scores.${quotedName(score)}`)})`;
  return experiments
    .flatMap((id, index) => [
      `min(${ofExperiment(id, 'id')}) as id${index}`,
      `count(${ofExperiment(id, '1')}) as n${index}`,
      ...(score === '' ? [] : [`${mean(id)} as s${index}`]),
      ...(score === '' || index === 0
        ? []
        : [`${mean(id)} - ${mean(experiments[0]!)} as d${index}`]),
    ])
    .join(', ');
};

const changeOf = ({ experiments, changed }: Comparison): string =>
  `d${experiments.indexOf(changed)}`;

const changesOf = (comparison: Comparison): string => {
  const { score, direction } = comparison;
  if (score === '' || direction === 'all') return '';
  return `${changeOf(comparison)} ${direction === 'up' ? '>' : '<'} 0`;
};

const orderOf = (comparison: Comparison): string => {
  if (comparison.score === '') return 'value';
  return `${changeOf(comparison)}${comparison.direction === 'up' ? ' desc' : ''}, value`;
};

/** One row per value of `groupBy`, the largest change first. */
export const comparisonQuery = (comparison: Comparison): string =>
  textOf({
    dimensions: `${comparison.groupBy} as value`,
    measures: measuresOf(comparison),
    from: `experiment(${comparison.experiments.map(quoted).join(', ')}) summary`,
    filter: allOf('is_root', comparison.filter) ?? '',
    trace_filter: comparison.traceFilter,
    final_filter: changesOf(comparison),
    sort: orderOf(comparison),
    preview_length: '-1',
    limit: String(groupsMax),
  });

/** Whether whole traces have other values of an expression than their roots. */
const differsInTraces = (expression: string): boolean => /\b(scores|metrics)\b/.test(expression);

/** The changes of the URL that select the inputs of a group. Scores and metrics are those of whole traces, as in the list of groups. */
export function withGroup(
  { filter, traceFilter, groupBy }: Comparison,
  raw: string,
): Readonly<Record<string, string>> {
  const condition = isValue(groupBy, raw);
  return differsInTraces(groupBy)
    ? { g: allOf(traceFilter, condition) ?? '' }
    : { f: allOf(filter, condition) ?? '' };
}

const shownFields = [
  'id',
  'experiment_id',
  'root_span_id',
  'input',
  'output',
  'expected',
  'error',
  'scores',
];

/**
 * The rows that a comparison of one input shows, with the scores of whole traces.
 * @param ids the row of each experiment, null if it has none. Other experiments may have rows with the same id.
 */
export const sidesQuery = (
  experiments: readonly string[],
  ids: readonly (string | null)[],
): string =>
  textOf({
    select: shownFields.join(', '),
    from: `experiment(${experiments.map(quoted).join(', ')}) summary`,
    filter: experiments
      .flatMap((experiment, place) => {
        const id = ids[place] ?? null;
        return id === null
          ? []
          : [`(experiment_id = ${quoted(experiment)} and id = ${quoted(id)})`];
      })
      .join(' or '),
    preview_length: '-1',
  });

/** The names of all scores of the experiments. */
export const scoresQuery = (experiments: readonly string[]): string =>
  textOf({
    dimensions: 'score',
    measures: 'count(value) as n',
    from: `experiment(${experiments.map(quoted).join(', ')})`,
    unpivot: 'scores as (score, value)',
    final_filter: 'n > 0',
    sort: 'score',
  });

/** The number of rows of the experiments that were written after a version. */
export const newerQuery = (experiments: readonly string[], version: string): string =>
  textOf({
    measures: 'count(*) as n',
    from: `experiment(${experiments.map(quoted).join(', ')})`,
    filter: `_xact_id > ${quoted(version)}`,
  });

const names = (...name: readonly string[]) => ({ op: 'ident', name });

/**
 * The query for all traces of the experiments with the input. It is a JSON query, in which any value can be a constant.
 * @param input JSON text, inserted unchanged
 * @param conditions on the roots and on whole traces; empty for all
 */
export const trialsQuery = (
  experiments: readonly string[],
  input: string,
  { filter, traceFilter }: Pick<Comparison, 'filter' | 'traceFilter'>,
): string => {
  const query = JSON.stringify({
    select: shownFields.map((name) => ({ alias: name, expr: names(name) })),
    from: {
      op: 'function',
      name: names('experiment'),
      args: experiments.map((value) => ({ op: 'literal', value })),
      shape: 'summary',
    },
    filter: {
      op: 'and',
      children: [
        { btql: allOf('is_root', filter) },
        // Unlike equality, it is true for a row without input if the value is null.
        { op: 'is', left: names('input'), right: { op: 'literal', value: 0 } },
      ],
    },
    ...(traceFilter === '' ? {} : { trace_filter: { btql: traceFilter } }),
    sort: [{ expr: names('created'), dir: 'asc' }],
    preview_length: -1,
  });
  const at = query.lastIndexOf('"value":0') + '"value":'.length;
  return query.slice(0, at) + input + query.slice(at + 1);
};

export const readDirection = (text: string | null): Direction =>
  text === 'up' || text === 'down' ? text : 'all';
