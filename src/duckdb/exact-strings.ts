// Strings come back from the engine as they are stored: the driver's decoder would drop U+FEFF from their beginning, as a
// byte order mark. Every thread that opens an instance loads this module.
import { textDecoder } from '@duckdb/node-api/lib/vectors/dataAccessors.js';

const exact = new TextDecoder('utf-8', { ignoreBOM: true });

// All of the driver's vectors of strings decode with this one object, which it has no option for.
textDecoder.decode = (bytes?: Uint8Array) => exact.decode(bytes);
