// Searches the texts of a trace on the server.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { numberText } from '../../kit/format.js';
import { useShortcuts } from '../../kit/shortcuts.js';
import { quoted, sourceText, textOf, type Source } from '../../server/clauses.js';
import { rowsOf } from '../../server/query.js';

const fields = ['span_attributes.name', 'input', 'output', 'expected', 'error', 'metadata'];

/** Patterns that find the text anywhere: in a string, and as it is spelled inside JSON. */
const patternsOf = (text: string): readonly string[] =>
  [...new Set([text, JSON.stringify(text).slice(1, -1)])].map((one) =>
    quoted(one.replaceAll('%', '\\%')),
  );

const searchQuery = (source: Source, root: string, text: string): string =>
  textOf({
    select: 'id',
    from: sourceText(source),
    filter: `root_span_id = ${quoted(root)} and (${fields
      .filter((name) => source.kind !== 'dataset' || name !== 'output')
      .flatMap((name) => patternsOf(text).map((pattern) => `${name} ilike ${pattern}`))
      .join(' or ')})`,
  });

/** The ids of the spans that contain the text; null without a search. */
export function useMatches(source: Source, root: string, text: string, version: string | null) {
  const query = searchQuery(source, root, text);
  const found = useQuery({
    queryKey: ['trace-search', query, version],
    queryFn: async ({ signal }) =>
      new Set((await rowsOf<{ id: string }>(query, { version, signal })).map(({ id }) => id)),
    enabled: text !== '',
    placeholderData: keepPreviousData,
  });
  return { matches: text === '' ? null : (found.data ?? null), error: found.error };
}

interface TraceSearchProps {
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly matches: ReadonlySet<string> | null;
  readonly error: Error | null;
  readonly openNext: () => void;
}

export function TraceSearch({ text, setText, matches, error, openNext }: TraceSearchProps) {
  const input = useRef<HTMLInputElement>(null);
  useShortcuts([{ key: 's', label: 'Search in the trace', run: () => input.current?.focus() }]);
  return (
    <div className="trace-search">
      <input
        ref={input}
        type="search"
        aria-label="Search in the trace"
        placeholder="Search in the trace"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') openNext();
          else if (event.key === 'Escape') {
            setText('');
            input.current?.blur();
          } else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      <span role="status" className="muted">
        {matches !== null && `${numberText(matches.size)} found`}
      </span>
      {error !== null && (
        <span className="bad" role="alert">
          {error.message}
        </span>
      )}
    </div>
  );
}
