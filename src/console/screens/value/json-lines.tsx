// JSON as foldable lines, which are slices of the text of the server.
import { useMemo, useState } from 'react';
import { bytesText, numberText } from '../../app/format.js';
import { linesOf, type Line } from '../../json/lines.js';
import { plainText } from '../../json/scan.js';
import { LongText } from './long-text.js';
import { VirtualLines } from './virtual-lines.js';

/** The maximum length of a value in its line; the rest is shown on demand. */
const shownMax = 100;
/** The maximum indentation. */
const indentMax = 40;

/** The indexes of the visible lines. */
function shownLines(lines: readonly Line[], folded: ReadonlySet<number>): readonly number[] {
  const shown: number[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    shown.push(index);
    if (folded.has(index)) index = lines[index]!.close;
  }
  return shown;
}

function classOf(first: string): string {
  if (first === '"') return 'json-string';
  if (/[tfn]/.test(first)) return 'json-word';
  return /[\d-]/.test(first) ? 'json-number' : '';
}

interface LineViewProps {
  readonly text: string;
  readonly line: Line;
  readonly inside: number;
  readonly isFolded: boolean;
  readonly toggle: () => void;
  readonly showWhole: () => void;
}

function LineView({ text, line, inside, isFolded, toggle, showWhole }: LineViewProps) {
  const { depth, keyStart, keyEnd, start, end, kind, hasComma } = line;
  const isCut = end - start > shownMax;
  return (
    <span style={{ paddingLeft: `${Math.min(depth, indentMax) + 1.25}rem` }} className="json-line">
      {kind === 'open' && (
        <button
          type="button"
          className="fold"
          aria-expanded={!isFolded}
          aria-label={isFolded ? 'Unfold' : 'Fold'}
          tabIndex={-1}
          onClick={toggle}
        >
          {isFolded ? '▸' : '▾'}
        </button>
      )}
      {keyStart !== keyEnd && (
        <>
          <span className="json-key">{text.slice(keyStart, keyEnd)}</span>:{' '}
        </>
      )}
      <bdi className={classOf(text[start] ?? '')}>
        {text.slice(start, isCut ? start + shownMax : end)}
      </bdi>
      {isCut && (
        <button type="button" className="small" onClick={showWhole}>
          … {bytesText(end - start)}, show all
        </button>
      )}
      {isFolded && (
        <span className="muted">
          {' '}
          … {numberText(inside)} lines {text[start] === '{' ? '}' : ']'}
        </span>
      )}
      {hasComma && ','}
    </span>
  );
}

interface JsonLinesProps {
  readonly raw: string;
  readonly label: string;
}

function Lines({ raw, label }: JsonLinesProps) {
  const lines = useMemo(() => linesOf(raw), [raw]);
  const [folded, setFolded] = useState<ReadonlySet<number>>(new Set());
  const [whole, setWhole] = useState<Line | null>(null);
  const shown = useMemo(() => shownLines(lines, folded), [lines, folded]);
  const toggle = (index: number) => {
    const next = new Set(folded);
    if (!next.delete(index)) next.add(index);
    setFolded(next);
  };
  if (whole !== null) {
    const text = plainText(raw.slice(whole.start, whole.end));
    return (
      <>
        <button type="button" className="small" onClick={() => setWhole(null)}>
          Back to the JSON
        </button>
        <LongText text={text} label={label} />
      </>
    );
  }
  return (
    <VirtualLines label={label} count={shown.length}>
      {(place) => {
        const index = shown[place]!;
        const line = lines[index]!;
        return (
          <LineView
            text={raw}
            line={line}
            inside={line.close - index - 1}
            isFolded={folded.has(index)}
            toggle={() => toggle(index)}
            showWhole={() => setWhole(line)}
          />
        );
      }}
    </VirtualLines>
  );
}

/** What is folded or opened are places in one text: another text begins anew. */
export const JsonLines = ({ raw, label }: JsonLinesProps) => (
  <Lines key={raw} raw={raw} label={label} />
);
