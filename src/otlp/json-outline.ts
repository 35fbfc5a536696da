// An ExportTraceServiceRequest in JSON -> its outline. What lies around resources, scopes and spans is checked here, they
// themselves when they are read.
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
import { bodyName } from './protobuf.js';

/** Arrays and objects that are open around each part. */
export const levelsAround = { member: 1, resource: 3, scope: 5, span: 6 } as const;

/** The value in `range`. `where` names it in the sentence that refuses too deep a nesting. */
export const parseRange = (bytes: Buffer, { start, end }: Range, levels: number): JsonValue =>
  parseJson(bytes.toString('utf8', start, end), bodyName, {
    levels,
    position: () => positionOf(bytes, start, 0),
  });

const rangeAt = (cursor: Cursor, place: string): Range =>
  rangeOfValue(cursor, { ...limits, name: () => place });

/** Reads and checks a value that is not descended into. */
const valueAt = (cursor: Cursor, levels: number, place: string): JsonValue =>
  parseRange(cursor.bytes, rangeAt(cursor, place), levels);

/** Elements of the array at the cursor; null stands for an empty one. */
function* listAt(cursor: Cursor, levels: number, place: string): Generator<number> {
  if (isAt(cursor, '[')) {
    yield* indexesAt(cursor);
    return;
  }
  const value = valueAt(cursor, levels, place);
  if (value !== null) throw badRequest(`${place}: expected an array, got ${describeJson(value)}`);
}

function expectObject(cursor: Cursor, levels: number, place: string): void {
  if (isAt(cursor, '{')) return;
  const value = valueAt(cursor, levels, place);
  throw badRequest(`${place}: expected an object, got ${describeJson(value)}`);
}

function schemaUrlAt(cursor: Cursor, levels: number, place: string): string {
  const value = valueAt(cursor, levels, place);
  return typeof value === 'string' ? value : '';
}

function* walkScope(
  cursor: Cursor,
  outline: Outline,
  source: ScopeSource,
  place: string,
): Generator<null> {
  const levels = levelsAround.scope;
  expectObject(cursor, levels - 1, place);
  for (const name of keysAt(cursor)) {
    const inner = `${place}.${name}`;
    if (name === 'scope') source.scope = rangeAt(cursor, inner);
    else if (name === 'schemaUrl') source.schemaUrl = schemaUrlAt(cursor, levels, inner);
    else if (name !== 'spans') valueAt(cursor, levels, inner);
    else
      for (const index of listAt(cursor, levels, inner)) {
        outline.addSpan(source, rangeAt(cursor, `${inner}[${index}]`));
        yield null;
      }
  }
}

function* walkResource(
  cursor: Cursor,
  outline: Outline,
  source: ResourceSource,
  place: string,
): Generator<null> {
  const levels = levelsAround.resource;
  expectObject(cursor, levels - 1, place);
  for (const name of keysAt(cursor)) {
    const inner = `${place}.${name}`;
    if (name === 'resource') source.resource = rangeAt(cursor, inner);
    else if (name === 'schemaUrl') source.schemaUrl = schemaUrlAt(cursor, levels, inner);
    else if (name !== 'scopeSpans') valueAt(cursor, levels, inner);
    else
      for (const index of listAt(cursor, levels, inner)) {
        yield* walkScope(cursor, outline, outline.openScope(source), `${inner}[${index}]`);
        yield null;
      }
  }
}

/**
 * A list that comes twice is the two of them, one after the other. The caller may pause after each step.
 * @throws RequestError 400 for text that is not JSON, or not such a message, or has too many spans
 */
export function* jsonOutline(bytes: Buffer): Generator<null, Outline> {
  const cursor: Cursor = { bytes, at: 0, where: bodyName };
  const outline = emptyOutline();
  if (endsAt(cursor)) throw badRequest(`${bodyName}: expected an object, got nothing`);
  expectObject(cursor, 0, bodyName);
  for (const name of keysAt(cursor)) {
    if (name !== 'resourceSpans') valueAt(cursor, levelsAround.member, name);
    else
      for (const index of listAt(cursor, levelsAround.member, name)) {
        yield* walkResource(cursor, outline, outline.openResource(), `${name}[${index}]`);
        yield null;
      }
  }
  endOfDocument(cursor);
  return outline;
}
