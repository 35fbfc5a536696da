// Steps through the versions of a source, one transaction at a time.
import { quoted, sourceText, textOf, type Source } from '../../server/clauses.js';
import { rowsOf } from '../../server/query.js';

interface Found {
  /** A transaction id; null where no row is left. */
  readonly at: string | null;
}

/** The data before its last transaction; null when there is none. @param version empty for the latest */
export async function earlierVersion(source: Source, version: string): Promise<string | null> {
  const query = textOf({ measures: 'max(_xact_id) as at', from: sourceText(source) });
  const [found] = await rowsOf<Found>(query, { version: version === '' ? null : version });
  return found?.at == null ? null : String(BigInt(found.at) - 1n);
}

/** The data with the next transaction of rows that are there now; empty for the latest. */
export async function laterVersion(source: Source, version: string): Promise<string> {
  if (version === '') return '';
  const query = textOf({
    measures: 'min(_xact_id) as at',
    from: sourceText(source),
    filter: `_xact_id > ${quoted(version)}`,
  });
  const [found] = await rowsOf<Found>(query);
  return found?.at ?? '';
}
