// Versions in requests, and the versions of new writes to objects.
import { badRequest } from '../errors.js';
import { formatXactId, maxBigint, parseXactId, xactMs } from '../schema/xact-id.js';
import type { ObjectKind } from '../schema/resources/definition.js';
import { resourceKinds } from '../schema/resources/table.js';
import type { Services } from './context.js';

/**
 * Parses a version. Null stands for the latest version.
 * @throws RequestError 400 for a text that is neither form of a transaction id
 */
export function readVersion(text: string | null | undefined, field: string): bigint | null {
  if (text === null || text === undefined) return null;
  const version = parseXactId(text);
  if (version === null)
    throw badRequest(
      `${field}: expected a transaction id of 19 digits or its short form of 16 hex digits, got ${JSON.stringify(text)}`,
    );
  return version;
}

/**
 * @param version null for the latest
 * @throws RequestError 400 for a version that may lack rows, since it is older than the history
 */
export function checkHistory(
  { store }: Pick<Services, 'store'>,
  objectIds: readonly string[],
  version: bigint | null,
  field: string,
): void {
  if (version === null) return;
  const from = objectIds.map((id) => store.historyFrom(id)).reduce(maxBigint, 0n);
  // After the last transaction, a version is the latest one.
  if (version < from && version < store.stats().lastXactId)
    throw badRequest(
      `${field}: version ${formatXactId(version)} is from before ${new Date(xactMs(from)).toISOString()}, and older versions are not kept (EVALSTORE_HISTORY_DAYS)`,
    );
}

/** The header that names the version of an answer. */
export const versionHeaders = (xactId: bigint) => ({
  'x-evalstore-version': formatXactId(xactId),
});

/**
 * The transaction id of the next write to an object of this kind; null for kinds that are not versioned. Call it inside
 * `Catalog.change`, so that writes are stored in the order of their ids.
 */
export const nextVersion = async (services: Services, kind: ObjectKind): Promise<bigint | null> =>
  resourceKinds[kind].isVersioned ? services.store.issueXactId() : null;
