// Sorts traces by a score or metric of all their spans. The server has to assemble traces to sort them, which is slow for many,
// so this module avoids it as far as possible.
import { sourceText, textOf } from '../../server/clauses.js';
import { rawRowsOf, type QueryOptions } from '../../server/query.js';
import { groupsQuery, hasGroups } from './trace-groups.js';
import { isOneOf, keyOf, ordersMax, rootsQuery, sortOf, type ListQuery } from './view.js';

/** The keys of the rows of a view, in order, with the version that was read. */
export interface Order {
  readonly keys: readonly string[];
  readonly version: string;
  readonly warnings: readonly string[];
}

/** The candidates as summaries, sorted. */
const summariesQuery = (list: ListQuery, candidates: readonly string[]): string =>
  textOf({
    select: 'root_span_id',
    from: `${sourceText(list.source)} summary`,
    filter: isOneOf(list.source, candidates),
    sort: sortOf(list),
    limit: String(ordersMax),
  });

async function sorted(list: ListQuery, query: string, options: QueryOptions): Promise<Order> {
  const { rows, version, warnings } = await rawRowsOf(query, options);
  return { keys: rows.map((row) => keyOf(list.source, row)), version, warnings };
}

/** The first rows of a view; null if it has to be read page by page. */
export async function orderOf(list: ListQuery, options: QueryOptions): Promise<Order | null> {
  const isWhole =
    list.view.filter.trim() === '' && list.time.from === null && list.time.to === null;
  if (isWhole && hasGroups(list)) return sorted(list, groupsQuery(list, null), options);
  const passing = textOf({
    select: 'root_span_id',
    ...rootsQuery(list),
    limit: String(ordersMax + 1),
  });
  const found = await sorted(list, passing, options);
  const pinned = { ...options, version: found.version };
  const candidates = [...new Set(found.keys)];
  if (candidates.length === 0) return found;
  if (found.keys.length > ordersMax)
    return hasGroups(list) ? sorted(list, groupsQuery(list, null), pinned) : null;
  const query = hasGroups(list) ? groupsQuery(list, candidates) : summariesQuery(list, candidates);
  return sorted(list, query, pinned);
}
