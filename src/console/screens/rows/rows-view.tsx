// The rows of a source as a table: logs, an experiment, a dataset. The URL holds the whole view.
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState, type ReactNode } from 'react';
import { countText, numberText } from '../../kit/format.js';
import { ActionError } from '../../kit/action.js';
import { change, hrefWith, useHref } from '../../kit/location.js';
import { useShortcuts } from '../../kit/shortcuts.js';
import { Failure, Loading } from '../../kit/states.js';
import type { RawRow } from '../../json/scan.js';
import type { Source } from '../../server/clauses.js';
import type { GridSelection } from '../../kit/grid.js';
import { TracePanel } from '../trace/trace-panel.js';
import { BulkBar } from './bulk-bar.js';
import { columnOf, defaultColumns } from './columns.js';
import { filterErrorOf } from './filter-bar.js';
import { Histogram } from './histogram.js';
import { NoMatch } from './no-match.js';
import { QueryDialog } from './query-dialog.js';
import { Rootless, useHasSpans } from './rootless.js';
import { Table } from './table.js';
import { Toolbar } from './toolbar.js';
import { VersionBanner } from './version-banner.js';
import { useTimeSteps } from './time-steps.js';
import { useSelectedRows } from './use-selected-rows.js';
import { ahead, useCounts, useNewer, useRows, useWhen } from './use-rows.js';
import {
  exportQuery,
  missingMetrics,
  rangeOf,
  keyOf,
  viewOf,
  withValue,
  type ListQuery,
  type TimeRange,
  type View,
} from './view.js';

export interface RowsViewProps {
  readonly source: Source;
  readonly label: string;
  /** The content for a source without rows. */
  readonly whenEmpty: ReactNode;
  /** The URL of the workbench, without a query; null if the view is read-only. */
  readonly workbench: string | null;
  readonly children?: ReactNode;
}

/** @param epoch another number evaluates a relative time again */
function useList(source: Source, view: View, epoch: number): ListQuery {
  const { filter, scope, sort, range } = view;
  const columns = view.columns?.join('\n');
  const moment = range === '' || range.includes('..') ? 0 : epoch;
  return useMemo(
    () => ({
      source,
      view: { filter, scope },
      // Evaluates a relative time once, so that the same view is the same query.
      time: rangeOf(range, Date.now()),
      sort,
      columns: columns?.split('\n') ?? defaultColumns(source),
    }),
    // The parts of the source identify it.
    // eslint-disable-next-line
    [source.kind, source.id, filter, scope, sort, range, moment, columns],
  );
}

interface BannersProps {
  readonly newer: number;
  readonly refresh: () => void;
  readonly warnings: readonly string[];
}

const Banners = ({ newer, refresh, warnings }: BannersProps) => (
  <>
    <VersionBanner />
    {newer > 0 && (
      <div className="banner news" role="status">
        {countText(newer, 'new or changed row')}
        <button type="button" className="small" onClick={refresh}>
          Show <kbd>.</kbd>
        </button>
      </div>
    )}
    {warnings.map((warning) => (
      <div key={warning} className="banner">
        {warning}
      </div>
    ))}
  </>
);

interface RowsBodyProps {
  readonly label: string;
  readonly identity: string;
  readonly list: ListQuery;
  readonly view: View;
  readonly rows: ReturnType<typeof useRows>;
  readonly count: number | null;
  readonly selected: string | null;
  /** False if the error is shown at the filter. */
  readonly isErrorShown: boolean;
  readonly choice: GridSelection | undefined;
}

/** Shown while the rows of the view are read, over the rows of the previous view if there are any. */
function Wait({ rows }: Pick<RowsBodyProps, 'rows'>) {
  if (!rows.isPlaceholderData && !rows.isPending) return null;
  const content = rows.isFetching ? (
    <Loading onCancel={rows.cancel} />
  ) : (
    <div className="loading" role="status">
      Cancelled.
      <button type="button" className="small" onClick={() => void rows.refetch()}>
        Run again
      </button>
    </div>
  );
  return rows.isPlaceholderData ? <div className="over">{content}</div> : content;
}

