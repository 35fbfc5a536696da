// The key paths of a JSON value with their types: what `infer` shows. Objects and arrays are paths, too; elements of arrays are not.

/** Of one value: wide and deep documents would otherwise have more than can be shown. */
const pathsMax = 500;
const stepsMax = 100;
const nameCharactersMax = 1_000;
/** Longer strings are no values to choose from. */
const valueCharactersMax = 200;

export interface TypedPath {
  /** JSON text of an array of keys. */
  readonly name: string;
  readonly type: 'object' | 'array' | 'string' | 'number' | 'boolean';
  /** JSON text of a boolean, a number that is finite or a short string; null for others. */
  readonly value: string | null;
}

type Step = string | number;

interface Part {
  readonly steps: readonly Step[];
  readonly value: unknown;
}

/**
 * The paths of a value that is not null, those with few steps first; null has none.
 * @param text JSON
 * @param start where the value is
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
      // Those beyond would not be listed.
      for (const [key, value] of Object.entries(part.value as object).slice(0, pathsMax))
        below.push({ steps: [...part.steps, key], value });
    }
    level = below.slice(0, pathsMax);
  }
  return paths;
}

/** Null for no value, and for one whose name is too long to be shown. */
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
