// Text that JSON.parse refused -> the sentence that tells the client where and why.
import { type ParseErrorCode, printParseErrorCode, visit } from 'jsonc-parser';
import { badRequest, type RequestError } from '../errors.js';

/** Arrays and objects may be nested in one another this many levels deep. */
export const maxLevels = 1000;

export const nestedTooDeep = (where: string): RequestError =>
  badRequest(`${where} is nested more than ${maxLevels} levels deep`);

/** Where in a document a text begins that is parsed on its own. */
export interface TextOrigin {
  /** Arrays and objects that are open there. */
  readonly levels: number;
  /** Of the text's first character, counted from 0; columns are UTF-16 units. */
  readonly position: () => { readonly line: number; readonly column: number };
}

export const wholeText: TextOrigin = { levels: 0, position: () => ({ line: 0, column: 0 }) };

/** Always throws; `where` names the document in the sentence. */
export function refuseInvalidJson(text: string, where: string, origin: TextOrigin): never {
  let { levels } = origin;
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
      onError: (code, _offset, _length, line, character) => {
        const start = origin.position();
        const column = (line === 0 ? start.column : 0) + character;
        throw badRequest(
          `${where} is not valid JSON at line ${start.line + line + 1}, column ${column + 1}: ${reason(code)}`,
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
