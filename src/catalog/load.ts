// Reads the objects of the catalog into memory.
import type { Writer } from '../duckdb/writer.js';
import { AccessState, accessObject } from './access-state.js';
import type { Bodies } from './bodies.js';
import type { AccessObject } from './grants.js';
import { headerFromRow, versionFromRow } from './header.js';
import { emptyIndex, putHeader, putVersion, type ObjectIndex } from './object-index.js';
import { selectAccessBodies, selectHeaders, selectVersions } from './statements.js';

export interface Loaded {
  readonly index: ObjectIndex;
  readonly access: AccessState;
  /** The latest time of creation in microseconds since 1970. */
  readonly lastCreated: bigint;
  /** The latest transaction id of a version. */
  readonly lastXactId: bigint;
}

export async function loadObjects(writer: Writer, bodies: Bodies): Promise<Loaded> {
  const index = emptyIndex();
  let [lastCreated, lastXactId] = [0n, 0n];
  for (const header of (await writer.read(selectHeaders)).map(headerFromRow)) {
    putHeader(index, header);
    lastCreated = header.created;
  }
  for (const row of await writer.read(selectVersions)) {
    const header = index.byId.get(row['id'] as string);
    if (header === undefined) continue;
    putVersion(index, versionFromRow(header, row));
    lastXactId = row['xact_id'] as bigint;
  }
  const access = new Map<string, AccessObject>();
  for await (const { id, body } of bodies.selected(selectAccessBodies)) {
    const header = index.byId.get(id);
    if (header !== undefined) access.set(id, accessObject(header, body));
  }
  return { index, access: new AccessState(access), lastCreated, lastXactId };
}
