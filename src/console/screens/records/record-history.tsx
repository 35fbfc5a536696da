// The versions of one record, the newest first: what each changed, and the way back to it.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ActionError, useAction } from '../../app/action.js';
import { timeText } from '../../app/format.js';
import { Failure, Loading } from '../../app/states.js';
import { indented } from '../../json/lines.js';
import { objectText, plainText, type RawRow } from '../../json/scan.js';
import { quoted, sourceText, textOf, type Source } from '../../server/clauses.js';
import { rawRowsOf } from '../../server/query.js';
import { insertRows } from '../../server/rows.js';
import { WordDiff } from '../compare/word-diff.js';
import { timeOfVersion } from '../rows/view.js';
import { changeOf, recordFields } from './record.js';

interface RecordHistoryProps {
  readonly source: Source;
  readonly id: string;
  /** Changes when the record was read again. */
  readonly revision: number;
  readonly saved: () => void;
}

/** What a version restores. */
const stored = [...recordFields, 'origin'] as const;

const versionOf = (row: RawRow): string => plainText(row.get('_xact_id') ?? '""');

/** The version before it is what the data was one transaction earlier. */
const before = (version: string): string => String(BigInt(version) - 1n);

/** Versions that are read at first, and each time that more are asked for. */
const step = 20;

/** Each is what the record was before the transaction of the one after it; null ends the list where there is none. */
function useVersions(source: Source, id: string, revision: number, count: number) {
  const query = textOf({
    select: ['id', '_xact_id', ...stored].join(', '),
    from: sourceText(source),
    filter: `id = ${quoted(id)}`,
    preview_length: '-1',
  });
  return useQuery({
    queryKey: ['history', query, revision, count],
    queryFn: async ({ signal }) => {
      const versions: (RawRow | null)[] = [];
      let at: string | null = null;
      while (versions.length <= count && versions.at(-1) !== null) {
        const row: RawRow | null =
          (await rawRowsOf(query, { version: at, signal })).rows[0] ?? null;
        versions.push(row);
        if (row !== null) at = before(versionOf(row));
      }
      return versions;
    },
    staleTime: Infinity,
    gcTime: 10_000,
    placeholderData: keepPreviousData,
  });
}

const contentOf = (row: RawRow | null): string =>
  row === null
    ? ''
    : indented(objectText(new Map(recordFields.map((name) => [name, row.get(name) ?? 'null']))));

interface VersionProps {
  readonly source: Source;
  readonly row: RawRow;
  /** Null for the first one. */
  readonly earlier: RawRow | null;
  readonly isLatest: boolean;
  readonly saved: () => void;
}

function Version({ source, row, earlier, isLatest, saved }: VersionProps) {
  const { isBusy, error, start } = useAction(async () => {
    const fields = stored.map((name) => [name, row.get(name) ?? 'null'] as const);
    await insertRows(source, [changeOf(row.get('id')!, new Map(fields), false)]);
    saved();
  });
  const changed =
    earlier === null
      ? 'created'
      : recordFields.filter((name) => row.get(name) !== earlier.get(name)).join(', ') ||
        'nothing of the content';
  return (
    <li>
      <details className="field-section">
        <summary>
          <span>{timeText(timeOfVersion(versionOf(row)))}</span>
          <span className="muted">{changed}</span>
        </summary>
        <WordDiff before={contentOf(earlier)} after={contentOf(row)} />
        {!isLatest && (
          <button type="button" className="small" disabled={isBusy} onClick={start}>
            Restore this version
          </button>
        )}
        <ActionError error={error} />
      </details>
    </li>
  );
}

export function RecordHistory({ source, id, revision, saved }: RecordHistoryProps) {
  const [count, setCount] = useState(step);
  const versions = useVersions(source, id, revision, count);
  const all = versions.data ?? [];
  const shown = all.slice(0, count).filter((row) => row !== null);
  return (
    <section className="history" aria-label="History">
      <h3>History</h3>
      {versions.error && <Failure error={versions.error} retry={versions.refetch} />}
      {versions.isLoading && <Loading />}
      <ol>
        {shown.map((row, index) => (
          <Version
            key={versionOf(row)}
            source={source}
            row={row}
            earlier={all[index + 1] ?? null}
            isLatest={index === 0}
            saved={saved}
          />
        ))}
      </ol>
      {all.length > count && all.at(-1) !== null && (
        <button type="button" className="small" onClick={() => setCount(count + step)}>
          Show earlier versions
        </button>
      )}
    </section>
  );
}
