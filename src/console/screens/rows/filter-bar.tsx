// The filter: a line of the query language with completion of fields, operators and values.
import { flushSync } from 'react-dom';
import { useId, useRef, useState, type KeyboardEvent } from 'react';
import { numberText } from '../../kit/format.js';
import { useShortcuts } from '../../kit/shortcuts.js';
import { usePaths, useSuggestions, type Suggestion } from './suggestions.js';
import type { Selection } from './view.js';

interface FilterBarProps {
  readonly selection: Selection;
  readonly version: string | null;
  /** The error of the applied filter. */
  readonly error: string | null;
  readonly apply: (filter: string) => void;
}

/** A single-line field cannot contain line breaks, so it shows one symbol for each. */
const withSymbols = (text: string): string => text.replaceAll('\n', '␤').replaceAll('\r', '␍');
const withoutSymbols = (text: string): string => text.replaceAll('␤', '\n').replaceAll('␍', '\r');

interface ListProps {
  readonly id: string;
  readonly suggestions: readonly Suggestion[];
  readonly active: number;
  readonly choose: (suggestion: Suggestion) => void;
}

const SuggestionList = ({ id, suggestions, active, choose }: ListProps) => (
  <ul id={id} role="listbox" aria-label="Suggestions" className="suggestions">
    {suggestions.map((suggestion, index) => (
      <li
        key={suggestion.label}
        id={`${id}-${index}`}
        role="option"
        aria-selected={index === active}
        // The input keeps the focus.
        onPointerDown={(event) => {
          event.preventDefault();
          choose(suggestion);
        }}
      >
        <code className="cut">{suggestion.label}</code>
        <span className="muted">
          {suggestion.count === null ? suggestion.note : numberText(suggestion.count)}
        </span>
      </li>
    ))}
  </ul>
);

const ClearButton = ({ clear }: { readonly clear: () => void }) => (
  <button type="button" className="quiet small" aria-label="Clear the filter" onClick={clear}>
    ✕
  </button>
);

/** The error of a query if it is due to the filter: it is then shown at the filter, not in place of the rows. */
export function filterErrorOf(error: Error | null, query: string, filter: string): string | null {
  if (error === null || filter === '' || !error.message.startsWith('query ')) return null;
  const line = Number(/^query line (\d+)/.exec(error.message)?.[1] ?? 0);
  const clause = query.split('\n')[line - 1] ?? '';
  return /^(select|dimensions|measures|sort): /.test(clause) ? null : error.message;
}

/** The position in the whole query, which is not shown here. */
const position = /^query line \d+, column \d+: /;

const FilterError = ({ id, error }: { readonly id: string; readonly error: string }) => (
  <p id={id} className="filter-error" role="alert">
    {error.replace(position, '')}
  </p>
);

interface Keys {
  readonly suggestions: readonly Suggestion[];
  readonly isShown: boolean;
  readonly active: number;
  readonly caret: number;
  readonly setActive: (active: number) => void;
  readonly setOpen: (isOpen: boolean) => void;
  readonly choose: (suggestion: Suggestion) => void;
  readonly apply: () => void;
}

/** Handles a key; returns whether the completion list used it. */
function handleKey({ key, shiftKey }: KeyboardEvent, field: Keys): boolean {
  const { suggestions, isShown, active, caret, setActive, setOpen, choose, apply } = field;
  const chosen = isShown ? suggestions[active] : undefined;
  if (key === 'ArrowDown' && !isShown) setOpen(true);
  else if ((key === 'ArrowDown' || key === 'ArrowUp') && isShown) {
    const places = suggestions.length + 1;
    setActive(((active + 1 + (key === 'ArrowDown' ? 1 : -1) + places) % places) - 1);
  } else if (key === 'Enter' && chosen !== undefined) choose(chosen);
  else if (key === 'Enter') {
    setOpen(false);
    apply();
  } else if (key === 'Escape' && isShown) setOpen(false);
  else if (key === 'Tab' && isShown && !shiftKey) {
    const [first] = suggestions;
    // Tab in an empty field moves the focus as usual.
    const completed = chosen ?? (first !== undefined && first.from < caret ? first : undefined);
    if (completed === undefined) return false;
    choose(completed);
  } else return false;
  return true;
}

/** Updates the state and moves the caret to `at` before the next key is read. */
function updateAt(input: HTMLInputElement | null, at: number, update: () => void): void {
  flushSync(update);
  input?.setSelectionRange(at, at);
}

export function FilterBar({ selection, version, error, apply }: FilterBarProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const { filter } = selection.view;
  const [text, setText] = useState(filter);
  const [applied, setApplied] = useState(filter);
  const [caret, setCaret] = useState(0);
  const [isUsed, setUsed] = useState(false); // Requests paths before the first letter.
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  if (applied !== filter) {
    setApplied(filter); // It was changed elsewhere: by a facet or by Back.
    setText(filter);
  }
  usePaths(selection.source, isUsed);
  const suggestions = useSuggestions(selection, version, isOpen ? text.slice(0, caret) : null);
  const isShown = isOpen && suggestions.length > 0;
  useShortcuts([{ key: '/', label: 'Filter', run: () => input.current?.focus() }]);
  const choose = ({ from, insert }: Suggestion) => {
    const before = text.slice(0, from) + insert;
    updateAt(input.current, before.length, () => {
      setText(before + text.slice(caret));
      setActive(-1);
      setCaret(before.length);
    });
  };
  const list = { suggestions, active, choose };
  const onKeyDown = (event: KeyboardEvent) => {
    const done = handleKey(event, {
      ...list,
      isShown,
      caret,
      setActive,
      setOpen,
      apply: () => apply(text),
    });
    if (done) event.preventDefault();
  };
  const place = () => setCaret(input.current?.selectionStart ?? 0);
  return (
    <div className="filter">
      <input
        ref={input}
        role="combobox"
        aria-label="Filter"
        aria-expanded={isShown}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={isShown && active >= 0 ? `${id}-list-${active}` : undefined}
        aria-invalid={error !== null}
        aria-describedby={error === null ? undefined : `${id}-error`}
        className="mono"
        placeholder={
          selection.source.kind === 'dataset'
            ? "Filter, for example input ilike 'refund'"
            : 'Filter, for example scores.accuracy < 0.5'
        }
        autoComplete="off"
        spellCheck={false}
        value={withSymbols(text)}
        onChange={(event) => {
          setText(withoutSymbols(event.target.value));
          setCaret(event.target.selectionStart ?? 0);
          setOpen(true);
          setActive(-1);
        }}
        onFocus={() => {
          setUsed(true);
          place();
        }}
        onClick={() => setOpen(true)}
        onSelect={place}
        onBlur={() => setOpen(false)}
        onKeyDown={onKeyDown}
      />
      {text !== '' && (
        <ClearButton
          clear={() => {
            setText('');
            apply('');
          }}
        />
      )}
      {isShown && <SuggestionList id={`${id}-list`} {...list} />}
      {error !== null && <FilterError id={`${id}-error`} error={error} />}
    </div>
  );
}
