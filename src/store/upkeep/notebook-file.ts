// For readers without a server: beside a project's segments a Parquet file of the rows that ended since.
import { writeDurably } from '../segment/durable-file.js';
import type { Segment } from '../segment/segment.js';
import { sql, type Sql } from '../../duckdb/sql.js';
import type { Writer } from '../../duckdb/writer.js';
import type { SegmentFiles } from '../segment/segment-files.js';
import type { StoreState } from '../store-state.js';

/** SELECT of (file, _row) of everything in the segments of a project that is not live any more. */
function endedRows(files: SegmentFiles, segments: readonly Segment[]): Sql {
  const sources = segments.map(({ source }) => String(source));
  const names = segments.map((segment) => files.rowFileName(segment));
  return sql`
    SELECT name AS file, "row" AS _row FROM supersession
    JOIN (SELECT unnest(${sources}::INTEGER[]) AS source, unnest(${names}::VARCHAR[]) AS name)
    USING (source)`;
}

/** Rewrites the file of a project. */
export async function writeNotebookFile(
  writer: Writer,
  files: SegmentFiles,
  { segments }: StoreState,
  projectId: string,
): Promise<void> {
  const own = segments.filter((segment) => segment.projectId === projectId);
  await writeDurably(files.superseded(projectId), (file) =>
    writer.use((connection) =>
      connection.run(sql`
        COPY (${endedRows(files, own)} ORDER BY ALL) TO ${file} (FORMAT parquet)`),
    ),
  );
}

/** The projects whose file does not say what `state` says: a crash came before it was rewritten, or it is damaged. */
export async function projectsWithStaleFile(
  writer: Writer,
  files: SegmentFiles,
  { segments }: StoreState,
): Promise<readonly string[]> {
  const stale: string[] = [];
  for (const [projectId, own] of segmentsByProject(segments))
    if (!(await isCurrent(writer, files, projectId, own))) stale.push(projectId);
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

async function isCurrent(
  writer: Writer,
  files: SegmentFiles,
  projectId: string,
  segments: readonly Segment[],
): Promise<boolean> {
  const written = sql`SELECT file, _row FROM read_parquet(${files.superseded(projectId)})`;
  const wanted = endedRows(files, segments);
  const [found] = await writer
    .read(sql`SELECT ${contentOf(written)} = ${contentOf(wanted)} AS same`)
    .catch(() => []);
  return found?.['same'] === true;
}
