// The state of the server, and its running and slow queries.
import { useQuery } from '@tanstack/react-query';
import { readJson, send } from './request.js';

interface Size {
  readonly rows: number;
  readonly bytes: number;
}

export interface Disk {
  readonly free_bytes: number;
  readonly reserve_bytes: number;
  /** Bytes by name; none before they are measured. */
  readonly folders: Readonly<Record<string, number>>;
  /** Null in the first hour of the server. */
  readonly growth_bytes_per_day: number | null;
  /** Null unless the disk fills. */
  readonly days_left: number | null;
}

export interface MaintenanceTask {
  readonly task: string;
  readonly runs: number;
  readonly failures: number;
  /** Of the last run. */
  readonly last_seconds: number | null;
  /** ISO 8601; null for never. */
  readonly succeeded: string | null;
  readonly failed: string | null;
  readonly is_failing: boolean;
}

/** Users that own no organisation get null for what is of the whole server. */
export interface ServerStatus {
  readonly version: string;
  readonly commit: string | null;
  readonly started: string;
  readonly last_xact_id: string;
  readonly buffered: (Size & { readonly age_seconds: number }) | null;
  readonly queries: { readonly running: number; readonly waiting: number } | null;
  readonly deleted_bytes: number | null;
  readonly disk: Disk | null;
  readonly maintenance: readonly MaintenanceTask[] | null;
  readonly projects: readonly (Size & {
    readonly project_id: string;
    readonly project_name: string;
    readonly segments: number;
    readonly superseded_rows: number;
  })[];
}

interface ListedQuery {
  readonly id: string;
  /** The first part of the text. */
  readonly query: string;
  readonly project_ids: readonly string[];
  /** ISO 8601. */
  readonly started: string;
  readonly elapsed_ms: number;
  readonly waited_ms: number;
}

export interface RunningQuery extends ListedQuery {
  readonly state: 'waiting' | 'running';
}

export interface SlowQuery extends ListedQuery {
  /** Upper estimates; null if the query ended before it read. */
  readonly rows: number | null;
  readonly bytes: number | null;
}

/** The refresh intervals, in milliseconds; a query may end at any time. */
const refreshMs = 5_000;
const runningMs = 2_500;

export const useStatus = () =>
  useQuery({
    queryKey: ['status'],
    queryFn: ({ signal }) => readJson<ServerStatus>('/status', { signal }),
    refetchInterval: refreshMs,
  });

export const queriesKey = ['queries'];

export const useQueries = () =>
  useQuery({
    queryKey: queriesKey,
    queryFn: ({ signal }) =>
      readJson<{ objects: readonly RunningQuery[]; slow: readonly SlowQuery[] }>('/v1/queries', {
        signal,
      }),
    refetchInterval: ({ state }) => (state.data?.objects.length ? runningMs : refreshMs),
  });

export const cancelQuery = (id: string) => send(`/v1/queries/${id}`, { method: 'DELETE' });
