// The part of each object that is in memory, for lists and access checks.
import type { Row } from '../duckdb/rows.js';
import type { JsonValue } from '../json/json.js';
import { badRequest } from '../errors.js';
import type { ObjectKind } from '../schema/resources/definition.js';
import { limits, tooLong } from '../schema/limits.js';

export interface ObjectHeader {
  readonly id: string;
  readonly kind: ObjectKind;
  readonly orgId: string;
  readonly projectId: string | null;
  readonly name: string;
  /** Null for kinds without one. */
  readonly slug: string | null;
  /** Microseconds since 1970, unique, so that it orders lists. */
  readonly created: bigint;
  readonly deleted: boolean;
  readonly public: boolean;
  /** The last transaction before an existing experiment became public; null for one that was created public, and for others. */
  readonly publishedAt: bigint | null;
  readonly baseExperimentId: string | null;
  readonly datasetId: string | null;
  /** The transaction id of the latest write; null for kinds without versions. */
  readonly xactId: bigint | null;
}

/** The fields of an object in the order of answers. */
export type ObjectFields = ReadonlyMap<string, JsonValue>;

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** Ids are stored as sent and compared in lower case. */
const idOrNull = (value: unknown): string | null => textOrNull(value)?.toLowerCase() ?? null;

/** The header after a change of the fields. */
export const withFields = (header: ObjectHeader, fields: ObjectFields): ObjectHeader => ({
  ...header,
  name: textOrNull(fields.get('name')) ?? header.name,
  slug: textOrNull(fields.get('slug')),
  public: fields.get('public') === true,
  baseExperimentId: idOrNull(fields.get('base_exp_id')),
  datasetId: idOrNull(fields.get('dataset_id')),
});

type Names = Pick<ObjectHeader, 'name' | 'slug'>;

/**
 * Returns the header. Its names are limited, since the headers of all objects are in memory.
 * @param before the header before the change; null for a new object
 * @throws RequestError 400 for a new name or slug that is too long
 */
export function checkedNames<T extends Names>(header: T, before: Names | null): T {
  const { max } = limits.names;
  for (const field of ['name', 'slug'] as const) {
    const length = header[field]?.length ?? 0;
    if (length > max && header[field] !== before?.[field])
      throw badRequest(`${field}: ${tooLong(max, length)}`);
  }
  return header;
}

export const headerFromRow = (row: Row): ObjectHeader => ({
  id: row['id'] as string,
  kind: row['kind'] as ObjectKind,
  orgId: row['org_id'] as string,
  projectId: textOrNull(row['project_id']),
  name: row['name'] as string,
  slug: textOrNull(row['slug']),
  created: row['created'] as bigint,
  deleted: row['deleted'] === true,
  public: row['public'] === true,
  publishedAt: row['published_at'] as bigint | null,
  baseExperimentId: textOrNull(row['base_exp_id']),
  datasetId: textOrNull(row['dataset_id']),
  xactId: row['xact_id'] as bigint | null,
});

/** The header of an earlier version of the object. */
export const versionFromRow = (header: ObjectHeader, row: Row): ObjectHeader => ({
  ...header,
  name: row['name'] as string,
  slug: textOrNull(row['slug']),
  deleted: row['deleted'] === true,
  xactId: row['xact_id'] as bigint,
});
