// The differences between two versions of a dataset.
import { quoted, sourceText, textOf, type Source } from '../../server/clauses.js';
import { rowsOf } from '../../server/query.js';
import { idOf, rowsById } from '../../server/rows.js';
import { contentOf, recordFields } from './record.js';

/** A write to a dataset. */
export interface Transaction {
  readonly _xact_id: string;
  /** The number of written records, including deletions. */
  readonly records: number;
  readonly deletions: number;
}

/** The maximum number of listed writes. */
export const transactionsMax = 500;

/** The maximum number of shown records. */
export const changesMax = 500;

/** Newest first. */
export const transactionsOf = (source: Source, signal: AbortSignal) =>
  rowsOf<Transaction>(
    textOf({
      dimensions: '_xact_id',
      measures: 'count(*) as records, sum(_object_delete) as deletions',
      from: `${sourceText(source)} versions`,
      sort: '_xact_id desc',
      limit: String(transactionsMax),
    }),
    { signal },
  );

export interface Change {
  readonly id: string;
  /** The content of the record as JSON; empty if there is no record. */
  readonly before: string;
  readonly after: string;
}

/** The records written after `from` and up to `to`, latest first. */
async function writtenBetween(
  source: Source,
  from: string,
  to: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const rows = await rowsOf<{ id: string }>(
    textOf({
      dimensions: 'id',
      measures: 'max(_xact_id) as last',
      from: `${sourceText(source)} versions`,
      filter: `_xact_id > ${quoted(from)} and _xact_id <= ${quoted(to)}`,
      sort: 'last desc, id',
      limit: String(changesMax + 1),
    }),
    { signal },
  );
  return rows.map(({ id }) => id);
}

/** The contents of the records with these ids in the version. */
async function contentsAt(
  source: Source,
  ids: readonly string[],
  version: string,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const rows = await rowsById(source, `id, ${recordFields.join(', ')}`, ids, { version, signal });
  return new Map(rows.map((row) => [idOf(row), contentOf(row)]));
}

export interface Changes {
  readonly list: readonly Change[];
  /** Whether the list is incomplete. */
  readonly isCut: boolean;
}

/** The records that differ between two versions. */
export async function changesBetween(
  source: Source,
  from: string,
  to: string,
  signal: AbortSignal,
): Promise<Changes> {
  const written = await writtenBetween(source, from, to, signal);
  const ids = written.slice(0, changesMax);
  const [before, after] = await Promise.all(
    [from, to].map((version) => contentsAt(source, ids, version, signal)),
  );
  const all = ids.map((id) => ({ id, before: before?.get(id) ?? '', after: after?.get(id) ?? '' }));
  return {
    list: all.filter((change) => change.before !== change.after),
    isCut: written.length > changesMax,
  };
}
