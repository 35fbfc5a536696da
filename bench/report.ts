// npm run bench -- report: the report again, without a run.
import { writeReport } from './report/write.js';

console.log(await writeReport());
