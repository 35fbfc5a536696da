// Cuts a query for all rows of its sources into queries whose rows follow one another, so that a result of any
// size takes up the memory of a part of it.
import { setImmediate as turn } from 'node:timers/promises';
import {
  generateQuery,
  type CompiledQuery,
  type GenerateOptions,
  type PreparedQuery,
} from '../../query/compile.js';
import type { Lookups } from '../../query/lookups.js';
import type { EventRelation } from '../../schema/event-relation.js';
import type { Snapshot, XactRange } from '../../store/event-store.js';

export interface SliceRequest {
  readonly snapshot: Snapshot;
  readonly objectIds: readonly string[];
  readonly prepared: PreparedQuery;
  readonly options: GenerateOptions;
  /** What its filter says of the rows that it reads. */
  readonly lookups: Lookups;
  readonly relation: (lookups: Lookups) => Promise<EventRelation>;
  readonly signal: AbortSignal;
}

/**
 * A filter may leave so few rows that reading the sources part by part would take longer than sorting
 * them, and what was said about events is read as a whole.
 */
const isWhole = ({ objectIds, prepared: { ast, bound, order }, options }: SliceRequest): boolean =>
  // Prompts are not in the store.
  objectIds.length === 0 ||
  order === null ||
  ast.filter !== null ||
  bound.limit !== null ||
  ast.cursor !== null ||
  options.relation.feedback !== undefined;

export const boundsOf = ({ from, to }: XactRange): Lookups => ({
  ...(from === null ? {} : { xactMin: from }),
  ...(to === null ? {} : { xactMax: to }),
});

/** In the order of their rows; only the query itself when it is not cut. */
export async function sliced(
  request: SliceRequest,
  compiled: CompiledQuery,
): Promise<readonly CompiledQuery[]> {
  const { snapshot, objectIds, prepared, options, signal } = request;
  if (isWhole(request)) return [compiled];
  const isOldestFirst = prepared.order === 'oldest';
  // Within a transaction, rows are in the same order either way.
  const cut = { objectIds, keepsTransactions: isOldestFirst };
  const newestFirst = await snapshot.slices(cut, { lane: 'lookup', signal });
  if (newestFirst === null) return [compiled];
  const queries: CompiledQuery[] = [];
  for (const slice of isOldestFirst ? newestFirst.toReversed() : newestFirst) {
    const relation = snapshot.liveIn(objectIds, slice);
    queries.push(generateQuery(prepared, { ...options, relation }));
    await turn();
  }
  return queries;
}
