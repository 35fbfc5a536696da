// Checks the content type of a body.
import type { IncomingMessage } from 'node:http';
import { RequestError } from '../errors.js';
import { formatsByType } from '../schema/query-format.js';
import type { BodyRule } from './operation.js';

const shownLengthMax = 100;

const jsonType = 'application/json';

/** JSON Lines. */
export const linesTypes = ['application/jsonl', 'application/x-ndjson'] as const;

export const parquetType = 'application/vnd.apache.parquet';

const textTypes: ReadonlySet<string> = new Set(['', jsonType, ...linesTypes]);

/** Whether the body is UTF-8 text: JSON, JSON Lines, or any body of an operation without content types. */
export const isTextType = (contentType: string): boolean => textTypes.has(contentType);

/** The content type of a request in lower case without parameters; empty if there is none. */
export const mediaTypeOf = ({ headers }: IncomingMessage): string =>
  (headers['content-type'] ?? '').toLowerCase().split(';', 1)[0]!.trim();

/**
 * Returns the content type in lower case without parameters, or the empty string if the operation accepts any.
 * @throws RequestError 415 for a type that the operation does not accept
 */
export function contentTypeOf(request: IncomingMessage, rule: BodyRule): string {
  if (rule.kind !== 'bytes' || rule.contentTypes === undefined) return '';
  const sent = request.headers['content-type'] ?? '';
  const type = mediaTypeOf(request);
  if (Object.hasOwn(rule.contentTypes, type)) return type;
  if (rule.isJsonOtherwise === true && !formatsByType.has(type)) return jsonType;
  const expected = Object.keys(rule.contentTypes).join(' or ');
  throw new RequestError(
    415,
    sent === ''
      ? `the request has no content type: expected ${expected}`
      : `the content type ${JSON.stringify(sent.slice(0, shownLengthMax))} of the request body is not supported: expected ${expected}`,
  );
}
