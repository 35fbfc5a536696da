// Merges an event with `_is_merge` into a live row.
import { deepMerge, type MergeRules, pathsBelow } from '../json/deep-merge.js';
import { stringOfJson, type JsonText } from '../json/json-text.js';
import { isLosslessText, parseJson } from '../json/parse.js';
import { stringifyJson } from '../json/stringify.js';
import { type JsonColumn, jsonColumns } from '../schema/event-columns.js';
import type { EventObject } from '../schema/event-row.js';
import type { IncomingEvent } from './incoming.js';
import { buildRow, type NewRow } from './row.js';

/** The creation time and the span fields of the base stay unchanged. */
export function mergeRow(object: EventObject, base: NewRow, event: IncomingEvent): NewRow {
  const json = mergeColumns(base, event);
  return buildRow(object, {
    id: base.id,
    deleted: false,
    lossless: changedColumns(base, event).some((column) =>
      isLosslessText(stringOfJson(json[column] ?? '')),
    ),
    created: base.created,
    span: {
      spanId: base.span_id,
      rootSpanId: base.root_span_id,
      spanParents: base.span_parents,
    },
    datasetRecordId:
      event.datasetRecordId === undefined ? base.dataset_record_id : event.datasetRecordId,
    tags: mergedTags(base.tags, event),
    json,
  });
}

function mergedTags(
  base: readonly string[] | null,
  { tags, unitesTags = false }: IncomingEvent,
): readonly string[] | null {
  if (tags === undefined) return base;
  return unitesTags && tags !== null ? [...new Set([...(base ?? []), ...tags])] : tags;
}

/** The columns to check for lossless values; in a base without any, only merged columns can have them. */
const changedColumns = (base: NewRow, { json }: IncomingEvent): readonly JsonColumn[] =>
  base._lossless ? jsonColumns : jsonColumns.filter((column) => json[column] !== undefined);

/** Keys that merges omit at any depth, though plain inserts store them. */
const neverMerged: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

function mergeColumns(
  base: NewRow,
  { json, mergePaths, mergesAllKeys = false }: IncomingEvent,
): Partial<Record<JsonColumn, JsonText | null>> {
  const merged: Partial<Record<JsonColumn, JsonText | null>> = {};
  for (const column of jsonColumns) {
    const patch = json[column];
    merged[column] =
      patch === undefined
        ? base[column]
        : mergeText(base[column], patch, {
            mergePaths: pathsBelow(mergePaths, column),
            ...(mergesAllKeys ? {} : { droppedKeys: neverMerged }),
          });
  }
  return merged;
}

function mergeText(
  base: JsonText | null,
  patch: JsonText | null,
  rules: MergeRules,
): string | null {
  if (patch === null) return null;
  const baseValue = base === null ? undefined : parseJson(stringOfJson(base), 'stored JSON');
  return stringifyJson(deepMerge(baseValue, parseJson(stringOfJson(patch), 'merged JSON'), rules));
}
