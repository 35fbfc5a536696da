// The Trino cluster that the settings name: whether it answers as DuckDB does, and what queries would be there. Loaded if there is one.
import type { Logger } from 'pino';
import type { PreparedQuery } from '../query/compile.js';
import { compileForTrino } from '../query/trino/compile.js';
import { conformanceQueries, difference } from '../query/trino/conformance.js';
import { tableNamed } from '../query/trino/table.js';
import type { QueryContext } from '../query/value/time.js';
import { tableName } from '../schema/iceberg.js';
import type { EventObject } from '../schema/event-row.js';
import { pathsIn, type EventStore, type Snapshot } from '../store/event-store.js';
import type { TrinoAddress } from '../trino/address.js';
import { TrinoClient } from '../trino/client.js';
import { ClusterError } from '../trino/errors.js';

/** - `differs`: it gives other answers than DuckDB. `unavailable`: it gives none. */
export type ClusterState = 'checking' | 'agrees' | 'differs' | 'unavailable';

export interface ClusterStatus {
  readonly name: string;
  readonly state: ClusterState;
  /** One sentence; null if it agrees, or is not checked yet. */
  readonly reason: string | null;
  /** When it was checked last, in milliseconds since 1970; null before. */
  readonly checked: number | null;
}

/** A query whose sources the caller may read. */
export interface ClusterQuery {
  readonly prepared: PreparedQuery;
  readonly objects: readonly EventObject[];
  readonly context: QueryContext;
  /** Whether the request names a version. */
  readonly isOfVersion: boolean;
}

export interface ClusterOptions {
  readonly address: TrinoAddress;
  /** The name of the catalog in Trino. */
  readonly catalog: string;
  readonly store: EventStore;
  readonly log: Logger;
}

const checkMsMax = 120_000;

/** The next check after one that found the cluster to agree or to differ, and after one that found none. */
const nextCheckMs = { found: 600_000, unavailable: 10_000 } as const;

const declined = (reason: string) => ({ sql: null, declined: reason });

export class Cluster {
  readonly #options: ClusterOptions;
  readonly #client: TrinoClient;
  readonly #closing = new AbortController();
  #status: ClusterStatus;
  #check: Promise<void>;
  #timer: NodeJS.Timeout | null = null;

  /** Checks the cluster in the background. */
  constructor(options: ClusterOptions) {
    this.#options = options;
    this.#client = new TrinoClient(options.address);
    this.#status = { name: this.#client.name, state: 'checking', reason: null, checked: null };
    this.#check = this.#checked();
  }

  get status(): ClusterStatus {
    return this.#status;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#check;
  }

  /** The statement that has the rows of the query, or why there is none. */
  async explain(
    snapshot: Snapshot,
    query: ClusterQuery,
  ): Promise<{ sql: string | null; declined: string | null }> {
    const { objects, prepared, context } = query;
    const projects = [...new Set(objects.map(({ projectId }) => projectId))];
    const [project] = projects;
    if (query.isOfVersion) return declined('a version');
    if (project === undefined) return declined('no events');
    if (projects.length > 1) return declined('several projects');
    const published = await this.#options.store.table(project);
    if (published === null) return declined('no table');
    const objectIds = objects.map(({ id }) => id);
    const { branches } = snapshot.live(objectIds);
    const segments = branches.map(({ paths }) => paths && pathsIn(published, paths));
    if (segments.includes(null)) return declined('events that the table does not have yet');
    const from = tableNamed(this.#options.catalog, project, tableName);
    const table = { from, segments };
    const compiled = compileForTrino(prepared, { table, objectIds, context });
    return 'declined' in compiled
      ? declined(compiled.declined)
      : { sql: compiled.sql, declined: null };
  }

  async #checked(): Promise<void> {
    const found = await this.#found();
    if (this.#closing.signal.aborted) return;
    const { reason: before } = this.#status;
    this.#status = { ...this.#status, ...found, checked: Date.now() };
    const { state, reason } = found;
    if (reason !== null && reason !== before)
      this.#options.log.error(`no query runs on the cluster: ${reason}`);
    const ms = state === 'unavailable' ? nextCheckMs.unavailable : nextCheckMs.found;
    this.#timer = setTimeout(() => (this.#check = this.#checked()), ms).unref();
  }

  async #found(): Promise<Pick<ClusterStatus, 'state' | 'reason'>> {
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(checkMsMax)]);
    try {
      const reason = await this.#difference(signal);
      if (reason === null) return { state: 'agrees', reason };
      return { state: 'differs', reason: `${this.#client.name} differs from DuckDB: ${reason}` };
    } catch (error) {
      if (error instanceof ClusterError) return { state: 'unavailable', reason: error.message };
      const why = error instanceof Error ? error.message : String(error);
      return {
        state: 'unavailable',
        reason: `the cluster ${this.#client.name} was not checked: ${why}`,
      };
    }
  }

  async #difference(signal: AbortSignal): Promise<string | null> {
    for (const query of conformanceQueries()) {
      const found = await this.#client.rows(query.trino.sql, signal);
      const snapshot = await this.#options.store.snapshot(null, '');
      try {
        const expected: string[] = [];
        for await (const rows of snapshot.stream(query.texts, { queue: 'small', signal }))
          expected.push(...rows.map(([text]) => String(text)));
        const differs = difference(query, expected, found);
        if (differs !== null) return differs;
      } finally {
        await snapshot.release();
      }
    }
    return null;
  }
}
