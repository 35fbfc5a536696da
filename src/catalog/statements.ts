// SQL for objects of the catalog and their versions.
import { join, sql, type Sql } from '../duckdb/sql.js';
import { accessKinds } from './access-state.js';
import type { ObjectHeader } from './header.js';
import type { RowBody } from './row-body.js';
import type { TableRow, TableWrite } from './table-rows.js';

export const selectHeaders = sql`SELECT * EXCLUDE (body, file) FROM catalog_object ORDER BY created`;

/** The live access objects, oldest first. */
export const selectAccessBodies = sql`
  SELECT id, body, file FROM catalog_object
  WHERE kind IN (SELECT unnest(${[...accessKinds]}::VARCHAR[])) AND NOT deleted ORDER BY created`;

export const selectVersions = sql`
  SELECT xact_id, id, name, slug, deleted FROM object_version ORDER BY xact_id`;

/** The live experiments of a project for these commits, in the order of the commits, and newest first for each. */
export const selectByCommit = (projectId: string, commits: readonly string[]): Sql => sql`
  SELECT id, json_extract_string(body, '$.commit') AS ran_from FROM catalog_object
  WHERE kind = 'experiment' AND project_id = ${projectId} AND NOT deleted
    AND ran_from IN (SELECT unnest(${commits}::VARCHAR[]))
  ORDER BY list_position(${commits}::VARCHAR[], ran_from), created DESC`;

/** Objects of these organisations that have this function type at the version; null for the latest. */
export const selectByFunctionType = (
  orgIds: readonly string[],
  functionType: string,
  version: bigint | null,
): Sql => sql`
  WITH versioned AS (
    SELECT id, body FROM catalog_object
    WHERE kind IN ('prompt', 'function') AND org_id IN (SELECT unnest(${orgIds}::VARCHAR[])))
  SELECT id FROM ${version === null ? sql`versioned` : bodiesAsOf(version)}
  WHERE json_extract_string(body, '$.function_type') = ${functionType}`;

/** The bodies of the objects in `versioned` at the version; of those with a file, the fields in the row. */
const bodiesAsOf = (version: bigint): Sql => sql`(
  SELECT id, arg_max(object_version.body, xact_id) AS body
  FROM object_version SEMI JOIN versioned USING (id) WHERE xact_id <= ${version} GROUP BY id)`;

/** The files of objects. */
export const selectFiles = (ids: readonly string[]): Sql => sql`
  SELECT file FROM catalog_object
  WHERE id IN (SELECT unnest(${ids}::VARCHAR[])) AND file IS NOT NULL`;

const insertObjects: TableWrite = {
  types: 'VVVVVVIBBVVIVV',
  statement: (rows) => sql`
    INSERT INTO catalog_object (
      id, kind, org_id, project_id, name, slug, created, deleted, public, base_exp_id, dataset_id,
      xact_id, body, file)
    ${rows}`,
};

export const insertedObject = (header: ObjectHeader, { text, file }: RowBody): TableRow => ({
  write: insertObjects,
  values: [
    header.id,
    header.kind,
    header.orgId,
    header.projectId,
    header.name,
    header.slug,
    header.created,
    header.deleted,
    header.public,
    header.baseExperimentId,
    header.datasetId,
    header.xactId,
    text,
    file,
  ],
});

const updateObjects: TableWrite = {
  types: 'VVVBBIVVIVV',
  statement: (rows) => sql`
    UPDATE catalog_object
    SET name = changed.name, slug = changed.slug, deleted = changed.deleted,
      public = changed.public, published_at = changed.published_at, base_exp_id = changed.base_exp_id,
      dataset_id = changed.dataset_id, xact_id = changed.xact_id, body = changed.body,
      file = changed.file
    FROM (${rows}) AS changed (
      id, name, slug, deleted, public, published_at, base_exp_id, dataset_id, xact_id, body, file)
    WHERE catalog_object.id = changed.id`,
};

export const updatedObject = (header: ObjectHeader, { text, file }: RowBody): TableRow => ({
  write: updateObjects,
  values: [
    header.id,
    header.name,
    header.slug,
    header.deleted,
    header.public,
    header.publishedAt,
    header.baseExperimentId,
    header.datasetId,
    header.xactId,
    text,
    file,
  ],
});

const insertVersions: TableWrite = {
  types: 'IVVVBVV',
  statement: (rows) => sql`
    INSERT INTO object_version (xact_id, id, name, slug, deleted, body, file) ${rows}`,
};

export const insertedVersion = (header: ObjectHeader, { text, file }: RowBody): TableRow => ({
  write: insertVersions,
  values: [header.xactId, header.id, header.name, header.slug, header.deleted, text, file],
});

/** The latest text of an object, and its file. */
export const selectBody = (id: string): Sql => sql`
  SELECT body, file FROM catalog_object WHERE id = ${id}`;

/** The text of the version, if the header has one, otherwise the latest, and its file. */
export const selectBodyOf = ({ id, xactId }: ObjectHeader): Sql =>
  xactId === null
    ? selectBody(id)
    : sql`SELECT body, file FROM object_version WHERE xact_id = ${xactId}`;

/** As `selectBodyOf`. The key is the transaction id or the id. */
export function selectBodies(headers: readonly ObjectHeader[]): Sql {
  const isVersioned = headers[0]?.xactId != null;
  const keys = join(
    headers.map(({ id, xactId }) => (isVersioned ? sql`${xactId}` : sql`${id}`)),
    ', ',
  );
  return isVersioned
    ? sql`SELECT xact_id AS key, body, file FROM object_version WHERE xact_id IN (${keys})`
    : sql`SELECT id AS key, body, file FROM catalog_object WHERE id IN (${keys})`;
}
