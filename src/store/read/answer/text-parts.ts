// Large results as text: the engine writes the rows of each query to a file of its own. Through JavaScript, the text would be
// converted twice and held in memory until it is collected.
import { sql, trusted, type Sql } from '../../../duckdb/sql.js';
import { kindsOfBits } from '../../../json/result-row.js';
import { inFiles, inMemory, toNewFiles, type TemporaryFile } from './finished-bytes.js';
import type { ReadSession, SqlPart } from '../engine/read-session.js';
import type { TextResult } from './text-result.js';

/**
 * COPY options for lines of plain text: CSV of one column without quotes. JSON text has no control characters, so the delimiter
 * cannot occur. The BLOB format writes row by row: twice the time, and files that take four times as long to delete.
 */
const linesEndingWith = (separator: string): Sql =>
  trusted(
    `FORMAT csv, HEADER false, DELIMITER '\x01', QUOTE '', ESCAPE '', NEW_LINE '${separator.replaceAll("'", "''")}'`,
  );

export interface CountedQueries {
  /** Queries with one column `row`, the JSON text of a row. */
  readonly rows: readonly SqlPart[];
  /** SELECT of one row: the bits of the kinds of each column in the rows of all queries, then `rows`, their number. */
  readonly counts: Sql;
  /** The text is empty if there are more rows. */
  readonly rowsMax: number;
}

export async function writeText(
  session: ReadSession,
  { rows, counts, rowsMax }: CountedQueries,
  separator: string,
  temporaryFile: TemporaryFile,
): Promise<TextResult> {
  await session.readOnce();
  const [{ rows: counted, ...bits } = {}] = await session.read(counts);
  const rowCount = Number(counted);
  const kinds = Object.values(bits).map((of) => kindsOfBits(Number(of)));
  const text =
    rowCount > rowsMax
      ? inMemory(Buffer.alloc(0))
      : await toNewFiles(session, temporaryFile, 'text', rows.length, async (paths) => {
          const options = linesEndingWith(separator);
          await session.runEach(
            rows.map(
              (query, index) => () => sql`COPY (${query()}) TO ${paths[index] ?? ''} (${options})`,
            ),
          );
          return inFiles(paths, rowCount === 0 ? 0 : Buffer.byteLength(separator));
        });
  return { text, rowCount, kinds, place: null };
}
