// Strings come back from the engine as they are stored: the driver's decoder would drop U+FEFF from their beginning, as a
// byte order mark.
import { textDecoder } from '@duckdb/node-api/lib/vectors/dataAccessors.js';

const exact = new TextDecoder('utf-8', { ignoreBOM: true });

/** All vectors of strings decode with this one object of the driver, which has no option for it. Once in each thread is enough. */
export function readStringsExactly(): void {
  textDecoder.decode = (bytes?: Uint8Array) => exact.decode(bytes);
}
