// The versions of a dataset: the changes of each, the difference between two, and the restore of an earlier one.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ActionError, useAction } from '../../kit/action.js';
import { numberText, timeText } from '../../kit/format.js';
import { hrefWith, Link, useHref } from '../../kit/location.js';
import { Empty, QueryState } from '../../kit/states.js';
import { VersionList } from '../../kit/version-list.js';
import type { Source } from '../../server/clauses.js';
import { listRefreshMs, type NamedObject } from '../../server/objects.js';
import { send } from '../../server/request.js';
import { decimalVersion, timeOfVersion } from '../../kit/version-time.js';
import {
  changesBetween,
  changesMax,
  transactionsMax,
  transactionsOf,
  type Change,
  type Transaction,
} from './dataset-changes.js';
import { RecordDiff } from './record-diff.js';

/** The version in a parameter of the URL, which may be too old to be listed; null if there is none. */
function askedVersion({ searchParams }: URL, name: string): string | null {
  const version = decimalVersion(searchParams.get(name) ?? '');
  return /^\d{19}$/.test(version) ? version : null;
}

/** The version before the write. */
const before = (version: string): string => String(BigInt(version) - 1n);

function summaryOf({ records, deletions }: Transaction): string {
  const written = records - deletions;
  return [
    ...(written > 0 ? [`${numberText(written)} written`] : []),
    ...(deletions > 0 ? [`${numberText(deletions)} deleted`] : []),
  ].join(', ');
}

const kindOf = (change: Change): string => {
  if (change.before === '') return 'added';
  return change.after === '' ? 'deleted' : 'changed';
};

function ChangedRecord({ change }: { readonly change: Change }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <li>
      <details className="field-section" onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <span className="mono">
            <bdi>{change.id}</bdi>
          </span>{' '}
          <span className="muted">{kindOf(change)}</span>
        </summary>
        {isOpen && <RecordDiff before={change.before} after={change.after} />}
      </details>
    </li>
  );
}

function Differences({ source, from, to }: { source: Source; from: string; to: string }) {
  const changes = useQuery({
    queryKey: ['dataset-changes', source.id, from, to],
    queryFn: ({ signal }) => changesBetween(source, from, to, signal),
    staleTime: Infinity,
    gcTime: 10_000,
  });
  if (changes.data === undefined) return <QueryState query={changes} />;
  const { list, isCut } = changes.data;
  const counts = ['added', 'changed', 'deleted'].map(
    (kind) => `${numberText(list.filter((change) => kindOf(change) === kind).length)} ${kind}`,
  );
  return (
    <>
      <p role="status">{counts.join(', ')}</p>
      {isCut && (
        <p className="banner">
          The {numberText(changesMax)} records that were written last are shown.
        </p>
      )}
      <ol>
        {list.map((change) => (
          <ChangedRecord key={change.id} change={change} />
        ))}
      </ol>
    </>
  );
}

function RestoreButton({ source, version }: { source: Source; version: string }) {
  const client = useQueryClient();
  const { isBusy, error, start } = useAction('Restore this version', async () => {
    await send(`/v1/dataset/${source.id}/restore`, { method: 'POST', body: { version } });
    await client.invalidateQueries();
  });
  return (
    <>
      <button type="button" disabled={isBusy} onClick={start}>
        Restore this version
      </button>
      <ActionError error={error} />
    </>
  );
}

export default function DatasetVersions({ dataset }: { readonly dataset: NamedObject }) {
  const href = useHref();
  const source = { kind: 'dataset', id: dataset.id } as const;
  const transactions = useQuery({
    queryKey: ['dataset-versions', dataset.id],
    queryFn: ({ signal }) => transactionsOf(source, signal),
    refetchInterval: listRefreshMs,
  });
  if (transactions.data === undefined) return <QueryState query={transactions} />;
  const [newest] = transactions.data;
  if (newest === undefined) return <Empty isPage title={`No writes to “${dataset.name}” yet`} />;
  const to = askedVersion(href, 'to') ?? newest._xact_id;
  const from = askedVersion(href, 'from');
  const isCompared = from !== null && from !== to;
  // The changes lead from the earlier to the later version, in either order of selection.
  const [earlier, later] =
    isCompared && BigInt(from) > BigInt(to) ? [to, from] : [isCompared ? from : before(to), to];
  return (
    <div className="page">
      <header>
        <h1>Versions of {dataset.name}</h1>
        <Link href={hrefWith(href, { versions: null, from: null, to: null })}>Records</Link>
        {to !== newest._xact_id && <RestoreButton source={source} version={to} />}
      </header>
      <div className="prompt">
        <VersionList
          versions={transactions.data.map((transaction) => ({
            id: transaction._xact_id,
            name: timeText(timeOfVersion(transaction._xact_id)),
            detail: summaryOf(transaction),
          }))}
          shown={to}
          compared={isCompared ? from : null}
        />
        <section className="history" aria-label="Changes">
          <h2>
            {isCompared
              ? `From ${timeText(timeOfVersion(earlier))} to ${timeText(timeOfVersion(later))}`
              : `Changes of ${timeText(timeOfVersion(to))}`}
          </h2>
          <Differences source={source} from={earlier} to={later} />
        </section>
      </div>
      {transactions.data.length >= transactionsMax && (
        <p className="banner">The last {numberText(transactionsMax)} versions are listed.</p>
      )}
    </div>
  );
}
