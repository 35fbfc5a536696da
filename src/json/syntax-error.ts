// Text that JSON.parse refused -> the sentence that tells the client where and why.
import { type ParseErrorCode, printParseErrorCode, visit } from 'jsonc-parser';
import { badRequest, type RequestError } from '../errors.js';

/** Arrays and objects may be nested in one another this many levels deep. */
export const maxLevels = 1000;

export const nestedTooDeep = (where: string): RequestError =>
  badRequest(`${where} is nested more than ${maxLevels} levels deep`);

/** Always throws; `where` names the text in the sentence. */
export function refuseInvalidJson(text: string, where: string): never {
  let levels = 0;
  const open = () => {
    levels += 1;
    if (levels > maxLevels) throw nestedTooDeep(where);
  };
  const close = () => {
    levels -= 1;
  };
  visit(
    text,
    {
      onObjectBegin: open,
      onObjectEnd: close,
      onArrayBegin: open,
      onArrayEnd: close,
      onError: (code, _offset, _length, line, column) => {
        throw badRequest(
          `${where} is not valid JSON at line ${line + 1}, column ${column + 1}: ${reason(code)}`,
        );
      },
    },
    { disallowComments: true },
  );
  throw badRequest(`${where} is not valid JSON`);
}

/** `ValueExpected` in words: `value expected`. */
const reason = (code: ParseErrorCode): string =>
  printParseErrorCode(code)
    .replaceAll(/(?<=.)[A-Z]/g, (letter) => ` ${letter}`)
    .toLowerCase();
