// A text of any length. A long one is split into virtualised lines.
import { useMemo } from 'react';
import { VirtualLines } from './virtual-lines.js';

/** The length from which a text is split into lines. */
const plainMax = 20_000;
const lineLength = 160;

/** Lines of at most `lineLength` characters. Surrogate pairs are not split. */
function cutLines(text: string): readonly string[] {
  const lines: string[] = [];
  for (const line of text.split('\n')) {
    let from = 0;
    do {
      let end = Math.min(from + lineLength, line.length);
      const code = line.charCodeAt(end - 1);
      if (end < line.length && code >= 0xd800 && code < 0xdc00) end += 1;
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
    <VirtualLines label={label} count={lines.length}>
      {(index) => <bdi>{lines[index]}</bdi>}
    </VirtualLines>
  );
}
