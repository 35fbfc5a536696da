// JSON as foldable lines, which are slices of the text of the server.
import { useMemo, useState, type KeyboardEvent } from 'react';
import { flushSync } from 'react-dom';
import { countText, sizeText } from '../../kit/format.js';
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
  readonly fold: FoldButtonProps;
  readonly showWhole: () => void;
}

interface FoldButtonProps {
  readonly 'aria-expanded': boolean;
  readonly 'data-line': number;
  readonly tabIndex: 0 | -1;
  readonly onFocus: () => void;
  readonly onClick: () => void;
  readonly onKeyDown: (event: KeyboardEvent<HTMLElement>) => void;
}

/** Moves the focus to the button of a line, which is in the document after `update`. */
function focusFold(from: HTMLElement, line: number, update: () => void): void {
  const region = from.closest('.lines');
  flushSync(update);
  region?.querySelector<HTMLElement>(`[data-line="${line}"]`)?.focus();
}

interface ShowAllProps extends Pick<Line, 'start' | 'end'> {
  readonly text: string;
  readonly showWhole: () => void;
}

function ShowAll({ text, start, end, showWhole }: ShowAllProps) {
  const size = useMemo(() => sizeText(text.slice(start, end)), [text, start, end]);
  return (
    <button type="button" className="small" onClick={showWhole}>
      … {size}, show all
    </button>
  );
}

function LineView({ text, line, inside, isFolded, fold, showWhole }: LineViewProps) {
  const { depth, keyStart, keyEnd, start, end, kind, hasComma } = line;
  const isCut = end - start > shownMax;
  const key = text.slice(keyStart, keyEnd);
  return (
    <span style={{ paddingLeft: `${Math.min(depth, indentMax) + 1.25}rem` }} className="json-line">
      {kind === 'open' && (
        <button
          type="button"
          className="fold"
          aria-label={`Fold ${key === '' ? `line ${fold['data-line'] + 1}` : plainText(key)}`}
          {...fold}
        >
          {isFolded ? '▸' : '▾'}
        </button>
      )}
      {key !== '' && (
        <>
          <span className="json-key">{key}</span>:{' '}
        </>
      )}
      <bdi className={classOf(text[start] ?? '')}>
        {text.slice(start, isCut ? start + shownMax : end)}
      </bdi>
      {isCut && <ShowAll text={text} start={start} end={end} showWhole={showWhole} />}
      {isFolded && (
        <span className="muted">
          {' '}
          … {countText(inside, 'line')} {text[start] === '{' ? '}' : ']'}
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
  /** The line whose button Tab reaches. Arrows lead to the others. */
  const [active, setActive] = useState(0);
  const toggle = (index: number) => {
    const next = new Set(folded);
    if (!next.delete(index)) next.add(index);
    setFolded(next);
    setActive(index);
  };
  const move = (event: KeyboardEvent<HTMLElement>) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    const foldable = shown.filter((index) => lines[index]!.kind === 'open');
    const next = foldable[foldable.indexOf(active) + step];
    // At the last button the key scrolls.
    if (next === undefined) return;
    event.preventDefault();
    focusFold(event.currentTarget, next, () => setActive(next));
  };
  const foldOf = (index: number): FoldButtonProps => ({
    'aria-expanded': !folded.has(index),
    'data-line': index,
    tabIndex: index === active ? 0 : -1,
    onFocus: () => setActive(index),
    onClick: () => toggle(index),
    onKeyDown: move,
  });
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
    <VirtualLines label={label} count={shown.length} kept={Math.max(shown.indexOf(active), 0)}>
      {(place) => {
        const index = shown[place]!;
        const line = lines[index]!;
        return (
          <LineView
            text={raw}
            line={line}
            inside={line.close - index - 1}
            isFolded={folded.has(index)}
            fold={foldOf(index)}
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