function RowsBody(props: RowsBodyProps) {
  const { label, list, view, rows, count, selected, isErrorShown, choice } = props;
  const href = useHref();
  const remove = (expression: string) =>
    change({ cols: list.columns.filter((one) => one !== expression).join('\n') });
  return (
    <>
      {rows.error && isErrorShown && (
        <Failure
          error={rows.error}
          retry={rows.isFetchNextPageError ? rows.fetchNextPage : rows.refetch}
        />
      )}
      <Wait rows={rows} />
      {rows.isSuccess && !rows.isPlaceholderData && rows.all.length === 0 && (
        <NoMatch view={view} />
      )}
      {rows.all.length > 0 && (
        <Table
          label={label}
          identity={props.identity}
          columns={rows.columns.map(columnOf)}
          rows={rows.all}
          count={count}
          selected={selected}
          keyOf={(row) => keyOf(list.source, row)}
          hrefOf={(row) => hrefWith(href, { r: keyOf(list.source, row), s: null })}
          head={{
            sort: view.sort,
            setSort: (sort) => change({ sort }),
            remove: list.columns.length === 1 ? null : remove,
            addValue: (expression, raw) => change(withValue(list, expression, raw)),
            selection: list,
            version: rows.pinned,
          }}
          hasMore={rows.hasMore}
          loadMore={rows.fetchNextPage}
          isStale={rows.isPlaceholderData || rows.error !== null}
          choice={choice}
        />
      )}
      {rows.isCut && (
        <p className="banner">
          The first {numberText(rows.all.length)} rows are shown. A filter, a shorter time or
          another order leads to the others.
        </p>
      )}
    </>
  );
}

const chooseRange = ({ from, to }: TimeRange) =>
  change({ t: `${new Date(from!).toISOString()}..${new Date(to!).toISOString()}` });

/** Rows without a time range have no histogram. */
function OverTime({ extent, histogram }: ReturnType<typeof useCounts>) {
  const failed = [extent, histogram].find(({ error }) => error !== null);
  if (failed?.error) return <Failure error={failed.error} retry={failed.refetch} />;
  const isBlank = extent.data === undefined || extent.data.first === null;
  return isBlank || histogram.data === undefined ? null : (
    <Histogram
      {...histogram.data}
      isStale={extent.isPlaceholderData || histogram.isPlaceholderData}
      choose={chooseRange}
    />
  );
}

const classOf = (panel: ReactNode): string => (panel === false ? 'rows' : 'rows with-panel');

/** A source without rows. It is no component, so that what is above keeps its state when the first row arrives. */
const blankView = (label: string, above: ReactNode, content: ReactNode, panel: ReactNode) => (
  <div className={classOf(panel)}>
    <h1 className="hidden">{label}</h1>
    <section className="rows-list" aria-label={label}>
      {above}
      {content}
    </section>
    {panel}
  </div>
);

/** The number of refreshes. A list that is opened again shows the rows of the last one. */
let refreshes = 0;

/** The rows of a view. A refresh reads the latest version, up to now, also of the open trace. */
function useView(source: Source, view: View) {
  const [epoch, setEpoch] = useState(refreshes);
  const client = useQueryClient();
  const list = useList(source, view, epoch);
  return {
    list,
    rows: useRows(list, view.version, epoch),
    // Does not change while a relative time moves on.
    identity: [view.filter, view.scope, view.sort, view.range].join('\n'),
    refresh: () => {
      refreshes += 1;
      setEpoch(refreshes);
      void client.invalidateQueries({ queryKey: ['trace'] });
    },
  };
}

