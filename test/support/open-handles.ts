import { readdirSync, readlinkSync } from 'node:fs';

/** The file descriptors of this process point at `file`. */
export function openHandles(file: string): readonly string[] {
  return readdirSync('/proc/self/fd').filter((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`) === file;
    } catch {
      return false;
    }
  });
}
