// The query that compares experiments input by input, or by groups of inputs. The first one is the baseline.
import { allOf, quoted, quotedName, textOf } from '../../server/clauses.js';

export type Direction = 'all' | 'up' | 'down';

export interface Comparison {
  /** Ids; the first is the baseline. */
  readonly experiments: readonly string[];
  readonly score: string;
  readonly direction: Direction;
  readonly filter: string;
  /** The expression whose values are compared. */
  readonly groupBy: string;
}

export const byInput = 'input';

/** The maximum number of groups; a filter finds others. */
export const groupsMax = 5_000;

const ofExperiment = (id: string, expression: string): string =>
  `experiment_id = ${quoted(id)} ? ${expression} : null`;

const measuresOf = ({ experiments, score }: Comparison): string => {
  const value = `scores.${quotedName(score)}`;
  return experiments
    .flatMap((id, index) => [
      `avg(${ofExperiment(id, value)}) as s${index}`,
      `any_value(${ofExperiment(id, 'id')}) as id${index}`,
      `count(${ofExperiment(id, '1')}) as n${index}`,
      ...(index === 0
        ? []
        : [
            `avg(${ofExperiment(id, value)}) - avg(${ofExperiment(experiments[0]!, value)}) as d${index}`,
          ]),
    ])
    .join(', ');
};

const changes: Readonly<Record<Direction, string>> = { all: '', up: 'd1 > 0', down: 'd1 < 0' };

/** One row per value of `groupBy`, the largest change first. */
export const comparisonQuery = (comparison: Comparison): string =>
  textOf({
    dimensions: `${comparison.groupBy} as value`,
    measures: measuresOf(comparison),
    from: `experiment(${comparison.experiments.map(quoted).join(', ')}) summary`,
    filter: allOf('is_root', comparison.filter) ?? '',
    final_filter: changes[comparison.direction],
    sort: comparison.direction === 'up' ? 'd1 desc, value' : 'd1, value',
    preview_length: '-1',
    limit: String(groupsMax),
  });

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

/** The rows that a comparison of one input shows. */
export const sidesQuery = (experiments: readonly string[], ids: readonly string[]): string =>
  textOf({
    select: shownFields.join(', '),
    from: `experiment(${experiments.map(quoted).join(', ')})`,
    filter: `id in [${ids.map(quoted).join(', ')}]`,
    preview_length: '-1',
  });

const names = (...name: readonly string[]) => ({ op: 'ident', name });

/**
 * The query for all rows of the experiments with the input. It is a JSON query, in which any value can be a constant.
 * @param input JSON text, inserted unchanged
 */
export const trialsQuery = (experiments: readonly string[], input: string): string => {
  const query = JSON.stringify({
    select: shownFields.map((name) => ({ alias: name, expr: names(name) })),
    from: {
      op: 'function',
      name: names('experiment'),
      args: experiments.map((value) => ({ op: 'literal', value })),
    },
    filter: {
      op: 'and',
      children: [
        { op: 'eq', left: names('is_root'), right: { op: 'literal', value: true } },
        { op: 'eq', left: names('input'), right: { op: 'literal', value: 0 } },
      ],
    },
    sort: [{ expr: names('created'), dir: 'asc' }],
    preview_length: -1,
  });
  const at = query.lastIndexOf('"value":0') + '"value":'.length;
  return query.slice(0, at) + input + query.slice(at + 1);
};

export const readDirection = (text: string | null): Direction =>
  text === 'up' || text === 'down' ? text : 'all';
