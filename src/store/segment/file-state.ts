// What the file system says of a file, without reading it.
import { statSync } from 'node:fs';

/** Null when there is no such file, or it cannot be reached. */
export function sizeOf(path: string): number | null {
  try {
    return statSync(path).size;
  } catch {
    return null;
  }
}

export const missing = 'missing';

// Synchronous: it takes some microseconds, and the engine makes the same call when it opens the file.
export function stateOf(path: string): string {
  try {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false });
    if (found === undefined) return missing;
    const { ino, size, mtimeNs, ctimeNs } = found;
    return [ino, size, mtimeNs, ctimeNs].join(' ');
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? missing;
  }
}

/** A size as a person says it. */
export const sizeText = (bytes: number): string =>
  bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
