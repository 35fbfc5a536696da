// Frees the buffers that a thread no longer uses, on small machines. The runtime itself frees them after it has allocated 64 MB in
// a thread; in all threads of the engine together this is a third of 512 MB.
import { totalmem } from 'node:os';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const smallBytes = 2 ** 31;
const heldBytesMax = 2 ** 24;

const limit = process.constrainedMemory();
const isSmall = Math.min(limit > 0 ? limit : Infinity, totalmem()) < smallBytes;

function collector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}

const collect = isSmall ? collector() : null;

/** Called after each piece of work of a thread. */
export function freeUnusedBuffers(): void {
  if (collect !== null && getHeapStatistics().external_memory > heldBytesMax) collect();
}
