// The memory of the machine, and which parts of it the defaults of the settings take.
import { totalmem } from 'node:os';

/** The memory of the machine or, if it has a limit, of the container, in MB. */
function memoryMb(): number {
  const limit = process.constrainedMemory();
  const bytes = limit > 0 ? Math.min(limit, totalmem()) : totalmem();
  return Math.floor(bytes / 2 ** 20);
}

const availableMb = memoryMb();

/** A part of the memory, at most `mostMb`. The parts of a small machine leave room for the process itself. */
export const share = (part: number, mostMb: number): number =>
  Math.min(mostMb, Math.max(32, Math.floor(availableMb / part)));

/** With the other defaults, half of less than 6 GB would exceed the memory. */
export const queryMb =
  availableMb < 2048 ? share(8, 256) : Math.floor(availableMb / (availableMb < 6144 ? 4 : 2));
