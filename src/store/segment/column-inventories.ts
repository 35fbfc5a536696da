// The rows of a segment to be -> which paths occur in their JSON columns, with the types of those that may get leaf columns.
import type { Connection } from '../../duckdb/connection.js';
import type { Sql } from '../../duckdb/sql.js';
import type { JsonColumn } from '../../schema/event-columns.js';
import { pathKey, type SegmentPaths } from '../../schema/event-relation.js';
import { readKnownPaths } from './known-paths.js';
import { hasEnginePath } from './leaf-columns.js';
import {
  leafCandidates,
  listedColumns,
  type Inventories,
  type ColumnInventory,
} from './leaf-selection.js';
import { inDefaultOrder } from './path-count.js';
import { takeInventory, type Inventory } from './path-inventory.js';
import { readPathTypes, type PathTypes } from './path-types.js';

export interface InventoryRequest {
  /** A parenthesised SELECT of the rows. */
  readonly rows: Sql;
  readonly rowCount: number;
  /** Those that hold objects. */
  readonly columns: ReadonlySet<JsonColumn>;
  readonly leafPathsMax: number;
  /** The paths of segments with rows that may be alike: if no others occur, far less is to be done. */
  readonly alike: readonly SegmentPaths[];
}

interface Found extends Inventory {
  /** By `pathKey`; null when they are not known yet. */
  readonly types: ReadonlyMap<string, PathTypes> | null;
}

/** More are extracted at no gain. */
const knownPathsMax = 100;

const nothing: Found = { counts: new Map(), complete: true, types: null };

export async function takeInventories(
  connection: Connection,
  request: InventoryRequest,
): Promise<Inventories> {
  const found = new Map<JsonColumn, Found>();
  for (const column of listedColumns)
    found.set(
      column,
      request.columns.has(column) ? await inventoryOf(connection, request, column) : nothing,
    );
  const candidates = leafCandidates(found, request.rowCount, request.leafPathsMax);
  const inventories = new Map<JsonColumn, ColumnInventory>();
  for (const [column, { counts, complete, types: known }] of found) {
    const paths = candidates.get(column) ?? [];
    const types =
      known === null
        ? await readPathTypes(connection, request.rows, column, paths)
        : paths.map((steps) => known.get(pathKey(steps))!);
    inventories.set(column, { counts, complete, types });
  }
  return inventories;
}

async function inventoryOf(
  connection: Connection,
  { rows, alike }: InventoryRequest,
  column: JsonColumn,
): Promise<Found> {
  const expected = expectedPaths(alike, column);
  const known = expected && (await readKnownPaths(connection, rows, column, expected));
  if (known === null) return { ...(await takeInventory(connection, rows, column)), types: null };
  return {
    counts: new Map(
      known.counts.toSorted(inDefaultOrder).map((path) => [pathKey(path.steps), path]),
    ),
    complete: true,
    types: new Map(known.types.map((path) => [pathKey(path.steps), path])),
  };
}

/** Null when there is nothing to expect, or it could not be told from what is not expected. */
function expectedPaths(
  alike: readonly SegmentPaths[],
  column: JsonColumn,
): readonly (readonly string[])[] | null {
  const keys = new Set<string>();
  for (const { [column]: listed } of alike) {
    if (listed?.complete !== true) return null;
    for (const key of [...listed.leaves.keys(), ...listed.textPaths]) keys.add(key);
  }
  const paths = Array.from(keys, (key) => JSON.parse(key) as readonly string[]);
  const areUsable = paths.every((steps) => steps.every(hasEnginePath));
  return areUsable && paths.length > 0 && paths.length <= knownPathsMax ? paths : null;
}
