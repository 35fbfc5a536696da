// Divides a query for all rows of its sources into chunks, so that a result of any size needs the memory of one chunk. The rows of
// the chunks, concatenated, are those of the query, in its order.
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

export interface ChunkRequest extends Reading {
  readonly prepared: PreparedQuery;
  readonly options: GenerateOptions;
  /** Bounds that the filter implies. */
  readonly bounds: FilterBounds;
  readonly relation: (bounds: FilterBounds) => Promise<EventRelation>;
}

/**
 * Whether the query runs undivided. With a filter, few rows may remain, and reading them chunk by chunk would take longer than
 * sorting them. Feedback is read as a whole, and `infer` counts in all rows. Rows of the catalog have no chunks.
 */
const isWhole = ({
  snapshot,
  objectIds,
  prepared: { ast, bound, order },
  options,
}: ChunkRequest): boolean =>
  objectIds.length === 0 ||
  order === null ||
  ast.infer !== null ||
  ast.filter !== null ||
  bound.limit !== null ||
  ast.cursor !== null ||
  options.relation.feedback !== undefined ||
  !snapshot.isLong(objectIds);

export const boundsOf = ({ from, to }: XactRange): FilterBounds => ({
  ...(from === null ? {} : { xactMin: from }),
  ...(to === null ? {} : { xactMax: to }),
});

/** Compiles the query for its chunk when this is read: all compiled chunks at once can take gigabytes. */
export type CompiledChunk = () => CompiledQuery;

/** The chunks in the order of their rows; only `compiled` if the query is not divided. */
export async function chunked(
  request: ChunkRequest,
  compiled: CompiledQuery,
): Promise<readonly CompiledChunk[]> {
  const { snapshot, objectIds, prepared, options } = request;
  if (isWhole(request)) return [() => compiled];
  const isOldestFirst = prepared.order === 'oldest';
  // The order within a transaction is the same in both orders, so chunks in ascending order must not divide one.
  const newestFirst = await snapshot.rowChunks(objectIds, isOldestFirst);
  const chunks = isOldestFirst ? newestFirst.toReversed() : newestFirst;
  return chunks.map(
    (chunk) => () =>
      generateQuery(prepared, { ...options, relation: snapshot.liveIn(objectIds, chunk) }),
  );
}
