// Preloaded into a server: its clock is off by as many milliseconds as a file says, from one moment to the next.
import fs = require('node:fs');

const file = process.env['EVALSTORE_TEST_CLOCK'];
const { now } = Date;
if (file !== undefined) Date.now = () => now() + Number(fs.readFileSync(file, 'utf8'));
