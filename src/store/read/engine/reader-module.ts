// The entry module of a reader's thread: its scalar functions and the code that runs beside its statements. It loads everything at
// the start, because a later import can fail for lack of file descriptors, and a thread never repeats a failed import.
export { scalarFunctions } from '../../row/scalar-functions.js';
export { consume } from './collected-text.js';
export { run } from '../../log/rows-file.js';

export const readerModule = new URL(import.meta.url);
