// The paths of a JSON value with their types, for `infer`. Objects and arrays are paths; elements of arrays are not.

/** Limits on the paths of one value, since wide and deep documents have more than can be shown. */
const pathsMax = 500;
const stepsMax = 100;
const nameCharactersMax = 1_000;
/** The maximum length of a listed string value. */
const valueCharactersMax = 200;

export interface TypedPath {
  /** JSON text of an array of keys. */
  readonly name: string;
  readonly type: 'object' | 'array' | 'string' | 'number' | 'boolean';
  /** JSON text of a boolean, a finite number or a short string; null for other values. */
  readonly value: string | null;
}

type Step = string | number;

interface Part {
  readonly steps: readonly Step[];
  readonly value: unknown;
}

/**
 * The paths of a value, shortest first; null has none.
 * @param text JSON
 * @param start the path of the value
 */
export function typedPaths(text: string, start: readonly Step[]): readonly TypedPath[] {
  const paths: TypedPath[] = [];
  let level: readonly Part[] = [{ steps: start, value: JSON.parse(text) }];
  while (level.length > 0) {
    const below: Part[] = [];
    for (const part of level) {
      const path = typedPath(part);
      if (path === null) continue;
      if (paths.push(path) === pathsMax) return paths;
      if (path.type !== 'object' || part.steps.length - start.length === stepsMax) continue;
      // More would not be listed.
      for (const [key, value] of Object.entries(part.value as object).slice(0, pathsMax))
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
  if (typeof value === 'object') return { name, type: 'object', value: null };
  return { name, type: typeof value as 'string' | 'number' | 'boolean', value: shown(value) };
}

function shown(value: unknown): string | null {
  if (typeof value === 'number' && !Number.isFinite(value)) return null;
  return typeof value === 'string' && value.length > valueCharactersMax
    ? null
    : JSON.stringify(value);
}
