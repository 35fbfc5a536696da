// `node dist/test/query/trino/transcript-cli.js` writes the transcript of the compiler for Trino anew.
import { writeFileSync } from 'node:fs';
import { transcript, transcriptFile } from './transcript.js';

writeFileSync(transcriptFile, transcript());
