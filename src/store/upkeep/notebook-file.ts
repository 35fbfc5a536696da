// For readers without a server: beside a project's segments a Parquet file of the rows that ended since.
import { writeDurably } from '../segment/durable-file.js';
import type { Segment } from '../segment/segment.js';
import { sql, type Sql } from '../../duckdb/sql.js';
import type { Writer } from '../../duckdb/writer.js';
import type { SegmentFiles } from '../segment/segment-files.js';
import { withEnded } from '../ended-table.js';
import type { StoreState } from '../store-state.js';
import type { Supersessions } from '../supersessions.js';

/** SELECT of (file, _row) of everything in the segments of a project that is not live any more. `logged`: what is in logs alone. */
function endedRows(files: SegmentFiles, segments: readonly Segment[], logged: Sql): Sql {
  const sources = segments.map(({ source }) => String(source));
  const names = segments.map((segment) => files.rowFileName(segment));
  return sql`
    SELECT name AS file, "row" AS _row
    FROM (SELECT source, "row" FROM supersession UNION SELECT source, "row" FROM ${logged})
    JOIN (SELECT unnest(${sources}::INTEGER[]) AS source, unnest(${names}::VARCHAR[]) AS name)
    USING (source)`;
}

export interface NotebookParts {
  readonly writer: Writer;
  readonly files: SegmentFiles;
  readonly supersessions: Supersessions;
}

/** Rewrites the file of a project. */
export async function writeNotebookFile(
  { writer, files, supersessions }: NotebookParts,
  { segments }: StoreState,
  projectId: string,
): Promise<void> {
  const own = segments.filter((segment) => segment.projectId === projectId);
  const list = supersessions.unlisted(own.map(({ source }) => source));
  await writeDurably(files.superseded(projectId), (file) =>
    writer.use((connection) =>
      withEnded(connection, list, (ended) =>
        connection.run(sql`
          COPY (${endedRows(files, own, ended)} ORDER BY ALL) TO ${file} (FORMAT parquet)`),
      ),
    ),
  );
}

/** The projects whose file does not say what `state` says: a crash came before it was rewritten, or it is damaged. */
export async function projectsWithStaleFile(
  parts: NotebookParts,
  { segments }: StoreState,
): Promise<readonly string[]> {
  const stale: string[] = [];
  for (const [projectId, own] of segmentsByProject(segments))
    if (!(await isCurrent(parts, projectId, own))) stale.push(projectId);
  return stale;
}

function segmentsByProject(segments: readonly Segment[]): ReadonlyMap<string, readonly Segment[]> {
  const projects = new Map<string, Segment[]>();
  for (const segment of segments) {
    const own = projects.get(segment.projectId);
    if (own === undefined) projects.set(segment.projectId, [segment]);
    else own.push(segment);
  }
  return projects;
}

const contentOf = (rows: Sql): Sql =>
  sql`(SELECT {rows: count(*), hashes: sum(hash(file, _row))} FROM (${rows}))`;

function isCurrent(
  { writer, files, supersessions }: NotebookParts,
  projectId: string,
  segments: readonly Segment[],
): Promise<boolean> {
  const list = supersessions.unlisted(segments.map(({ source }) => source));
  const written = sql`SELECT file, _row FROM read_parquet(${files.superseded(projectId)})`;
  return writer.use((connection) =>
    withEnded(connection, list, async (ended) => {
      const wanted = endedRows(files, segments, ended);
      const [found] = await connection
        .read(sql`SELECT ${contentOf(written)} = ${contentOf(wanted)} AS same`)
        .catch(() => []);
      return found?.['same'] === true;
    }),
  );
}
