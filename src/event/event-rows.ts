// Decodes a Parquet file: an event in each row. A column has a field of events, or a member of one.
import { badRequest } from '../errors.js';
import type { JsonValue } from '../json/json.js';
import { objectInOrder } from '../json/ordered.js';
import type { EventObjectKind } from '../schema/event-row.js';
import { isIgnoredEventField } from '../schema/event.js';
import { readPlacedEvent } from './decode.js';
import { jsonForError } from './field-error.js';
import { isEventField } from './fields.js';
import type { IncomingEvent } from './incoming.js';
import { openParquet, rowsOf, type ParquetLimits, type ReadRows } from './parquet/rows.js';

/** Where the values of a column are in the event: in a field, or in a member of it. */
interface Target {
  readonly column: string;
  readonly field: string;
  /** Null for the field itself. */
  readonly member: string | null;
}

/** `scores/helpful` is the member `helpful` of `scores`. */
function targetOf(column: string): Target {
  const slash = column.indexOf('/');
  return slash === -1
    ? { column, field: column, member: null }
    : { column, field: column.slice(0, slash), member: column.slice(slash + 1) };
}

/** @throws RequestError 400 for columns that are no fields of events */
function targetsOf(kind: EventObjectKind, columns: readonly string[]): readonly Target[] {
  const seen = new Set<string>();
  const targets = columns.map(targetOf).filter(({ field }) => !isIgnoredEventField(field));
  const whole = new Set(targets.flatMap(({ field, member }) => (member === null ? [field] : [])));
  for (const { column, field, member } of targets) {
    if (!isEventField(kind, field))
      throw badRequest(`request body: unknown field ${jsonForError(column)}`);
    if (seen.has(column) || (member !== null && whole.has(field)))
      throw badRequest(`request body: two columns have the field ${jsonForError(column)}`);
    seen.add(column);
  }
  return targets;
}

const eventsPerStep = 500;

/** Each step reads some rows, and yields their events. @throws RequestError 400, 413 */
export function* decodeParquetInSteps(
  kind: EventObjectKind,
  body: Buffer,
  parquetLimits: ParquetLimits,
): Generator<readonly IncomingEvent[], void> {
  const file = openParquet(body);
  const targets = targetsOf(
    kind,
    file.columns.map(({ element }) => element.name),
  );
  const names = new Set(targets.map(({ column }) => column));
  for (const rows of rowsOf(file, names, parquetLimits)) {
    const read = rowReader(rows, targets);
    for (let start = 0; start < rows.count; start += eventsPerStep) {
      const events: IncomingEvent[] = [];
      for (let row = start; row < Math.min(rows.count, start + eventsPerStep); row += 1)
        events.push(readPlacedEvent(kind, read(row), false, `row ${rows.first + row + 1}`));
      yield events;
    }
  }
}

/** Values that are null are absent: every row of a file has all columns. */
function rowReader({ columns }: ReadRows, targets: readonly Target[]): (row: number) => JsonValue {
  const values = new Map(columns.map((column) => [column.name, column.values]));
  return (row) => {
    const event: Record<string, JsonValue> = {};
    const members = new Map<string, Map<string, JsonValue>>();
    for (const { column, field, member } of targets) {
      const value = values.get(column)![row] ?? null;
      if (value === null) continue;
      if (member === null) event[field] = value;
      else members.set(field, (members.get(field) ?? new Map()).set(member, value));
    }
    for (const [field, object] of members) event[field] = objectInOrder(object);
    return event;
  };
}
