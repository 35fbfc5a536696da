// What the server must store: row versions of one object, and how the events of a request change them.
import { isObject, string, tag, type Tagged } from './tagged-json.js';

export type ObjectKind = 'project_logs' | 'experiment' | 'dataset';

/** A text that the server chose; undefined until an answer shows it. */
export interface Cell {
  text: string | undefined;
}

export const spanFields = ['span_id', 'root_span_id'] as const;

/** Fields whose value is the sender's, by name; absent means null. */
export const valueFields = [
  ...(['input', 'output', 'expected', 'error', 'scores', 'metadata', 'tags', 'metrics'] as const),
  ...(['context', 'span_attributes', 'origin', 'classifications', 'dataset_record_id'] as const),
] as const;

export type ValueField = (typeof valueFields)[number];
export type Values = Readonly<Partial<Record<ValueField, Tagged>>>;

/** An event as it is sent. The texts of `fields` are JSON. */
export interface SentEvent {
  readonly id: string | null;
  readonly fields: Readonly<Record<string, string>>;
  readonly isMerge?: boolean;
  readonly mergePaths?: readonly (readonly string[])[];
  readonly isDelete?: boolean;
  readonly parent?: string;
  readonly created?: string;
  readonly spanId?: string;
  readonly rootSpanId?: string;
  readonly spanParents?: readonly string[];
}

export interface RowState {
  readonly id: string;
  readonly deleted: boolean;
  readonly created: Cell;
  readonly spanId: Cell;
  readonly rootSpanId: Cell;
  readonly spanParents: readonly Cell[] | null;
  readonly values: Values;
}

/** The server must refuse the request, with a text that holds `naming`. */
export class Refused extends Error {
  constructor(readonly naming: string) {
    super(naming);
  }
}

type LiveRow = (id: string) => RowState | undefined;

/**
 * The row states that the events leave, one per id, in the order in which they take their places.
 * `ids` are the row ids of the events. Throws `Refused`.
 */
export function applyRequest(
  events: readonly SentEvent[],
  ids: readonly string[],
  live: LiveRow,
): readonly RowState[] {
  const written: RowState[] = [];
  const seen: LiveRow = (id) => {
    const own = written.findLast((row) => row.id === id);
    return own === undefined ? live(id) : aliveOnly(own);
  };
  for (const [index, event] of events.entries()) {
    written.push(nextState(event, ids[index] ?? '', seen, `events[${index}]`));
  }
  return written.filter((row, index) => written.findLastIndex(({ id }) => id === row.id) === index);
}

const aliveOnly = (row: RowState): RowState | undefined => (row.deleted ? undefined : row);

function nextState(event: SentEvent, id: string, live: LiveRow, place: string): RowState {
  if (event.isMerge === true && event.parent !== undefined) throw new Refused(place);
  if (event.isDelete === true) return { ...plainRow(event, id, live, place), deleted: true };
  const base = event.isMerge === true ? live(id) : undefined;
  if (base === undefined) return plainRow(event, id, live, place);
  return { ...base, values: mergeValues(base.values, valuesOf(event), event.mergePaths ?? []) };
}

function plainRow(event: SentEvent, id: string, live: LiveRow, place: string): RowState {
  return {
    id,
    deleted: false,
    created: { text: event.created === undefined ? undefined : utcMicros(event.created) },
    ...spanOf(event, live, place),
    values: valuesOf(event),
  };
}

function spanOf(event: SentEvent, live: LiveRow, place: string) {
  if (event.parent !== undefined) return spanOfChild(event.parent, live, place);
  const spanId = { text: event.spanId };
  const rootSpanId = event.rootSpanId === undefined ? spanId : { text: event.rootSpanId };
  const parents = event.spanParents ?? [];
  const spanParents = parents.length === 0 ? null : parents.map((text) => ({ text }));
  return { spanId, rootSpanId, spanParents };
}

function spanOfChild(parentId: string, live: LiveRow, place: string) {
  const parent = live(parentId);
  if (parent === undefined) throw new Refused(`${place}._parent_id`);
  const spanId: Cell = { text: undefined };
  return { spanId, rootSpanId: parent.rootSpanId, spanParents: [parent.spanId] };
}

const oldNames: Readonly<Record<string, ValueField>> = { inputs: 'input' };
const presentName = (name: string) => oldNames[name] ?? name;

function valuesOf({ fields }: SentEvent): Values {
  return Object.fromEntries(
    Object.entries(fields).map(([name, text]) => {
      const value = tag(text);
      return [presentName(name), name === 'scores' ? numericScores(value) : value];
    }),
  );
}

const numeric = (score: Tagged): Tagged =>
  typeof score === 'boolean' ? tag(String(Number(score))) : score;

/** true and false are the scores 1 and 0. */
function numericScores(scores: Tagged): Tagged {
  if (!isObject(scores)) return scores;
  return Object.fromEntries(Object.entries(scores).map(([name, score]) => [name, numeric(score)]));
}

type Paths = readonly (readonly string[])[];

function mergeValues(base: Values, patch: Values, paths: Paths): Values {
  const merged: Partial<Record<string, Tagged>> = { ...base };
  for (const [name, value] of Object.entries(patch)) {
    const below = pathsBelow(
      paths.map(([first = '', ...rest]) => [presentName(first), ...rest]),
      name,
    );
    merged[name] = mergeValue(base[name as ValueField] ?? null, value, below);
  }
  return merged;
}

const pathsBelow = (paths: Paths, key: string): Paths =>
  paths.filter(([first]) => first === key).map((path) => path.slice(1));

const neverMerged = new Set(['__proto__', 'constructor', 'prototype'].map(string));

function mergeValue(base: Tagged, patch: Tagged, paths: Paths): Tagged {
  if (!isObject(patch) || paths.some((path) => path.length === 0)) return patch;
  const merged: Record<string, Tagged> = isObject(base) ? { ...base } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (neverMerged.has(key)) continue;
    merged[key] = mergeValue(merged[key] ?? null, value, pathsBelow(paths, key.slice(1)));
  }
  return merged;
}

/** An ISO 8601 date-time with a zone, in one spelling: microseconds of UTC. */
export function utcMicros(text: string): string {
  const fraction = /\.(\d+)/.exec(text)?.[1] ?? '';
  const seconds = Date.parse(text.replace(/\.\d+/, '')) / 1000;
  return `${seconds}.${fraction.slice(0, 6).padEnd(6, '0')}`;
}
