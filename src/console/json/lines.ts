// JSON text as indented lines, each a slice of the text: nothing is parsed, so no digit and no order of keys is lost.
import { isContainer, skipSpace, stringEnd, valueEnd } from './scan.js';

export interface Line {
  readonly depth: number;
  /** The member's name as it is written, from `keyStart` to `keyEnd`; equal where there is none. */
  readonly keyStart: number;
  readonly keyEnd: number;
  /** The value, or the bracket. */
  readonly start: number;
  readonly end: number;
  readonly kind: 'open' | 'close' | 'value';
  readonly hasComma: boolean;
  /** Of an open bracket: the line of the one that closes it. */
  close: number;
}

interface Open {
  readonly line: number;
  readonly isObject: boolean;
}

const comma = 44;

/** Where the value of a member or an element begins, and its name. */
function readKey(text: string, at: number, isObject: boolean) {
  if (!isObject) return { keyStart: at, keyEnd: at, start: at };
  const keyEnd = stringEnd(text, at);
  const start = skipSpace(text, skipSpace(text, keyEnd) + 1);
  return { keyStart: at, keyEnd, start };
}

/** @param text one JSON value */
export function linesOf(text: string): readonly Line[] {
  const lines: Line[] = [];
  const open: Open[] = [];
  let place = skipSpace(text, 0);
  while (place < text.length) {
    const parent = open.at(-1);
    const code = text[place];
    if (code === '}' || code === ']') {
      const start = place;
      place = skipSpace(text, place + 1);
      const hasComma = text.charCodeAt(place) === comma;
      if (hasComma) place = skipSpace(text, place + 1);
      open.pop();
      if (parent !== undefined) lines[parent.line]!.close = lines.length;
      const at = { keyStart: start, keyEnd: start, start, end: start + 1 };
      lines.push({ ...at, depth: open.length, kind: 'close', hasComma, close: 0 });
      continue;
    }
    const { keyStart, keyEnd, start } = readKey(text, place, parent?.isObject === true);
    const inside = skipSpace(text, start + 1);
    const isOpening = isContainer(text[start] ?? '') && !'}]'.includes(text[inside] ?? '}');
    const end = isOpening ? start + 1 : valueEnd(text, start);
    place = skipSpace(text, end);
    const hasComma = !isOpening && text.charCodeAt(place) === comma;
    if (hasComma) place = skipSpace(text, place + 1);
    const kind = isOpening ? 'open' : 'value';
    const line = { depth: open.length, keyStart, keyEnd, start, end, kind, hasComma, close: 0 };
    if (isOpening) open.push({ line: lines.length, isObject: text[start] === '{' });
    lines.push(line as Line);
  }
  return lines;
}

/** The whole text, indented as the lines are. */
export const indented = (text: string): string =>
  linesOf(text)
    .map(({ depth, keyStart, keyEnd, start, end, hasComma }) => {
      const key = keyStart === keyEnd ? '' : `${text.slice(keyStart, keyEnd)}: `;
      return `${'  '.repeat(depth)}${key}${text.slice(start, end)}${hasComma ? ',' : ''}`;
    })
    .join('\n');
