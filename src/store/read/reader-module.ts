// The module that a thread of the reader loads when it opens its instance: the functions of its statements, and all that runs
// beside them. A module that is loaded later might fail for want of file descriptors, and then fails in this thread for ever.
export { scalarFunctions } from '../row/scalar-functions.js';
export { consume } from './collected-text.js';
export { run } from '../log/rows-file.js';

export const readerModule = new URL(import.meta.url);
