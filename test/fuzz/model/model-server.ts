// The events of one object as an array of row versions, and every read of them by brute force.
import {
  canonical,
  byCodePoint,
  isObject,
  string,
  tag,
  textIn,
  type Tagged,
} from './tagged-json.js';
import {
  applyRequest,
  utcMicros,
  valueFields,
  type Cell,
  type ObjectKind,
  type RowState,
  type SentEvent,
  type Values,
} from './model-row.js';

export interface ModelObject {
  readonly kind: ObjectKind;
  readonly id: string;
  readonly projectId: string;
  readonly orgId: string;
  readonly versions: RowVersion[];
}

export interface RowVersion extends RowState {
  readonly object: ModelObject;
  readonly xactId: bigint;
  readonly position: number;
}

export interface Tuple {
  readonly xactId: bigint;
  readonly rootSpanId: string;
}

export interface PathFilter {
  readonly path: readonly string[];
  /** JSON text. */
  readonly value: string;
}

/** Later than every transaction id. */
export const latest = 1n << 63n;

const latestVersions = ({ versions }: ModelObject, at: bigint): readonly RowVersion[] => [
  ...new Map(
    versions.filter(({ xactId }) => xactId <= at).map((version) => [version.id, version]),
  ).values(),
];

export const textOf = ({ text }: Cell): string => text ?? '';

const newestFirst = (left: RowVersion, right: RowVersion): number =>
  Number(right.xactId - left.xactId) ||
  byCodePoint(textOf(right.rootSpanId), textOf(left.rootSpanId)) ||
  right.position - left.position;

/** What was live at `at`, in no special order. */
const liveRows = (object: ModelObject, at: bigint): readonly RowVersion[] =>
  latestVersions(object, at).filter(({ deleted }) => !deleted);

/** What was live at `at`, in the order of pages. */
export const liveAt = (objects: readonly ModelObject[], at: bigint): readonly RowVersion[] =>
  objects.flatMap((object) => liveRows(object, at)).sort(newestFirst);

/** What the request would store; throws `Refused`. */
export const stateAfter = (
  object: ModelObject,
  events: readonly SentEvent[],
  ids: readonly string[],
): readonly RowState[] =>
  applyRequest(events, ids, (id) => liveRows(object, latest).find((row) => row.id === id));

export function store(object: ModelObject, rows: readonly RowState[], xactId: bigint): void {
  object.versions.push(...rows.map((row, position) => ({ ...row, object, xactId, position })));
}

/** Takes all versions of the events. Returns how many these are. */
export function remove({ versions }: ModelObject, ids: ReadonlySet<string>): number {
  const kept = versions.filter(({ id }) => !ids.has(id));
  return versions.splice(0, Infinity, ...kept).length - kept.length;
}

/** The events of traces whose versions are all older. What the server does not show, deletions, it made itself, just now. */
export function expired({ versions }: ModelObject, cutoffMs: number): ReadonlySet<string> {
  const isOld = ({ created: { text } }: RowVersion) =>
    text !== undefined && Number(text) * 1000 < cutoffMs;
  const fresh = versions.filter((version) => !isOld(version));
  const traces = new Set(fresh.map(({ rootSpanId }) => rootSpanId.text));
  const kept = versions.filter(({ rootSpanId }) => traces.has(rootSpanId.text));
  const keptIds = new Set(kept.map(({ id }) => id));
  return new Set(versions.map(({ id }) => id).filter((id) => !keptIds.has(id)));
}

/** Rows strictly after the tuple as of its transaction, without those that are deleted by now. */
export function afterTuple(object: ModelObject, { xactId, rootSpanId }: Tuple) {
  const gone = new Set(
    latestVersions(object, latest)
      .filter(({ deleted }) => deleted)
      .map(({ id }) => id),
  );
  return liveAt([object], xactId).filter(
    (row) => !gone.has(row.id) && isAfter(row, { xactId, rootSpanId }),
  );
}

export const isAfter = (row: RowVersion, { xactId, rootSpanId }: Tuple): boolean =>
  row.xactId < xactId ||
  (row.xactId === xactId && byCodePoint(textOf(row.rootSpanId), rootSpanId) < 0);

/** How many of the rows make a page of at most `limit` traces. */
export function pageLength(rows: readonly RowVersion[], limit: number | null): number {
  if (limit === null) return rows.length;
  const traces = new Set<string>();
  const end = rows.findIndex(({ rootSpanId }) => traces.add(textOf(rootSpanId)).size > limit);
  return end === -1 ? rows.length : end;
}

export const passes = (row: RowVersion, filters: readonly PathFilter[]): boolean =>
  filters.every(({ path: [field = '', ...steps], value }) => {
    const found = steps.reduce<Tagged>(memberOf, fieldOf(row, field));
    return canonical(found) === canonical(tag(value));
  });

export const memberOf = (value: Tagged, key: string): Tagged =>
  isObject(value) && Object.hasOwn(value, string(key)) ? (value[string(key)] ?? null) : null;

/** The value of a top-level field of a fetched row; null for unknown names. */
export const fieldOf = (row: RowVersion, name: string): Tagged => eventOf(row)[name] ?? null;

/** The fetched row, field by field; `created` in microseconds, as `normalised` gives it. */
export function eventOf(row: RowVersion): Readonly<Record<string, Tagged>> {
  const { object } = row;
  return {
    id: string(row.id),
    _xact_id: string(String(row.xactId)),
    created: string(textOf(row.created)),
    project_id: string(object.projectId),
    ...ownFields(object, row.values),
    span_id: string(textOf(row.spanId)),
    root_span_id: string(textOf(row.rootSpanId)),
    span_parents: row.spanParents?.map((cell) => string(textOf(cell))) ?? null,
    is_root: row.spanParents === null,
  };
}

function ownFields(object: ModelObject, values: Values): Record<string, Tagged> {
  const common = Object.fromEntries(valueFields.map((name) => [name, values[name] ?? null]));
  if (object.kind === 'experiment') return { ...common, experiment_id: string(object.id) };
  const { dataset_record_id: _dropped, ...fields } = common;
  if (object.kind === 'dataset') return { ...fields, dataset_id: string(object.id) };
  return { ...fields, org_id: string(object.orgId), log_id: string('g') };
}

/** A row of an answer in the terms of `eventOf`. */
export function normalised(event: Tagged): Readonly<Record<string, Tagged>> {
  if (!isObject(event)) throw new Error(`expected an event, got ${JSON.stringify(event)}`);
  const fields = Object.entries(event).map(([name, value]) => [name.slice(1), value]);
  const named = Object.fromEntries(fields) as Record<string, Tagged>;
  return { ...named, created: string(utcMicros(textIn(named['created']))) };
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Takes over what the server chose for the row; throws when it could not have chosen that. */
export function learn(row: RowVersion, event: Readonly<Record<string, Tagged>>): void {
  const shown = (name: string) => textIn(event[name]);
  learnCell(row.created, shown('created'), /^\d{10}\.\d{6}$/);
  learnCell(row.spanId, shown('span_id'), uuid);
  learnCell(row.rootSpanId, shown('root_span_id'), uuid);
  const parents = event['span_parents'];
  for (const [index, cell] of (row.spanParents ?? []).entries())
    learnCell(cell, textIn((parents as readonly Tagged[] | null)?.[index]), uuid);
}

function learnCell(cell: Cell, shown: string, form: RegExp): void {
  if (cell.text !== undefined) return;
  if (!form.test(shown)) throw new Error(`the server chose ${JSON.stringify(shown)}, not ${form}`);
  cell.text = shown;
}
