// The toolbar of a table: filter, scope, time, columns, and the number of rows.
import { countText } from '../../kit/format.js';
import { change } from '../../kit/location.js';
import { ColumnsMenu } from './columns-menu.js';
import { FilterBar } from './filter-bar.js';
import { RangeMenu, VersionMenu } from './range-menu.js';
import type { ListQuery, Scope, View } from './view.js';

interface ToolbarProps {
  readonly list: ListQuery;
  readonly view: View;
  readonly pinned: string | null;
  readonly count: number | null;
  /** Whether it is the count of the view before. */
  readonly isStale: boolean;
  /** The time of the earliest row, ISO 8601; null if unknown. */
  readonly first: string | null;
  readonly filterError: string | null;
  readonly isLive: boolean;
  readonly setLive: (isLive: boolean) => void;
  readonly openQuery: () => void;
}

const scopes: readonly (readonly [Scope, string, string])[] = [
  ['root', 'Root span', 'The filter is a condition on the root span of a trace'],
  ['span', 'Any span', 'Some span of the trace passes the filter'],
  [
    'trace',
    'Whole trace',
    'The filter is a condition on the totals of a trace, such as its duration',
  ],
];

const ScopeField = ({ scope }: { readonly scope: Scope }) => (
  <select
    aria-label="Scope of the filter"
    title={scopes.find(([value]) => value === scope)?.[2]}
    value={scope}
    onChange={(event) => change({ in: event.target.value === 'root' ? null : event.target.value })}
  >
    {scopes.map(([value, label]) => (
      <option key={value} value={value}>
        {label}
      </option>
    ))}
  </select>
);

export function Toolbar(props: ToolbarProps) {
  const { list, view, pinned, count, filterError, isLive, setLive, openQuery } = props;
  const isDataset = list.source.kind === 'dataset';
  return (
    <div className="toolbar" role="group" aria-label="View">
      {!isDataset && <ScopeField scope={view.scope} />}
      <FilterBar
        selection={list}
        version={pinned}
        error={filterError}
        apply={(filter) => change({ f: filter.trim() })}
      />
      <RangeMenu range={view.range} choose={(t) => change({ t })} />
      <VersionMenu version={view.version} first={props.first} choose={(v) => change({ v })} />
      <ColumnsMenu
        source={list.source}
        columns={list.columns}
        isUsual={view.columns === null}
        set={(columns) => change({ cols: columns === null ? null : columns.join('\n') })}
      />
      {view.sort !== '' && (
        <button type="button" onClick={() => change({ sort: null })}>
          Newest first
        </button>
      )}
      <button type="button" aria-pressed={isLive} onClick={() => setLive(!isLive)}>
        Live
      </button>
      <button type="button" onClick={openQuery}>
        Query
      </button>
      <span className={props.isStale ? 'count stale' : 'count'} role="status">
        {count !== null && countText(count, isDataset ? 'record' : 'trace')}
      </span>
    </div>
  );
}
