// For readers without a server: beside a project's segments a Parquet file of the rows that ended since.
import { stat } from 'node:fs/promises';
import { writeDurably } from '../segment/durable-file.js';
import type { Segment } from '../segment/segment.js';
import { sql } from '../../duckdb/sql.js';
import type { Writer } from '../../duckdb/writer.js';
import type { SegmentFiles } from '../segment/segment-files.js';
import type { StoreState } from '../store-state.js';

/** Rewrites the file of a project: (file, _row) of everything in its segments that is not live any more. */
export async function writeNotebookFile(
  writer: Writer,
  files: SegmentFiles,
  { segments }: StoreState,
  projectId: string,
): Promise<void> {
  const own = segments.filter((segment) => segment.projectId === projectId);
  const sources = own.map(({ source }) => String(source));
  const names = own.map((segment) => files.rowFileName(segment));
  await writeDurably(files.superseded(projectId), (file) =>
    writer.use((connection) =>
      connection.run(sql`
        COPY (
          SELECT name AS file, "row" AS _row FROM supersession
          JOIN (SELECT unnest(${sources}::INTEGER[]) AS source, unnest(${names}::VARCHAR[]) AS name)
          USING (source) ORDER BY ALL
        ) TO ${file} (FORMAT parquet)`),
    ),
  );
}

/** The projects whose file does not say what `state` says: a crash came before it was rewritten. */
export async function projectsWithStaleFile(
  writer: Writer,
  files: SegmentFiles,
  { segments, superseded }: StoreState,
): Promise<readonly string[]> {
  const stale: string[] = [];
  for (const [projectId, own] of segmentsByProject(segments)) {
    const rows = own.reduce((sum, { source }) => sum + (superseded.get(source) ?? 0), 0);
    if (!(await isCurrent(writer, files, projectId, own, rows))) stale.push(projectId);
  }
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

// Between two publications, which write a new segment each, rows are only added.
async function isCurrent(
  writer: Writer,
  files: SegmentFiles,
  projectId: string,
  segments: readonly Segment[],
  rows: number,
): Promise<boolean> {
  try {
    const file = files.superseded(projectId);
    const { mtimeMs } = await stat(file);
    for (const segment of segments)
      if ((await stat(files.rows(segment))).mtimeMs > mtimeMs) return false;
    const [found] = await writer.read(sql`SELECT count(*) AS n FROM read_parquet(${file})`);
    return Number(found?.['n']) === rows;
  } catch {
    return false;
  }
}
