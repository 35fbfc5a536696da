// The versions of a record, newest first: the changes of each, and the restore of it.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ActionError, useAction } from '../../kit/action.js';
import { timeText } from '../../kit/format.js';
import { QueryState } from '../../kit/states.js';
import { plainText, type RawRow } from '../../json/scan.js';
import { quoted, sourceText, textOf, type Source } from '../../server/clauses.js';
import { rawRowsOf } from '../../server/query.js';
import { insertRows } from '../../server/rows.js';
import { timeOfVersion } from '../../kit/version-time.js';
import { changeOf, contentOf, recordFields } from './record.js';
import { RecordDiff } from './record-diff.js';

interface RecordHistoryProps {
  readonly source: Source;
  readonly id: string;
  /** The transaction that wrote it. */
  readonly revision: string;
  readonly saved: () => void;
}

/** The fields that a restore sets. */
const stored = [...recordFields, 'origin'] as const;

const versionOf = (row: RawRow): string => plainText(row.get('_xact_id') ?? '""');

/** Whether the version is a deletion. */
const isDeleted = (row: RawRow): boolean => row.get('_object_delete') === 'true';

/** The number of versions per page. */
const step = 20;

/** Up to `count` versions and one more. */
function useVersions(source: Source, id: string, revision: string, count: number) {
  const query = textOf({
    select: ['id', '_xact_id', '_object_delete', ...stored].join(', '),
    from: `${sourceText(source)} versions`,
    filter: `id = ${quoted(id)}`,
    sort: '_xact_id desc',
    preview_length: '-1',
    limit: String(count + 1),
  });
  return useQuery({
    queryKey: ['history', query, revision],
    queryFn: async ({ signal }) => (await rawRowsOf(query, { signal })).rows,
    staleTime: Infinity,
    gcTime: 10_000,
    placeholderData: keepPreviousData,
  });
}

/** Empty if there is no record. */
const shownContent = (row: RawRow | null): string =>
  row === null || isDeleted(row) ? '' : contentOf(row);

function changeOfVersion(row: RawRow, earlier: RawRow | null): string {
  if (isDeleted(row)) return 'deleted';
  if (earlier === null || isDeleted(earlier)) return 'created';
  const fields = recordFields.filter((name) => row.get(name) !== earlier.get(name));
  return fields.join(', ') || 'nothing of the content';
}

interface VersionProps {
  readonly source: Source;
  readonly row: RawRow;
  /** Null for the first one. */
  readonly earlier: RawRow | null;
  readonly isLatest: boolean;
  readonly saved: () => void;
}

function Version({ source, row, earlier, isLatest, saved }: VersionProps) {
  const [isOpen, setOpen] = useState(false);
  const { isBusy, error, start } = useAction('Restore this version', async () => {
    const fields = stored.map((name) => [name, row.get(name) ?? 'null'] as const);
    await insertRows(source, [changeOf(row.get('id')!, new Map(fields), false)]);
    saved();
  });
  return (
    <li>
      <details className="field-section" onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <span>{timeText(timeOfVersion(versionOf(row)))}</span>
          <span className="muted">{changeOfVersion(row, earlier)}</span>
        </summary>
        {isOpen && <RecordDiff before={shownContent(earlier)} after={shownContent(row)} />}
        {!isLatest && !isDeleted(row) && (
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
  return (
    <section className="history" aria-label="History">
      <h3>History</h3>
      <QueryState query={versions} />
      <ol>
        {all.slice(0, count).map((row, index) => (
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
      {all.length > count && (
        <button type="button" className="small" onClick={() => setCount(count + step)}>
          Show earlier versions
        </button>
      )}
    </section>
  );
}