export function RowsView({ source, label, whenEmpty, workbench, children }: RowsViewProps) {
  const href = useHref();
  const view = viewOf(href.searchParams);
  const { list, rows, identity, refresh } = useView(source, view);
  const { extent, histogram } = useCounts(list, rows.pinned);
  const newer = useNewer(list, rows.pinned, view.version === '');
  const [isLive, setLive] = useState(false);
  const [isQueryOpen, setQueryOpen] = useState(false);
  const isBlank = rows.isSuccess && !rows.isPlaceholderData && rows.all.length === 0;
  const isUnfiltered = view.filter === '' && view.range === '' && view.version === '';
  const isRootless = useHasSpans(source, isBlank && isUnfiltered && view.scope === 'root');
  useWhen(newer > 0 && (isLive || isBlank), refresh);
  const step = useTimeSteps(source);
  useShortcuts([
    { key: '.', label: 'Show newer rows', run: refresh },
    ...(isBlank && isUnfiltered
      ? []
      : [{ key: 'q', label: 'Show the query of this view', run: () => setQueryOpen(true) }]),
  ]);
  const keyOfRow = (row: RawRow) => keyOf(source, row);
  const selection = useSelectedRows(identity, rows.all, keyOfRow);
  // Actions change the present, so an earlier version has none.
  const choice = workbench === null || view.version !== '' ? undefined : selection;
  // The server has accepted the filter if a later page fails.
  const filterError = rows.isFetchNextPageError
    ? null
    : filterErrorOf(rows.error, rows.query, view.filter);
  const selected = href.searchParams.get('r');
  const neighbours = useNeighbours(rows, keyOfRow, selected);
  const panel = selected !== null && (
    <TracePanel
      source={source}
      root={selected}
      span={href.searchParams.get('s')}
      version={view.version === '' ? null : view.version}
      neighbours={neighbours}
    />
  );
  if (isBlank && isUnfiltered)
    return blankView(label, children, isRootless ? <Rootless /> : whenEmpty, panel);
  return (
    <div className={classOf(panel)}>
      <h1 className="hidden">{label}</h1>
      <section className="rows-list" aria-label={label}>
        {children}
        <Toolbar
          list={list}
          view={view}
          pinned={rows.pinned}
          count={extent.data?.n ?? null}
          isStale={extent.isPlaceholderData}
          first={extent.data?.first ?? null}
          filterError={filterError}
          isLive={isLive}
          setLive={setLive}
          openQuery={() => setQueryOpen(true)}
        />
        <Banners newer={isLive || isBlank ? 0 : newer} refresh={refresh} warnings={rows.warnings} />
        <ActionError error={step.error} />
        {choice !== undefined && choice.count > 0 && (
          <BulkBar source={source} rows={choice.chosen} keyOf={keyOfRow} clear={choice.clear} />
        )}
        <OverTime extent={extent} histogram={histogram} />
        <RowsBody
          label={label}
          identity={identity}
          list={list}
          view={view}
          rows={rows}
          count={extent.data?.n ?? null}
          selected={selected}
          isErrorShown={filterError === null}
          choice={choice}
        />
      </section>
      {panel}
      {isQueryOpen && (
        <QueryDialog
          query={exportQuery(list)}
          version={rows.pinned}
          workbench={workbench}
          missing={missingMetrics(list, [...list.columns, list.sort])}
          close={() => setQueryOpen(false)}
        />
      )}
    </div>
  );
}

/** The keys before and after the open row in the table, of which the next page is read in time. */
function useNeighbours(
  { all, hasMore, fetchNextPage }: RowsBodyProps['rows'],
  keyOfRow: (row: RawRow) => string,
  selected: string | null,
) {
  const index = selected === null ? -1 : all.findIndex((row) => keyOfRow(row) === selected);
  useWhen(
    hasMore && index >= 0 && index > all.length - ahead,
    () => void fetchNextPage({ cancelRefetch: false }),
  );
  const at = (place: number) => {
    const row = index < 0 ? undefined : all[place];
    return row === undefined ? null : keyOfRow(row);
  };
  return { previous: at(index - 1), next: at(index + 1) };
}
