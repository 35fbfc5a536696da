// Makes events of what another tool exported, by a table of fields. Members of a record that the table does not name go into `metadata`.
import type { JsonObject, JsonValue } from '../../../json/json.js';
import { parseJson } from '../../../json/parse.js';
import { stringifyJson } from '../../../json/stringify.js';
import { isJsonObject, memberOf, membersOf } from '../../../json/tree.js';
import { namesTo, RowError, valueAt, type Row } from '../row.js';
import { parsed, textOf, type Conversion } from './conversions.js';

/** Leads from a record to a value, by names joined by dots. A path that begins with `/` starts at the record around the span. */
type Source = string;

export interface FieldRule {
  /** Names in the event, joined by dots. */
  readonly to: string;
  /** The first of them that has a value counts. */
  readonly from: Source | readonly Source[];
  /** Undefined leaves the field out. By default, the value as it is. */
  readonly as?: Conversion;
}

export interface ForeignFormat {
  readonly title: string;
  /** The values that make the id of an event and its span together. The first one has to be there. */
  readonly id: readonly Source[];
  /** Objects that some files have as JSON text. */
  readonly texts?: readonly string[];
  /** The list of records in an answer of the API of the tool. */
  readonly page?: Source;
  /** A member that another kind of file of the tool has, and the advice for it. */
  readonly other?: { readonly member: Source; readonly advice: string };
  /** The list of spans in a record; by default, a record is a span. */
  readonly spans?: Source;
  /** Lists of further spans in a record that is a span itself. */
  readonly inner?: Source;
  readonly fields: readonly FieldRule[];
}

const isAbsent = (value: JsonValue | undefined): boolean =>
  value === undefined || value === null || value === '';

type Tree = Map<string, JsonValue>;

function put(event: Tree, [first = '', ...rest]: readonly string[], value: JsonValue): void {
  if (rest.length === 0) {
    event.set(first, value);
    return;
  }
  const inner = event.get(first) ?? null;
  const copy: Tree = new Map(isJsonObject(inner) ? membersOf(inner) : []);
  put(copy, rest, value);
  event.set(first, copy);
}

const sourcesOf = ({ from }: FieldRule): readonly Source[] =>
  typeof from === 'string' ? [from] : from;

const sourceValue = (source: Source, span: JsonObject, record: JsonObject) =>
  source.startsWith('/') ? valueAt(record, source.slice(1)) : valueAt(span, source);

/** The object without the values at these names, and without objects that are empty then. */
function without(object: JsonObject, taken: readonly (readonly string[])[]): Tree {
  const rest: Tree = new Map();
  for (const [name, value] of membersOf(object)) {
    const inside = taken.filter(([first]) => first === name).map((names) => names.slice(1));
    if (isAbsent(value) || inside.some(({ length }) => length === 0)) continue;
    const left = isJsonObject(value) && inside.length > 0 ? without(value, inside) : value;
    if (!(left instanceof Map) || left.size > 0) rest.set(name, left);
  }
  return rest;
}

function eventOf(format: ForeignFormat, span: JsonObject, record: JsonObject): Tree {
  const event: Tree = new Map();
  const taken = [...format.id, format.inner ?? ''].map((source) => namesTo(span, source) ?? ['']);
  for (const rule of format.fields) {
    const source = sourcesOf(rule).find((each) => !isAbsent(sourceValue(each, span, record)));
    if (source === undefined) continue;
    const value = sourceValue(source, span, record)!;
    const converted = rule.as === undefined ? value : rule.as(value, span);
    if (isAbsent(converted)) continue;
    put(event, rule.to.split('.'), converted!);
    taken.push(namesTo(span, source) ?? ['']);
  }
  const known = event.get('metadata') ?? null;
  const metadata = without(span, taken);
  if (isJsonObject(known)) for (const [name, value] of membersOf(known)) metadata.set(name, value);
  else if (known !== null) metadata.set('metadata', known);
  if (metadata.size > 0) event.set('metadata', metadata);
  return event;
}

const listAt = (record: JsonObject, source: Source): readonly JsonObject[] => {
  const list = valueAt(record, source);
  return Array.isArray(list) ? (list as readonly JsonValue[]).filter(isJsonObject) : [];
};

function spansOf({ spans, inner }: ForeignFormat, record: JsonObject): readonly JsonObject[] {
  if (spans !== undefined) return listAt(record, spans);
  return inner === undefined ? [record] : [record, ...listAt(record, inner)];
}

/** Null if the first part of the id is missing. */
function idOf({ id }: ForeignFormat, span: JsonObject, record: JsonObject): string | null {
  const [first, ...others] = id.map((source) => sourceValue(source, span, record));
  if (isAbsent(first)) return null;
  return [first, ...others].flatMap((value) => (isAbsent(value) ? [] : textOf(value!))).join('-');
}

/** The record with objects instead of their texts. */
function withObjects({ texts = [] }: ForeignFormat, record: JsonObject): JsonObject {
  const found = texts.filter((name) => typeof memberOf(record, name) === 'string');
  if (found.length === 0) return record;
  const objects = found.map((name) => [name, parsed(memberOf(record, name)!)!] as const);
  return new Map([...membersOf(record), ...objects]);
}

function recordsOf(format: ForeignFormat, record: JsonObject): readonly JsonObject[] {
  const { page } = format;
  const isPage = page !== undefined && Array.isArray(memberOf(record, page));
  return (isPage ? listAt(record, page) : [record]).map((each) => withObjects(format, each));
}

/** The error for a record that is none of the tool. */
function unknown({ title, other }: ForeignFormat, at: string, record: JsonValue): RowError {
  const isOther =
    other !== undefined && isJsonObject(record) && memberOf(record, other.member) !== undefined;
  return new RowError(at, `this is no record of ${title}${isOther ? `: ${other.advice}` : ''}`);
}

/** The events of a row as JSON text, with their ids. @throws RowError for a row that is not of the format */
export function foreignEvents(format: ForeignFormat, unit: string, { text, line }: Row) {
  const at = `${unit} ${line}`;
  let record: JsonValue;
  try {
    record = parseJson(text, 'the record');
  } catch (error) {
    throw new RowError(at, (error as Error).message);
  }
  if (!isJsonObject(record)) throw unknown(format, at, record);
  const records = recordsOf(format, record);
  const events = records.flatMap((each) =>
    spansOf(format, each).map((span) => {
      const id = idOf(format, span, each);
      if (id === null) throw unknown(format, at, record);
      const event = eventOf(format, span, each);
      const ids = ['id', 'span_id', 'root_span_id'].map((name) => [name, id] as const);
      return { id, text: stringifyJson(new Map<string, JsonValue>([...ids, ...event])), line };
    }),
  );
  if (events.length === 0 && records.length > 0) throw unknown(format, at, record);
  return events;
}
