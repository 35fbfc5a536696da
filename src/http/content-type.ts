// Which of the content types that an operation takes a body has.
import type { IncomingMessage } from 'node:http';
import { RequestError } from '../errors.js';
import type { BodyRule } from './operation.js';

const shownLengthMax = 100;

/** JSON is text, and so is what has no content type that an operation asks for. */
export const isTextType = (contentType: string): boolean =>
  contentType === '' || contentType === 'application/json';

/**
 * In lower case, without parameters; empty when the operation takes any.
 * @throws RequestError 415 for one that it does not take
 */
export function contentTypeOf({ headers }: IncomingMessage, rule: BodyRule): string {
  if (rule.kind !== 'bytes' || rule.contentTypes === undefined) return '';
  const sent = headers['content-type'] ?? '';
  const [type = ''] = sent.toLowerCase().split(';', 1);
  if (rule.contentTypes.includes(type.trim())) return type.trim();
  const expected = rule.contentTypes.join(' or ');
  throw new RequestError(
    415,
    sent === ''
      ? `the request has no content type: expected ${expected}`
      : `the content type ${JSON.stringify(sent.slice(0, shownLengthMax))} of the request body is not supported: expected ${expected}`,
  );
}
