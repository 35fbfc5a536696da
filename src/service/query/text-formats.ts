// The text formats of answers: the separator of rows, and the body around them.
import { jsonBody } from './json.js';
import { jsonlBody } from './jsonl.js';

export const textFormats = {
  json: { separator: ',', bodyOf: jsonBody },
  jsonl: { separator: '\n', bodyOf: jsonlBody },
} as const;
