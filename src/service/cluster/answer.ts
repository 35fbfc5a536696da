// The answer of a Trino cluster to one query: from the bound query over a snapshot of its project's table to rows that the server reads.
import type { CompiledQuery, PreparedQuery } from '../../query/compile.js';
import { answeredBy, fit, keptCell, keptTypes } from '../../query/trino/answer.js';
import { compileForTrino, type TrinoQuery } from '../../query/trino/compile.js';
import { tableAt } from '../../query/trino/table.js';
import type { QueryContext } from '../../query/value/time.js';
import type { EventObject } from '../../schema/event-row.js';
import { tableName } from '../../schema/iceberg.js';
import type { EventStore, Snapshot, TableSnapshot } from '../../store/event-store.js';
import type { TrinoClient } from '../../trino/client.js';

/** A query whose sources the caller may read. */
export interface ClusterQuery {
  /** As the list of running queries has it. */
  readonly id: string;
  readonly client: string;
  readonly prepared: PreparedQuery;
  readonly objects: readonly EventObject[];
  readonly context: QueryContext;
  /** Whether the request names a version. */
  readonly isOfVersion: boolean;
  /** The query as it is for DuckDB. */
  readonly compiled: CompiledQuery;
  readonly isHeavy: boolean;
  readonly snapshot: Snapshot;
  /** More rows than these are not asked for; Infinity for all. */
  readonly rowsMax: number;
  readonly signal: AbortSignal;
}

/** To be released after the answer is written. */
export interface ClusterAnswer {
  /** Of the version that the answer has. */
  readonly snapshot: Snapshot;
  /** Its rows are those of the cluster. */
  readonly compiled: CompiledQuery;
  readonly release: () => Promise<void>;
}

interface Declined {
  readonly declined: string;
}

interface AnswerDeps {
  readonly store: EventStore;
  readonly catalog: string;
  readonly client: Pick<TrinoClient, 'pages'>;
}

const declined = (reason: string): Declined => ({ declined: reason });

const idsOf = ({ objects }: ClusterQuery): readonly string[] => objects.map(({ id }) => id);

/** The project of all objects. */
function projectOf({ objects, isOfVersion }: ClusterQuery): string | Declined {
  const [project, ...others] = new Set(objects.map(({ projectId }) => projectId));
  if (isOfVersion) return declined('a version');
  if (project === undefined) return declined('no events');
  return others.length > 0 ? declined('several projects') : project;
}

function compiledOver(
  { number, segments }: Pick<TableSnapshot, 'number' | 'segments'>,
  project: string,
  catalog: string,
  query: ClusterQuery,
): TrinoQuery | Declined {
  const { prepared, context, compiled: ours } = query;
  const compiled = compileForTrino(prepared, {
    table: { from: tableAt([catalog, project, tableName], number), segments },
    objectIds: idsOf(query),
    context,
    hasPages: ours.page !== null,
  });
  if ('declined' in compiled || fit(ours.columns, compiled.columns)) return compiled;
  return declined('a column of another type');
}

const noTable: Pick<TableSnapshot, 'number' | 'segments'> = { number: 0, segments: [] };

/** The query over the current table, whatever that lacks; null if it would compile, but there is no table. */
export async function compiledNow(
  { store, catalog }: Pick<AnswerDeps, 'store' | 'catalog'>,
  query: ClusterQuery,
): Promise<TrinoQuery | Declined | null> {
  const project = projectOf(query);
  if (typeof project !== 'string') return project;
  const table = await store.currentTable(project, idsOf(query));
  const compiled = compiledOver(table ?? noTable, project, catalog, query);
  table?.release();
  return table === null && !('declined' in compiled) ? null : compiled;
}

/** @throws ClusterError; RequestError 503 for a full disk; the signal's reason if it is aborted */
export async function answerOf(
  deps: AnswerDeps,
  query: ClusterQuery,
  signal: AbortSignal,
): Promise<ClusterAnswer | Declined> {
  const project = projectOf(query);
  if (typeof project !== 'string') return project;
  const { store, catalog } = deps;
  // So that nothing is flushed for a query that declines.
  const before = await compiledNow(deps, query);
  if (before !== null && 'declined' in before) return before;
  const objectIds = idsOf(query);
  const table = await store.freshTable(project, objectIds, signal);
  if (table === null) return declined('the table cannot be published now');
  try {
    const compiled = compiledOver(table, project, catalog, query);
    if ('declined' in compiled) return compiled;
    const snapshot = await store.snapshot(table.version, query.client);
    if (snapshot.identity(objectIds) === table.identity)
      return await keptAnswer(deps.client, query, compiled, snapshot, signal);
    await snapshot.release();
    return declined('events that are being removed');
  } finally {
    table.release();
  }
}

/** Keeps the rows in a temporary file. The answer owns the snapshot. */
async function keptAnswer(
  client: AnswerDeps['client'],
  { compiled, rowsMax }: ClusterQuery,
  { sql, columns }: TrinoQuery,
  snapshot: Snapshot,
  signal: AbortSignal,
): Promise<ClusterAnswer> {
  const kept = snapshot.givenRows();
  const started = performance.now();
  const release = async () => {
    await kept.remove();
    await snapshot.release();
  };
  try {
    for await (const page of client.pages(sql, signal)) {
      await kept.add(page.map((row) => columns.map((each, index) => keptCell(each, row[index]))));
      if (kept.count > rowsMax + 1) break;
    }
    const select = await kept.select(columns.map(({ kind }) => keptTypes[kind]));
    snapshot.times.read += performance.now() - started;
    return { snapshot, compiled: answeredBy(compiled, columns, select), release };
  } catch (error) {
    await release();
    throw error;
  }
}
