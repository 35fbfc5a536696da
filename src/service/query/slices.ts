// Divides a query for all rows of its sources into slices, so that a result of any size needs the memory of one slice. The rows of
// the slices, concatenated, are those of the query, in its order.
import {
  generateQuery,
  type CompiledQuery,
  type GenerateOptions,
  type PreparedQuery,
} from '../../query/compile.js';
import type { FilterBounds } from '../../query/filter-bounds.js';
import type { EventRelation } from '../../schema/event-relation.js';
import type { XactRange } from '../../store/event-store.js';
import type { Reading } from './read-rows.js';

export interface SliceRequest extends Reading {
  readonly prepared: PreparedQuery;
  readonly options: GenerateOptions;
  /** Bounds that the filter implies. */
  readonly bounds: FilterBounds;
  readonly relation: (bounds: FilterBounds) => Promise<EventRelation>;
}

/**
 * Whether the query runs undivided. With a filter, few rows may remain, and reading them slice by slice would take longer than
 * sorting them. Feedback is read as a whole, and `infer` counts in all rows. Rows of the catalog have no slices.
 */
const isWhole = ({ objectIds, prepared: { ast, bound, order }, options }: SliceRequest): boolean =>
  objectIds.length === 0 ||
  order === null ||
  ast.infer !== null ||
  ast.filter !== null ||
  bound.limit !== null ||
  ast.cursor !== null ||
  options.relation.feedback !== undefined;

export const boundsOf = ({ from, to }: XactRange): FilterBounds => ({
  ...(from === null ? {} : { xactMin: from }),
  ...(to === null ? {} : { xactMax: to }),
});

/** Compiles the query for its slice when this is read: all compiled slices at once can take gigabytes. */
export type CompiledSlice = () => CompiledQuery;

/** The slices in the order of their rows; only `compiled` if the query is not divided. */
export async function sliced(
  request: SliceRequest,
  compiled: CompiledQuery,
): Promise<readonly CompiledSlice[]> {
  const { snapshot, objectIds, prepared, options, signal } = request;
  if (isWhole(request)) return [() => compiled];
  const isOldestFirst = prepared.order === 'oldest';
  // The order within a transaction is the same in both orders, so slices in ascending order must not divide one.
  const slicing = { objectIds, keepsTransactions: isOldestFirst };
  const newestFirst = await snapshot.slices(slicing, { lane: 'small', signal });
  if (newestFirst === null) return [() => compiled];
  const slices = isOldestFirst ? newestFirst.toReversed() : newestFirst;
  return slices.map(
    (slice) => () =>
      generateQuery(prepared, { ...options, relation: snapshot.liveIn(objectIds, slice) }),
  );
}
