// A disk whose space a test writes to a file: the store sees that instead of the disk of its directory.
import { readFile, rename, writeFile } from 'node:fs/promises';
import type { DiskSpace, MeasureDisk } from '../../src/store/commit/disk-reserve.js';

/** Whole at every moment, since servers read it at any time. */
export async function writeDisk(file: string, space: DiskSpace): Promise<void> {
  await writeFile(`${file}.new`, JSON.stringify(space));
  await rename(`${file}.new`, file);
}

export const measuredIn = (file: string | undefined): { readonly measureDisk?: MeasureDisk } =>
  file === undefined
    ? {}
    : { measureDisk: async () => JSON.parse(await readFile(file, 'utf8')) as DiskSpace };
