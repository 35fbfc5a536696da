// Splits JSON text into indented lines, which are slices of the text. Values are not parsed, so digits and key order survive.
import { isContainer, skipSpace, stringEnd, valueEnd } from './scan.js';

export interface Line {
  readonly depth: number;
  /** The range of the member name as written, from `keyStart` to `keyEnd`; empty if there is none. */
  readonly keyStart: number;
  readonly keyEnd: number;
  /** The value, or the bracket. */
  readonly start: number;
  readonly end: number;
  readonly kind: 'open' | 'close' | 'value';
  readonly hasComma: boolean;
  /** For an opening bracket, the line of its closing one. */
  close: number;
}

interface Open {
  readonly line: number;
  readonly isObject: boolean;
}

const comma = 44;

/** The start of the value of a member or element, and the range of its name. */
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
  let index = skipSpace(text, 0);
  while (index < text.length) {
    const parent = open.at(-1);
    const code = text[index];
    if (code === '}' || code === ']') {
      const start = index;
      index = skipSpace(text, index + 1);
      const hasComma = text.charCodeAt(index) === comma;
      if (hasComma) index = skipSpace(text, index + 1);
      open.pop();
      if (parent !== undefined) lines[parent.line]!.close = lines.length;
      const at = { keyStart: start, keyEnd: start, start, end: start + 1 };
      lines.push({ ...at, depth: open.length, kind: 'close', hasComma, close: 0 });
      continue;
    }
    const { keyStart, keyEnd, start } = readKey(text, index, parent?.isObject === true);
    const inside = skipSpace(text, start + 1);
    const isOpening = isContainer(text[start] ?? '') && !'}]'.includes(text[inside] ?? '}');
    const end = isOpening ? start + 1 : valueEnd(text, start);
    index = skipSpace(text, end);
    const hasComma = !isOpening && text.charCodeAt(index) === comma;
    if (hasComma) index = skipSpace(text, index + 1);
    const kind = isOpening ? 'open' : 'value';
    const line = { depth: open.length, keyStart, keyEnd, start, end, kind, hasComma, close: 0 };
    if (isOpening) open.push({ line: lines.length, isObject: text[start] === '{' });
    lines.push(line as Line);
  }
  return lines;
}

/** The whole text, indented like the lines. */
export const indented = (text: string): string =>
  linesOf(text)
    .map(({ depth, keyStart, keyEnd, start, end, hasComma }) => {
      const key = keyStart === keyEnd ? '' : `${text.slice(keyStart, keyEnd)}: `;
      return `${'  '.repeat(depth)}${key}${text.slice(start, end)}${hasComma ? ',' : ''}`;
    })
    .join('\n');
