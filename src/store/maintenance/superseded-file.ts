// `superseded.parquet`: the rows of a project's segments that were superseded after these were written. Readers without a
// server use it.
import { groupBy } from '../row/group-by.js';
import { writeDurably } from '../../durable-file.js';
import type { Segment } from '../segment/segment.js';
import { readParquet } from '../../duckdb/parquet.js';
import { sql, type Sql } from '../../duckdb/sql.js';
import type { Writer } from '../../duckdb/writer.js';
import type { SegmentFiles } from '../segment/segment-files.js';
import { withSupersessionTable } from '../row/supersession-table.js';
import type { StoreState } from '../manifest/store-state.js';
import type { Supersessions } from '../row/supersessions.js';

/** SELECT of (file, _row) of all superseded rows in the segments. `logged` are the supersessions that the manifest lacks. */
function supersededRows(files: SegmentFiles, segments: readonly Segment[], logged: Sql): Sql {
  const sources = segments.map(({ source }) => String(source));
  const names = segments.map((segment) => files.rowFileName(segment));
  return sql`
    SELECT name AS file, "row" AS _row
    FROM (SELECT source, "row" FROM supersession UNION SELECT source, "row" FROM ${logged})
    JOIN (SELECT unnest(${sources}::INTEGER[]) AS source, unnest(${names}::VARCHAR[]) AS name)
    USING (source)`;
}

export interface SupersededFileDeps {
  readonly writer: Writer;
  readonly files: SegmentFiles;
  readonly supersessions: Supersessions;
}

/** Rewrites the file of a project. */
export async function writeSupersededFile(
  { writer, files, supersessions }: SupersededFileDeps,
  { segments }: StoreState,
  projectId: string,
): Promise<void> {
  const own = segments.filter((segment) => segment.projectId === projectId);
  const list = supersessions.unlisted(own.map(({ source }) => source));
  await writeDurably(files.superseded(projectId), (file) =>
    writer.use((connection) =>
      withSupersessionTable(connection, list, (table) =>
        connection.run(sql`
          COPY (${supersededRows(files, own, table)} ORDER BY ALL) TO ${file} (FORMAT parquet)`),
      ),
    ),
  );
}

/** The files that have to be written. One that cannot be written stays among them. */
export class StaleSupersededFiles {
  readonly #parts: SupersededFileDeps;
  readonly #state: () => StoreState;
  readonly #projectIds = new Set<string>();
  /** Whether the files that an earlier process left have been found. */
  #hasSearched = false;

  /** @param state returns the committed state */
  constructor(parts: SupersededFileDeps, state: () => StoreState) {
    this.#parts = parts;
    this.#state = state;
  }

  add(projectIds: Iterable<string>): void {
    for (const projectId of projectIds) this.#projectIds.add(projectId);
  }

  /** Writes one of the files; before the first one, finds those that an earlier process left. Returns false if there is none. */
  async writeNext(): Promise<boolean> {
    if (!this.#hasSearched) this.add(await projectsWithStaleFile(this.#parts, this.#state()));
    this.#hasSearched = true;
    const [projectId] = this.#projectIds;
    if (projectId !== undefined) await this.#write(projectId);
    return projectId !== undefined;
  }

  /** Writes the files that are known. */
  async writeAll(): Promise<void> {
    for (const projectId of this.#projectIds) await this.#write(projectId);
  }

  async #write(projectId: string): Promise<void> {
    // A publication during the write adds it again.
    this.#projectIds.delete(projectId);
    const state = this.#state();
    if (!state.segments.some((segment) => segment.projectId === projectId)) return;
    try {
      await writeSupersededFile(this.#parts, state, projectId);
    } catch (error) {
      this.#projectIds.add(projectId);
      throw error;
    }
  }
}

/** The projects whose file does not agree with `state`, after a crash or because it is damaged. */
async function projectsWithStaleFile(
  parts: SupersededFileDeps,
  { segments }: StoreState,
): Promise<readonly string[]> {
  const stale: string[] = [];
  for (const [projectId, own] of groupBy(segments, ({ projectId }) => projectId))
    if (!(await isCurrent(parts, projectId, own))) stale.push(projectId);
  return stale;
}

const contentOf = (rows: Sql): Sql =>
  sql`(SELECT {rows: count(*), hashes: sum(hash(file, _row))} FROM (${rows}))`;

function isCurrent(
  { writer, files, supersessions }: SupersededFileDeps,
  projectId: string,
  segments: readonly Segment[],
): Promise<boolean> {
  const list = supersessions.unlisted(segments.map(({ source }) => source));
  const written = sql`SELECT file, _row FROM ${readParquet(files.superseded(projectId))}`;
  return writer.use((connection) =>
    withSupersessionTable(connection, list, async (table) => {
      const wanted = supersededRows(files, segments, table);
      const [found] = await connection
        .read(sql`SELECT ${contentOf(written)} = ${contentOf(wanted)} AS same`)
        .catch(() => []);
      return found?.['same'] === true;
    }),
  );
}
