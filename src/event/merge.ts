// Merges an event with `_is_merge` into a live row.
import { type MergeRules, pathsBelow, topRule, replaces } from '../json/deep-merge.js';
import { hasIntegerKey } from '../json/exactness.js';
import { bytesOfJson, stringOfJson, type JsonText } from '../json/json-text.js';
import { mergeIntoText, namesIn } from '../json/merge-text.js';
import { type JsonColumn, jsonColumns, scalarColumns } from '../schema/event-columns.js';
import type { EventObject } from '../schema/event-row.js';
import type { IncomingEvent } from './incoming.js';
import { buildRow, type NewRow, type Scalars } from './row.js';

/** The creation time and the span fields of the base stay unchanged. */
export function* mergeRow(
  object: EventObject,
  base: NewRow,
  event: IncomingEvent,
): Generator<void, NewRow> {
  const json = yield* mergeColumns(base, event);
  return buildRow(object, {
    id: base.id,
    deleted: false,
    lossless: base._lossless || event.lossless || addsIntegerKey(event, json),
    created: base.created,
    span: {
      spanId: base.span_id,
      rootSpanId: base.root_span_id,
      spanParents: base.span_parents,
    },
    scalars: mergedScalars(base, event),
    json,
  });
}

function mergedScalars(
  base: NewRow,
  { scalars, unitesTags = false }: IncomingEvent,
): Partial<Scalars> {
  const stored = Object.fromEntries(scalarColumns.map((column) => [column, base[column]]));
  const merged: Partial<Scalars> = { ...stored, ...scalars };
  const { tags = null } = scalars;
  return unitesTags && tags !== null
    ? { ...merged, tags: [...new Set([...(base.tags ?? []), ...tags])] }
    : merged;
}

/** Whether a merge may add a key that JavaScript would move before those of the base. */
const addsIntegerKey = ({ json }: IncomingEvent, merged: IncomingEvent['json']): boolean =>
  jsonColumns.some((column) => {
    const patch = json[column] ?? null;
    return patch !== null && merged[column] !== patch && hasIntegerKey(stringOfJson(patch));
  });

/** Keys that merges omit at any depth, though plain inserts store them. */
const neverMerged: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Stored JSON has no white space. */
const isObjectText = (json: JsonText): boolean =>
  typeof json === 'string' ? json.startsWith('{') : json.bytes[json.start] === openBrace;

const openBrace = 0x7b;

function* mergeColumns(
  base: NewRow,
  { json, mergePaths, mergesAllKeys = false }: IncomingEvent,
): Generator<void, Partial<Record<JsonColumn, JsonText | null>>> {
  const merged: Partial<Record<JsonColumn, JsonText | null>> = {};
  for (const column of jsonColumns) {
    const patch = json[column];
    merged[column] =
      patch === undefined
        ? base[column]
        : yield* mergeText(base[column], patch, {
            mergePaths: pathsBelow(mergePaths, column),
            ...(mergesAllKeys ? {} : { droppedKeys: neverMerged }),
          });
  }
  return merged;
}

function* mergeText(
  base: JsonText | null,
  patch: JsonText | null,
  rules: MergeRules,
): Generator<void, JsonText | null> {
  const rule = topRule(rules);
  if (patch === null || !isObjectText(patch) || replaces(rule)) return patch;
  const bytes = bytesOfJson(patch);
  if (base !== null && isObjectText(base))
    return yield* mergeIntoText(bytesOfJson(base), bytes, rules);
  // The parts of a new value are neither changed nor, unless it names one of them, omitted.
  return namesIn(bytes, rule.droppedKeys).size === 0
    ? patch
    : yield* mergeIntoText(bytesOfJson('{}'), bytes, rules);
}
