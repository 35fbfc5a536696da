// Makes events of the rows of a file: columns that are fields of events go there, the others into `metadata`, and a map names
// exceptions.
import { createHash } from 'node:crypto';
import type { JsonObject, JsonValue } from '../../json/json.js';
import { parseJson } from '../../json/parse.js';
import { stringifyJson } from '../../json/stringify.js';
import { isJsonObject, membersOf } from '../../json/tree.js';
import { eventInserts, isIgnoredEventField } from '../../schema/event.js';
import type { EventObjectKind } from '../../schema/event-row.js';
import { UsageError } from '../context.js';
import type { FileFormat } from './formats/formats.js';
import { RowError, valueAt, type Row } from './row.js';

export interface MapEntry {
  /** Path in the event, such as `['metadata', 'model']`. */
  readonly field: readonly string[];
  /** Name of a column, or else names from a column into its value, joined by dots. */
  readonly column: string;
}

export interface Mapping {
  /** @throws RowError for text that is no JSON object, or not of the format */
  readonly eventsOf: (row: Row) => readonly MappedEvent[];
  /** The columns that went into metadata because they are no fields. */
  readonly inMetadata: ReadonlySet<string>;
  /** The columns of the map that a row had. */
  readonly found: ReadonlySet<string>;
}

export interface MappedEvent {
  readonly id: string;
  readonly text: string;
  readonly line: number;
}

type Tree = Map<string, JsonValue>;

/** Fields that are never a text, of which CSV and Parquet have the JSON as a text. */
const structuredFields = new Set(
  'metadata scores metrics context span_attributes origin classifications tags span_parents'.split(
    ' ',
  ),
);
/** Fields of which each member is a number, except that a score can be true or false. */
const numericFields = new Set(['scores', 'metrics']);

const isField = (kind: EventObjectKind, name: string): boolean =>
  Object.hasOwn(eventInserts[kind].properties, name);

/** @throws UsageError for an entry that is not `field=column`, or whose field no event of the kind has */
export function readMap(kind: EventObjectKind, entries: readonly string[]): readonly MapEntry[] {
  return entries.map((entry) => {
    const at = entry.indexOf('=');
    if (at < 1 || at === entry.length - 1)
      throw new UsageError(`--map ${entry}: expected FIELD=COLUMN`);
    const field = entry.slice(0, at).split('.');
    if (!isField(kind, field[0]!))
      throw new UsageError(
        `--map ${entry}: events have no field "${field[0]}"; fields are ${Object.keys(eventInserts[kind].properties).join(', ')}`,
      );
    return { field, column: entry.slice(at + 1) };
  });
}

function parsedCell(value: JsonValue, field: readonly string[], isText: boolean): JsonValue {
  if (typeof value !== 'string') return value;
  const [first = ''] = field;
  const isNumeric = field.length === 2 && numericFields.has(first);
  const isStructured = field.length === 1 && structuredFields.has(first);
  if (isNumeric ? !isText : !isStructured && !(isText && /^[[{]/.test(value))) return value;
  try {
    return parseJson(value);
  } catch {
    return value;
  }
}

const derivedId = (file: string, { text, line }: Row): string =>
  createHash('sha256').update(`${file}\n${line}\n${text}`).digest('hex').slice(0, 32);

/** Puts a value at a path of an event. @throws RowError if there is one */
function place(event: Tree, path: readonly string[], value: JsonValue, at: string): void {
  let object = event;
  for (const name of path.slice(0, -1)) {
    const inner = object.get(name) ?? null;
    if (inner !== null && !isJsonObject(inner))
      throw new RowError(at, `"${name}" is no object, so there is no place for ${path.join('.')}`);
    const copy = new Map(inner === null ? [] : membersOf(inner));
    object.set(name, copy);
    object = copy;
  }
  const last = path.at(-1)!;
  if (object.has(last))
    throw new RowError(at, `two columns belong to ${path.join('.')}: map one of them with --map`);
  object.set(last, value);
}

const parsed = (row: Row, at: string): JsonObject => {
  let value: JsonValue;
  try {
    value = parseJson(row.text, 'the row');
  } catch (error) {
    throw new RowError(at, (error as Error).message);
  }
  if (!isJsonObject(value)) throw new RowError(at, 'expected a JSON object');
  return value;
};

export interface MappingOptions {
  readonly kind: EventObjectKind;
  readonly format: FileFormat;
  readonly map: readonly MapEntry[];
  /** Name of the file, which is part of derived ids. */
  readonly file: string;
}

export function mappingOf({ kind, format, map, file }: MappingOptions): Mapping {
  const { unit, isText = false, hasNulls = false } = format;
  const inMetadata = new Set<string>();
  const found = new Set<string>();
  const mapped = new Set(map.map(({ column }) => column));
  const isTaken = (name: string) => isField(kind, name) || isIgnoredEventField(name);

  /** The text of a row is an event as it is, except that the id can be missing. */
  const asItIs = (row: Row): MappedEvent | null => {
    if (map.length > 0 || isText || hasNulls) return null;
    let value: unknown;
    try {
      value = JSON.parse(row.text);
    } catch {
      return null;
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
    const names = Object.keys(value);
    if (names.length === 0 || !names.every(isTaken)) return null;
    const { id } = value as { id?: unknown };
    if (typeof id === 'string' && id !== '') return { id, text: row.text, line: row.line };
    if ('id' in value) return null;
    const derived = derivedId(file, row);
    const members = row.text.slice(row.text.indexOf('{') + 1);
    return { id: derived, text: `{"id":"${derived}",${members}`, line: row.line };
  };

  const made = (row: Row): MappedEvent => {
    const at = `${unit} ${row.line}`;
    const columns = parsed(row, at);
    const event: Tree = new Map();
    const others: [path: readonly string[], value: JsonValue][] = [];
    for (const [name, value] of membersOf(columns)) {
      if (mapped.has(name) || (hasNulls && value === null)) continue;
      const path = isTaken(name) ? [name] : name.split('.');
      if (isTaken(path[0]!)) others.push([path, parsedCell(value, path, isText)]);
      else {
        inMetadata.add(name);
        others.push([['metadata', name], parsedCell(value, ['metadata', name], isText)]);
      }
    }
    for (const { field, column } of map) {
      const value = valueAt(columns, column);
      if (value === undefined || (hasNulls && value === null)) continue;
      found.add(column);
      others.push([field, parsedCell(value, field, isText)]);
    }
    // Whole fields come first, so that members find their place in them.
    for (const [path, value] of others.toSorted(([a], [b]) => a.length - b.length))
      place(event, path, value, at);
    const sent = event.get('id') ?? null;
    const id =
      sent === null || sent === ''
        ? derivedId(file, row)
        : typeof sent === 'string'
          ? sent
          : stringifyJson(sent);
    event.delete('id');
    return { id, text: stringifyJson(new Map([['id', id], ...event])), line: row.line };
  };

  return { eventsOf: (row) => [asItIs(row) ?? made(row)], inMetadata, found };
}
