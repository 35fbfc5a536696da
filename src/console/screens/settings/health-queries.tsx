// The queries that run or wait, which can be cancelled, and the last slow ones.
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { ActionError, useAction } from '../../kit/action.js';
import { bytesText, durationText, numberText, timeText } from '../../kit/format.js';
import { ListTable } from '../../kit/list-table.js';
import { QueryState } from '../../kit/states.js';
import {
  cancelQuery,
  queriesKey,
  useQueries,
  type RunningQuery,
  type SlowQuery,
} from '../../server/health.js';

/** Project names by id. */
type Names = ReadonlyMap<string, string>;

const ofQuery = (
  { query, project_ids, started, elapsed_ms }: RunningQuery | SlowQuery,
  names: Names,
) => (
  <>
    <td className="cut" title={query}>
      <code>{query}</code>
    </td>
    <td className="cut">{project_ids.map((id) => names.get(id) ?? id).join(', ')}</td>
    <td className="number" title={timeText(started)}>
      {durationText(elapsed_ms / 1000)}
    </td>
  </>
);

function RunningRow({ query, names }: { readonly query: RunningQuery; readonly names: Names }) {
  const client = useQueryClient();
  const [isCancelled, setCancelled] = useState(false);
  const { isBusy, error, start } = useAction('Cancel', async () => {
    await cancelQuery(query.id);
    setCancelled(true);
    await client.invalidateQueries({ queryKey: queriesKey });
  });
  return (
    <tr>
      {ofQuery(query, names)}
      <td>{isCancelled ? 'cancelled' : query.state}</td>
      <td className="number">
        <button
          type="button"
          className="small"
          disabled={isBusy || isCancelled}
          onClick={start}
          aria-label={`Cancel ${query.query}`}
        >
          Cancel
        </button>
        <ActionError error={error} />
      </td>
    </tr>
  );
}

interface QueryTableProps {
  readonly title: string;
  readonly none: string;
  readonly head: ReactNode;
  readonly rows: readonly ReactNode[];
}

const QueryTable = ({ title, none, head, rows }: QueryTableProps) => (
  <>
    <h2>{title}</h2>
    {rows.length === 0 ? (
      <p className="muted">{none}</p>
    ) : (
      <ListTable
        label={title}
        head={
          <>
            <th>Query</th>
            <th>Projects</th>
            {head}
          </>
        }
      >
        {rows}
      </ListTable>
    )}
  </>
);

export function HealthQueries({ names }: { readonly names: Names }) {
  const queries = useQueries();
  if (queries.data === undefined) return <QueryState query={queries} />;
  const { objects, slow } = queries.data;
  return (
    <>
      <QueryState query={queries} />
      <QueryTable
        title="Running queries"
        none="No query runs or waits."
        head={
          <>
            <th className="number">Age</th>
            <th>State</th>
            <th>
              <span className="hidden">Cancel</span>
            </th>
          </>
        }
        rows={objects.map((query) => (
          <RunningRow key={query.id} query={query} names={names} />
        ))}
      />
      <QueryTable
        title="Slow queries"
        none="No query was slow since the start of the server."
        head={
          <>
            <th className="number">Duration</th>
            <th className="number">of which waiting</th>
            <th className="number">Rows read</th>
            <th className="number">Size</th>
            <th>Started</th>
          </>
        }
        rows={slow.map((query) => (
          <tr key={query.id}>
            {ofQuery(query, names)}
            <td className="number">{durationText(query.waited_ms / 1000)}</td>
            <td className="number">{query.rows === null ? '–' : numberText(query.rows)}</td>
            <td className="number">{query.bytes === null ? '–' : bytesText(query.bytes)}</td>
            <td className="time">{timeText(query.started)}</td>
          </tr>
        ))}
      />
    </>
  );
}
