// The entry module of a reader's thread: its scalar functions and the code that runs beside its statements.
//
// A thread loads everything at its start. A later import could fail for lack of file descriptors, and Node.js would cache the
// failure for the life of the thread.
export { scalarFunctions } from '../row/scalar-functions.js';
export { consume } from './collected-text.js';
export { run } from '../log/rows-file.js';

export const readerModule = new URL(import.meta.url);
