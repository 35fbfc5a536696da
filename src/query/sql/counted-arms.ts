// Counts of all rows without reading those of which the store knows how many there are.
import { sql } from '../../duckdb/sql.js';
import type { EventRelation } from '../../schema/event-relation.js';
import type { Aggregation } from '../value/aggregates.js';
import type { AggregateExpr } from '../bind/bound.js';
import type { GroupPlan, Plan } from './plan.js';

export interface Counted {
  /** What is left to be read. */
  readonly relation: EventRelation;
  /** The rows of all other arms. */
  readonly rows: number;
}

/** Whether every row, and nothing of it but that it is there, makes up the result. */
const countsRows = (plan: Plan): plan is GroupPlan =>
  plan.kind === 'groups' &&
  plan.shape === 'spans' &&
  plan.keys.length === 0 &&
  plan.filter === null &&
  plan.sample === null &&
  plan.unpivots.length === 0 &&
  plan.aggregates.every(countsRow);

const countsRow = ({ name, args }: AggregateExpr): boolean =>
  name === 'count' && args.every((arg) => arg.kind === 'literal' && arg.value !== null);

export function withoutCounted(plan: Plan, relation: EventRelation): Counted {
  return countsRows(plan) ? countedApart(relation) : { relation, rows: 0 };
}

/** The arms whose rows are known by number, apart from the others. */
export function countedApart(relation: EventRelation): Counted {
  const counts = relation.arms.map(({ rowCount }) => rowCount ?? null);
  return {
    relation: { arms: relation.arms.filter((_, index) => counts[index] === null) },
    rows: counts.reduce<number>((sum, count) => sum + (count ?? 0), 0),
  };
}

export const withRows = (aggregation: Aggregation, rows: number): Aggregation =>
  rows === 0 ? aggregation : { ...aggregation, sql: sql`(${aggregation.sql} + ${BigInt(rows)})` };
