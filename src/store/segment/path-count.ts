// A key path of a JSON column, and in how many rows it occurs.

export interface PathCount {
  readonly steps: readonly string[];
  /** How many rows have the path, JSON null included. */
  readonly rows: number;
}

const compare = (left: string, right: string): number => (left < right ? -1 : Number(left > right));

/** Those with few steps first, then the most frequent. */
export const inDefaultOrder = (a: PathCount, b: PathCount): number =>
  a.steps.length - b.steps.length || b.rows - a.rows || compare(a.steps.at(-1)!, b.steps.at(-1)!);
