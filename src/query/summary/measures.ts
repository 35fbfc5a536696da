// The measures of an experiment's summary: stored scores and metrics, and metrics that are computed per trace.
import { numbered, sql, type Sql } from '../../duckdb/sql.js';
import type { EventRelation } from '../../schema/event-relation.js';
import { createBranchColumns } from '../sql/branch-columns.js';
import { computedMetrics, knownMetrics, type RowsOfTrace } from '../sql/trace-metrics.js';
import { finite } from '../value/finite.js';
import type { TraceShape } from './trace-shape.js';

/** An entry of a summary. */
export interface Measure {
  readonly kind: 'score' | 'metric';
  readonly name: string;
  /** The unit of its values: seconds, tokens, or none. */
  readonly unit: 's' | 'tok' | '';
}

export interface MemberName {
  readonly column: 'scores' | 'metrics';
  readonly name: string;
}

export interface MeasuredTrace extends Measure {
  /** DOUBLE over the rows of a trace, finite if computed; null if it is 0 for every trace. */
  readonly value: Sql | null;
}

const units: Readonly<Record<string, Measure['unit']>> = {
  duration: 's',
  prompt_tokens: 'tok',
  completion_tokens: 'tok',
  total_tokens: 'tok',
};

/** Returns the computed metrics, without those that no row can have. */
export function computedMeasures(
  relation: EventRelation,
  rows: RowsOfTrace,
  { hasErrors }: TraceShape,
) {
  const { field } = createBranchColumns(relation);
  const isStored = (name: string) => field('metrics', [name]).kinds.includes('number');
  const hasTypes = field('span_attributes', ['type']).kinds.includes('string');
  const isMade: Readonly<Record<string, boolean>> = {
    duration: isStored('start') && isStored('end'),
    prompt_tokens: isStored('prompt_tokens'),
    completion_tokens: isStored('completion_tokens'),
    total_tokens: ['total_tokens', 'tokens', 'prompt_tokens'].some(isStored),
  };
  const isCounted: Readonly<Record<string, boolean>> = {
    llm_calls: hasTypes,
    tool_calls: hasTypes,
    errors: hasErrors,
  };
  return Object.entries(computedMetrics(rows))
    .filter(([name]) => isMade[name] !== false)
    .map(([name, value]): MeasuredTrace => ({
      kind: 'metric',
      name,
      unit: units[name] ?? '',
      // One infinite value would make the mean over traces infinite.
      value: isCounted[name] === false ? null : finite(value),
    }));
}

/** Returns the stored measures: a number per row, and its mean per trace. */
export function storedMeasures(members: readonly MemberName[], rows: RowsOfTrace) {
  const own = members.filter(
    ({ column: of, name }) => of === 'scores' || !knownMetrics.includes(name),
  );
  return own.map(({ column: of, name }, index) => {
    const kind: Measure['kind'] = of === 'scores' ? 'score' : 'metric';
    const number = numbered('n', index);
    const value = rows.mean(of === 'scores' ? number : sql`CASE WHEN _counted THEN ${number} END`);
    return { of, number, measure: { kind, name, unit: '', value } as const };
  });
}

export type StoredMeasures = ReturnType<typeof storedMeasures>;
