// `evalstore import FILE...`: adds the rows of files to the logs, to an experiment or to a dataset of a project.
import path from 'node:path';
import type { EventObjectKind } from '../../schema/event-row.js';
import { connect, type Client } from '../connection.js';
import { UsageError, type Context } from '../context.js';
import { startProgress } from '../progress.js';
import { patient } from '../retries.js';
import { foreignEvents } from './foreign/foreign-format.js';
import { foreignFormats, isForeign, otlp, type ForeignName } from './foreign/foreign-formats.js';
import type { FormatName } from './formats/formats.js';
import { mappingOf, readMap, type MapEntry, type MappedEvent, type Mapping } from './mapping.js';
import { openFile, sizeOf } from './open-file.js';
import { RowError, type Row } from './row.js';
import { inserts, sendEvents, storedRows, type Counts, type Target } from './send-events.js';
import { exports, spanMapping } from './spans.js';

export interface ImportOptions {
  readonly project?: string;
  readonly experiment?: string;
  readonly dataset?: string;
  readonly logs?: boolean;
  readonly from?: FormatName | ForeignName;
  readonly map: readonly string[];
  readonly replace?: boolean;
  readonly json?: boolean;
}

interface NamedTarget {
  readonly project: string;
  readonly kind: EventObjectKind;
  /** Null for the logs. */
  readonly name: string | null;
}

function targetOf({ project, experiment, dataset, logs }: ImportOptions): NamedTarget {
  if (project === undefined) throw new UsageError('name the project of the rows with --project');
  const named: NamedTarget[] = [];
  if (experiment !== undefined) named.push({ project, kind: 'experiment', name: experiment });
  if (dataset !== undefined) named.push({ project, kind: 'dataset', name: dataset });
  if (logs === true) named.push({ project, kind: 'project_logs', name: null });
  const [target] = named;
  if (target === undefined || named.length > 1)
    throw new UsageError('say where the rows go with one of --experiment, --dataset and --logs');
  return target;
}

interface Created {
  readonly id: string;
}

/** Makes what is missing; what has the name is used. */
async function openTarget(
  client: Client,
  { project, kind, name }: NamedTarget,
  replace: boolean,
): Promise<Target> {
  const { id: projectId } = await client.post<Created>('/v1/project', { name: project });
  const id =
    name === null
      ? projectId
      : (await client.post<Created>(`/v1/${kind}`, { project_id: projectId, name })).id;
  const keepsStored = !replace && (await storedRows({ client, kind, id }, 'id', '', 1)).length > 0;
  return { client, kind, id, keepsStored };
}

/** The rows that tell whether a file has the columns of the map. */
const firstRows = 1000;

async function* eventsOf(rows: AsyncIterable<Row>, mapping: Mapping, map: readonly MapEntry[]) {
  const first: MappedEvent[] = [];
  let isChecked = map.length === 0;
  const checked = () => {
    isChecked = true;
    const missing = map.find(({ column }) => !mapping.found.has(column));
    if (missing !== undefined && first.length > 0)
      throw new RowError(null, `no row has the column "${missing.column}" of --map`);
    return first.splice(0);
  };
  for await (const row of rows) {
    const events = mapping.eventsOf(row);
    if (isChecked) yield* events;
    else {
      first.push(...events);
      if (first.length >= firstRows) yield* checked();
    }
  }
  if (!isChecked) yield* checked();
}

const foreignMapping = (from: ForeignName, unit: string): Mapping =>
  from === otlp
    ? spanMapping
    : {
        eventsOf: (row) => foreignEvents(foreignFormats[from], unit, row),
        inMetadata: new Set(),
        found: new Set(),
      };

async function importFile(
  context: Context,
  target: Target,
  file: string,
  { from }: ImportOptions,
  map: readonly MapEntry[],
  counts: Counts,
): Promise<void> {
  const progress = startProgress(context, { label: file, totalBytes: await sizeOf(file) });
  let mapping: Mapping | null = null;
  try {
    const { format, rows } = await openFile(file, from, progress.addBytes);
    const named = path.basename(file);
    mapping =
      from !== undefined && isForeign(from)
        ? foreignMapping(from, format.unit)
        : mappingOf({ kind: target.kind, format, map, file: named });
    const receiver = from === otlp ? exports : inserts;
    const events = eventsOf(rows, mapping, map);
    await sendEvents(target, receiver, events, format.unit, counts, progress.add);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const place = error instanceof RowError && error.place !== null ? `${error.place}: ` : '';
    throw new Error(
      `${file}: ${place}${(error as Error).message.trim()}; ${counts.stored} rows were stored, and the same command goes on`,
      { cause: error },
    );
  } finally {
    progress.end();
  }
  const names = [...mapping.inMetadata];
  if (names.length > 0)
    context.note(
      `${file}: these columns are no fields of events, and are in metadata: ${names.join(', ')}`,
    );
}

/** @throws UsageError for wrong use; Error with a sentence that names the file, the line and the rows that were stored */
export async function importFiles(
  context: Context,
  files: readonly string[],
  options: ImportOptions,
): Promise<void> {
  const named = targetOf(options);
  const map = readMap(named.kind, options.map);
  if (options.from !== undefined && isForeign(options.from) && map.length > 0)
    throw new UsageError(
      `--map is for rows of one's own, and --from ${options.from} has its fields`,
    );
  if (options.from === otlp && named.kind === 'dataset')
    throw new UsageError('spans go to --logs or to --experiment, and not to a dataset');
  for (const file of files) await sizeOf(file);
  const client = patient(connect(context), true);
  const started = performance.now();
  const target = await openTarget(client, named, options.replace === true);
  const counts: Counts = { stored: 0, skipped: 0 };
  for (const file of files) await importFile(context, target, file, options, map, counts);
  const seconds = Math.round((performance.now() - started) / 100) / 10;
  const { stored, skipped } = counts;
  context.print(
    options.json === true
      ? JSON.stringify({ kind: target.kind, id: target.id, stored, skipped, seconds })
      : `${named.name ?? named.project}: ${stored} rows stored, ${skipped} were there, ${seconds} s`,
  );
}
