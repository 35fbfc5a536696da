// A text of any length. A long one is split into virtualised lines.
import { useMemo } from 'react';
import { VirtualLines } from './virtual-lines.js';

/** The length from which a text is split into lines. */
const plainMax = 20_000;
/** In characters. A longer line goes on in the next one. */
const lineLength = 1000;

/** The end of a line from `from`: after a word, if one ends in it. Surrogate pairs are not split. */
function endOfLine(text: string, from: number): number {
  const end = from + lineLength;
  if (end >= text.length) return text.length;
  const words = text.slice(from, end).lastIndexOf(' ') + 1;
  if (words > 0) return from + words;
  const code = text.charCodeAt(end - 1);
  return code >= 0xd800 && code < 0xdc00 ? end + 1 : end;
}

/** Lines of about `lineLength` characters at most. */
function cutLines(text: string): readonly string[] {
  const lines: string[] = [];
  for (const line of text.split('\n')) {
    let from = 0;
    do {
      const end = endOfLine(line, from);
      lines.push(line.slice(from, end));
      from = end;
    } while (from < line.length);
  }
  return lines;
}

export function LongText({ text, label }: { readonly text: string; readonly label: string }) {
  const isLong = text.length > plainMax;
  const lines = useMemo(() => (isLong ? cutLines(text) : []), [text, isLong]);
  if (!isLong)
    return (
      <p className="text" dir="auto">
        {text}
      </p>
    );
  return (
    <VirtualLines label={label} count={lines.length} isWrapped>
      {(index) => <bdi>{lines[index]}</bdi>}
    </VirtualLines>
  );
}
