// The paths of a JSON value with their types, for `infer`. Objects and arrays are paths; elements of arrays are not.
import { isLosslessNumber } from 'lossless-json';
import type { JsonObject, JsonValue } from './json.js';
import { parseJson } from './parse.js';
import { stringifyJson } from './stringify.js';
import { isJsonObject, membersOf } from './tree.js';

/** Limits on the paths of one value, since wide and deep documents have more than can be shown. */
const pathsMax = 500;
const stepsMax = 100;
const nameCharactersMax = 1_000;
/** The maximum length of a string or number whose value is listed. */
const valueCharactersMax = 200;

export interface TypedPath {
  /** JSON text of an array of keys. */
  readonly name: string;
  readonly type: 'object' | 'array' | 'string' | 'number' | 'boolean';
  /** JSON text of a boolean, or of a short number or string; null for other values. */
  readonly value: string | null;
}

type Step = string | number;

interface Part {
  readonly steps: readonly Step[];
  readonly value: JsonValue;
}

/**
 * The paths of a value, shortest first; null has none.
 * @param text JSON
 * @param start the path of the value
 */
export function typedPaths(text: string, start: readonly Step[]): readonly TypedPath[] {
  const paths: TypedPath[] = [];
  let level: readonly Part[] = [{ steps: start, value: parseJson(text) }];
  while (level.length > 0) {
    const below: Part[] = [];
    for (const part of level) {
      const path = typedPath(part);
      if (path === null) continue;
      if (paths.push(path) === pathsMax) return paths;
      if (path.type !== 'object' || part.steps.length - start.length === stepsMax) continue;
      // More would not be listed.
      for (const [key, value] of [...membersOf(part.value as JsonObject)].slice(0, pathsMax))
        below.push({ steps: [...part.steps, key], value });
    }
    level = below.slice(0, pathsMax);
  }
  return paths;
}

/** Returns null for JSON null, and if the name is too long to list. */
function typedPath({ steps, value }: Part): TypedPath | null {
  if (value === null) return null;
  const name = JSON.stringify(steps);
  if (name.length > nameCharactersMax) return null;
  if (Array.isArray(value)) return { name, type: 'array', value: null };
  if (isJsonObject(value)) return { name, type: 'object', value: null };
  const type = isLosslessNumber(value)
    ? 'number'
    : (typeof value as 'string' | 'number' | 'boolean');
  return { name, type, value: shown(value) };
}

function shown(value: JsonValue): string | null {
  const { length } = isLosslessNumber(value) ? value.value : typeof value === 'string' ? value : '';
  return length > valueCharactersMax ? null : stringifyJson(value);
}
