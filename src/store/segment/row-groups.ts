// The transaction ranges of a segment's row groups, for reads that need only some of them. They are read once per segment.
import { sql } from '../../duckdb/sql.js';
import type { CheckedFiles } from './checked-files.js';
import type { LookupEngine } from './lookup-engine.js';
import type { SegmentFiles, SegmentName } from './segment-files.js';

export interface RowGroup {
  readonly firstRow: number;
  readonly rows: number;
  /** The decompressed size. */
  readonly bytes: number;
  /** The least and the greatest transaction id of its rows, of whichever object they are. */
  readonly firstXactId: bigint;
  readonly lastXactId: bigint;
}

export class RowGroups {
  readonly #engine: LookupEngine;
  readonly #files: SegmentFiles;
  readonly #checked: CheckedFiles;
  readonly #known = new Map<number, Promise<readonly RowGroup[]>>();

  constructor(engine: LookupEngine, files: SegmentFiles, checked: CheckedFiles) {
    this.#engine = engine;
    this.#files = files;
    this.#checked = checked;
  }

  /** In the order of their rows. Empty if the file cannot be read; the read of its rows will report that. */
  of(segment: SegmentName): Promise<readonly RowGroup[]> {
    const known = this.#known.get(segment.source);
    if (known !== undefined) return known;
    const reading = this.#read(segment).catch(() => {
      this.#known.delete(segment.source);
      return [];
    });
    this.#known.set(segment.source, reading);
    return reading;
  }

  forget({ source }: SegmentName): void {
    this.#known.delete(source);
  }

  async #read(segment: SegmentName): Promise<readonly RowGroup[]> {
    const query = sql`
      SELECT any_value(row_group_num_rows) AS "rows", sum(total_uncompressed_size)::BIGINT AS bytes,
        (any_value(stats_min_value) FILTER (path_in_schema = '_xact_id'))::BIGINT AS "first",
        (any_value(stats_max_value) FILTER (path_in_schema = '_xact_id'))::BIGINT AS "last"
      FROM parquet_metadata(${this.#files.rows(segment)})
      GROUP BY row_group_id ORDER BY row_group_id`;
    await this.#checked.check(query);
    const found = await this.#engine.use((connection) => connection.read(query));
    let firstRow = 0;
    return found.map((row) => {
      const group = {
        firstRow,
        rows: Number(row['rows']),
        bytes: Number(row['bytes']),
        firstXactId: row['first'] as bigint,
        lastXactId: row['last'] as bigint,
      };
      firstRow += group.rows;
      return group;
    });
  }
}
