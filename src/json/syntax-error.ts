// The error for text that JSON.parse rejects: position and reason.
import { type ParseErrorCode, printParseErrorCode, visit } from 'jsonc-parser';
import { badRequest, type RequestError } from '../errors.js';

/** The maximum depth of arrays and objects. */
export const maxLevels = 1000;

export const nestedTooDeep = (where: string): RequestError =>
  badRequest(`${where} is nested more than ${maxLevels} levels deep`);

/** The position of a separately parsed text in its document. */
export interface TextOrigin {
  /** The number of open arrays and objects there. */
  readonly levels: number;
  /** Line and column of the first character, from 0; columns are UTF-16 units. */
  readonly position: () => { readonly line: number; readonly column: number };
}

export const wholeText: TextOrigin = { levels: 0, position: () => ({ line: 0, column: 0 }) };

/** The length, in UTF-16 units, up to which the position of an error is found: the parser that finds it creates a text for each escape. */
const locatedMax = 2 ** 20;

/** Always throws. `where` names the document in the error. */
export function refuseInvalidJson(text: string, where: string, origin: TextOrigin): never {
  if (text.length > locatedMax) throw badRequest(`${where} is not valid JSON`);
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
      onError: (code, offset, _length, line, character) => {
        const start = origin.position();
        const column = (line === 0 ? start.column : 0) + character;
        throw badRequest(
          `${where} is not valid JSON at line ${start.line + line + 1}, column ${column + 1}: ${notNumber(text, offset) ?? reason(code)}`,
        );
      },
    },
    { disallowComments: true },
  );
  throw badRequest(`${where} is not valid JSON`);
}

/** Names a number of other languages that JSON does not have; null for anything else. */
function notNumber(text: string, offset: number): string | null {
  const [word] = /^-?(?:NaN|nan|Infinity|inf)\b/.exec(text.slice(offset, offset + 10)) ?? [];
  return word === undefined ? null : `JSON has no ${word}: send null instead`;
}

/** `ValueExpected` in words: `value expected`. */
const reason = (code: ParseErrorCode): string =>
  printParseErrorCode(code)
    .replaceAll(/(?<=.)[A-Z]/g, (letter) => ` ${letter}`)
    .toLowerCase();
