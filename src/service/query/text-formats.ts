// The formats of answers that are text: what is around the rows, and what is between two of them.
import { jsonBody } from './json.js';
import { jsonlBody } from './jsonl.js';

export const textFormats = {
  json: { separator: ',', bodyOf: jsonBody },
  jsonl: { separator: '\n', bodyOf: jsonlBody },
} as const;
