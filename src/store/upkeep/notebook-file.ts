// For readers without a server: beside a project's segments a Parquet file of the rows that ended since.
import { writeDurably } from '../segment/durable-file.js';
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
