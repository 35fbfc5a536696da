// Answers counts without reading the branches whose number of rows is known.
import { sql, type Sql } from '../../duckdb/sql.js';
import type { EventRelation } from '../../schema/event-relation.js';
import type { Aggregation } from '../value/aggregates.js';
import type { AggregateExpr } from '../bound/bound-query.js';
import type { GroupPlan, Plan } from './plan.js';
import { createBranchColumns } from './branch-columns.js';

export interface Counted {
  /** The branches that have to be read. */
  readonly relation: EventRelation;
  /** The number of rows in all other branches. */
  readonly rows: number;
}

/** Whether the result depends only on the number of rows. */
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

/** Separates the branches whose row count is known from the others. */
export function countedApart(relation: EventRelation): Counted {
  const counts = relation.branches.map(({ rowCount }) => rowCount ?? null);
  return {
    relation: { branches: relation.branches.filter((_, index) => counts[index] === null) },
    rows: counts.reduce<number>((sum, count) => sum + (count ?? 0), 0),
  };
}

export const withRows = (aggregation: Aggregation, rows: number): Aggregation =>
  rows === 0 ? aggregation : { ...aggregation, sql: sql`(${aggregation.sql} + ${BigInt(rows)})` };

/** SELECT of the number of rows. */
export function recordCount(relation: EventRelation): Sql {
  const { relation: uncounted, rows } = countedApart(relation);
  return sql`SELECT count(*) + ${BigInt(rows)} FROM ${createBranchColumns(uncounted).from()}`;
}
