// Finds the outline of an ExportTraceServiceRequest in JSON. Validates only the text around resources, scopes and spans;
// these are validated when they are read.
import { badRequest } from '../errors.js';
import type { JsonValue } from '../json/json.js';
import { parseJson } from '../json/parse.js';
import {
  endOfDocument,
  endsAt,
  indexesAt,
  isAt,
  keysAt,
  rangeOfValue,
  type Cursor,
} from '../json/walk.js';
import { positionOf } from '../json/list-slices.js';
import { describeJson } from './describe.js';
import { limits } from '../schema/limits.js';
import {
  emptyOutline,
  type Outline,
  type Range,
  type ResourceSource,
  type ScopeSource,
} from './outline.js';
import { requestBody } from './protobuf.js';

/** The number of arrays and objects around each part. */
export const levelsAround = { member: 1, resource: 3, scope: 5, span: 6 } as const;

/** Parses the value in `range`. `where` names it in the error for excessive depth. */
export const parseRange = (bytes: Buffer, { start, end }: Range, levels: number): JsonValue =>
  parseJson(bytes.toString('utf8', start, end), requestBody, {
    levels,
    position: () => positionOf(bytes, start, 0),
  });

const rangeAt = (cursor: Cursor, path: string): Range =>
  rangeOfValue(cursor, { values: limits.spanValues, digits: limits.digits, name: () => path });

/** Parses a whole value. */
const valueAt = (cursor: Cursor, levels: number, path: string): JsonValue =>
  parseRange(cursor.bytes, rangeAt(cursor, path), levels);

/** Yields the indexes of the array at the cursor; null counts as an empty array. */
function* listAt(cursor: Cursor, levels: number, path: string): Generator<number> {
  if (isAt(cursor, '[')) {
    yield* indexesAt(cursor);
    return;
  }
  const value = valueAt(cursor, levels, path);
  if (value !== null) throw badRequest(`${path}: expected an array, got ${describeJson(value)}`);
}

function expectObject(cursor: Cursor, levels: number, path: string): void {
  if (isAt(cursor, '{')) return;
  const value = valueAt(cursor, levels, path);
  throw badRequest(`${path}: expected an object, got ${describeJson(value)}`);
}

function schemaUrlAt(cursor: Cursor, levels: number, path: string): string {
  const value = valueAt(cursor, levels, path);
  return typeof value === 'string' ? value : '';
}

function walkScope(cursor: Cursor, outline: Outline, source: ScopeSource, path: string): void {
  const levels = levelsAround.scope;
  expectObject(cursor, levels - 1, path);
  for (const name of keysAt(cursor)) {
    const inner = `${path}.${name}`;
    if (name === 'scope') source.scope = rangeAt(cursor, inner);
    else if (name === 'schemaUrl') source.schemaUrl = schemaUrlAt(cursor, levels, inner);
    else if (name !== 'spans') valueAt(cursor, levels, inner);
    else
      for (const index of listAt(cursor, levels, inner))
        outline.addSpan(source, rangeAt(cursor, `${inner}[${index}]`));
  }
}

function walkResource(
  cursor: Cursor,
  outline: Outline,
  source: ResourceSource,
  path: string,
): void {
  const levels = levelsAround.resource;
  expectObject(cursor, levels - 1, path);
  for (const name of keysAt(cursor)) {
    const inner = `${path}.${name}`;
    if (name === 'resource') source.resource = rangeAt(cursor, inner);
    else if (name === 'schemaUrl') source.schemaUrl = schemaUrlAt(cursor, levels, inner);
    else if (name !== 'scopeSpans') {
      outline.ignore(name, 'scopeSpans', path);
      valueAt(cursor, levels, inner);
    } else
      for (const index of listAt(cursor, levels, inner))
        walkScope(cursor, outline, outline.openScope(source), `${inner}[${index}]`);
  }
}

/** Duplicate lists are concatenated. @throws RequestError 400 for invalid JSON, another message, or too many spans */
export function jsonOutline(bytes: Buffer): Outline {
  const cursor: Cursor = { bytes, at: 0, where: requestBody };
  const outline = emptyOutline();
  if (endsAt(cursor)) throw badRequest(`${requestBody}: expected an object, got nothing`);
  expectObject(cursor, 0, requestBody);
  for (const name of keysAt(cursor)) {
    if (name !== 'resourceSpans') {
      outline.ignore(name, 'resourceSpans', requestBody);
      valueAt(cursor, levelsAround.member, name);
    } else
      for (const index of listAt(cursor, levelsAround.member, name))
        walkResource(cursor, outline, outline.openResource(), `${name}[${index}]`);
  }
  endOfDocument(cursor);
  return outline;
}
