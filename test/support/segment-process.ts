// Run as a process of its own: writes one segment into the directory given.
import { openSegments, rowsOf } from './open-segments.js';

const segments = await openSegments(process.argv[2] ?? '');
await segments.write([{ xactId: 1n, rows: rowsOf('e', '[{"input":1},{"input":2}]') }]);
await segments.close();
