// A trace beside its table: the tree of its spans, and one span in full.
import { useQuery } from '@tanstack/react-query';
import { useLayoutEffect, useMemo, useRef, useState } from 'react';
import { change, hrefWith, Link, useHref } from '../../kit/location.js';
import { useShortcuts } from '../../kit/shortcuts.js';
import { Empty, QueryState } from '../../kit/states.js';
import { countText, durationText, numberText } from '../../kit/format.js';
import { keyFieldOf, quoted, sourceText, textOf, type Source } from '../../server/clauses.js';
import { rowsOf } from '../../server/query.js';
import { SpanDetail } from './span-detail.js';
import { SpanTree } from './span-tree.js';
import { TraceSearch, useMatches } from './trace-search.js';
import { matching, tokensOf, treeOf, type Span, type Tree } from './tree.js';

interface TracePanelProps {
  readonly source: Source;
  /** The key of the trace or record. */
  readonly root: string;
  /** The `id` of the open span; null for the first. */
  readonly span: string | null;
  readonly version: string | null;
  readonly neighbours: { readonly previous: string | null; readonly next: string | null };
}

/** The small fields of all spans; texts are read one span at a time. */
const skeletonQuery = (source: Source, root: string): string =>
  textOf({
    select: [
      'id, _xact_id, span_id, span_parents, error is not null as failed, created',
      ...['name', 'type', 'purpose'].map((name) => `span_attributes.${name} as ${name}`),
      'metrics.start as start, metrics.end as end',
      'coalesce(metrics.total_tokens, metrics.tokens, metrics.prompt_tokens + metrics.completion_tokens) as tokens',
    ].join(', '),
    from: sourceText(source),
    filter: `${keyFieldOf(source)} = ${quoted(root)}`,
    preview_length: '-1',
  });

const openSpan = (id: string) => change({ s: id }, true);

const openTrace = (id: string | null) => id !== null && change({ r: id, s: null });

/** The refresh interval while some span has no end, in milliseconds. */
const runningMs = 2_000;

const isNumber = (value: unknown): value is number => typeof value === 'number';

/** A span, and the transaction that wrote it. */
type ReadSpan = Span & { readonly _xact_id: string };

/** The value as sent; a time or a name can be any JSON. */
type SentSpan = Omit<ReadSpan, 'name' | 'type'> & {
  readonly name: unknown;
  readonly type: unknown;
};

const textOrNull = (value: unknown): string | null => {
  if (value === null) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
};

const readSpan = (span: SentSpan): ReadSpan => ({
  ...span,
  start: isNumber(span.start) ? span.start : null,
  end: isNumber(span.end) ? span.end : null,
  tokens: isNumber(span.tokens) ? span.tokens : null,
  name: textOrNull(span.name),
  type: textOrNull(span.type),
});

const isRunning = (spans: readonly Span[]): boolean =>
  spans.some(({ start, end }) => start !== null && end === null);

function useTrace(source: Source, root: string, version: string | null) {
  return useQuery({
    queryKey: ['trace', source.kind, source.id, root, version],
    queryFn: async ({ signal }) =>
      (await rowsOf<SentSpan>(skeletonQuery(source, root), { version, signal })).map(readSpan),
    // Keeps few traces, since users rarely return to them.
    gcTime: 30_000,
    refetchInterval: ({ state }) =>
      version === null && state.data !== undefined && isRunning(state.data) ? runningMs : false,
  });
}

type HeadProps = { tree: Tree | null } & Pick<TracePanelProps, 'source' | 'neighbours'>;

const nounOf = ({ kind }: Source): string => (kind === 'dataset' ? 'record' : 'trace');

function Head({ source, tree, neighbours }: HeadProps) {
  const noun = nounOf(source);
  const href = useHref();
  const tokens = tree === null ? 0 : tokensOf(tree.nodes);
  const to = (root: string | null, label: string, sign: string) =>
    root === null ? (
      <button type="button" className="quiet small" disabled aria-label={label}>
        {sign}
      </button>
    ) : (
      <Link
        className="button quiet small"
        href={hrefWith(href, { r: root, s: null })}
        aria-label={label}
      >
        {sign}
      </Link>
    );
  return (
    <header className="panel-head">
      <h2>{source.kind === 'dataset' ? 'Record' : 'Trace'}</h2>
      {tree !== null && source.kind !== 'dataset' && (
        <span className="muted">
          {countText(tree.nodes.length, 'span')}
          {tree.end > tree.start && ` · ${durationText(tree.end - tree.start)}`}
          {tokens > 0 && ` · ${numberText(tokens)} tokens`}
        </span>
      )}
      <span className="end">
        {to(neighbours.previous, `Previous ${noun}`, '↑')}
        {to(neighbours.next, `Next ${noun}`, '↓')}
        <button
          type="button"
          className="quiet small"
          aria-label={`Close the ${noun}`}
          onClick={() => change({ r: null, s: null })}
        >
          ✕
        </button>
      </span>
    </header>
  );
}

/** At narrow widths the panel hides the table, and so the link that has the focus: the panel takes it over. */
function useFocusIfLost() {
  const panel = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    if (document.activeElement?.checkVisibility() === false) panel.current?.focus();
  }, []);
  return panel;
}

export function TracePanel({ source, root, span, version, neighbours }: TracePanelProps) {
  const trace = useTrace(source, root, version);
  const tree = useMemo(() => (trace.data === undefined ? null : treeOf(trace.data)), [trace.data]);
  const [isTreeShown, setTreeShown] = useState(true);
  const [text, setText] = useState('');
  const { matches, error } = useMatches(source, root, text, version);
  const shown = useMemo(
    () =>
      tree === null || matches === null ? tree : { ...tree, nodes: matching(tree.nodes, matches) },
    [tree, matches],
  );
  const open = span ?? tree?.nodes[0]?.span.id ?? null;
  const openNext = () => {
    const found = tree?.nodes.filter((node) => matches?.has(node.span.id) === true) ?? [];
    const next = found[(found.findIndex((node) => node.span.id === open) + 1) % found.length];
    if (next !== undefined) openSpan(next.span.id);
  };
  const panel = useFocusIfLost();
  useShortcuts([
    { key: 'Escape', label: 'Close the trace', run: () => change({ r: null, s: null }) },
    { key: 'N', label: 'Next trace', run: () => openTrace(neighbours.next) },
    { key: 'P', label: 'Previous trace', run: () => openTrace(neighbours.previous) },
  ]);
  return (
    <aside ref={panel} className="trace" aria-label="Trace" tabIndex={-1}>
      <Head source={source} tree={tree} neighbours={neighbours} />
      <QueryState query={trace} />
      {tree?.nodes.length === 0 && (
        <Empty title={`This ${nounOf(source)} is not here`}>
          <p>
            It may have been deleted, or belong to another project or to a later version than the
            one shown.
          </p>
        </Empty>
      )}
      {tree !== null && tree.nodes.length > 1 && (
        <>
          <div className="tree-head">
            <button
              type="button"
              className="quiet fold-tree"
              aria-expanded={isTreeShown}
              onClick={() => setTreeShown(!isTreeShown)}
            >
              <span aria-hidden="true">{isTreeShown ? '▾' : '▸'}</span> Spans
            </button>
            <TraceSearch
              text={text}
              setText={setText}
              matches={matches}
              error={error}
              openNext={openNext}
            />
          </div>
          {isTreeShown && shown !== null && (
            <SpanTree
              // A search also shows matches below folded spans.
              key={`${root} ${matches === null}`}
              tree={shown}
              open={open}
              openSpan={openSpan}
            />
          )}
        </>
      )}
      {open !== null && tree !== null && tree.nodes.length > 0 && (
        <SpanDetail
          key={open}
          source={source}
          id={open}
          version={version}
          revision={trace.data?.find(({ id }) => id === open)?._xact_id ?? ''}
        />
      )}
    </aside>
  );
}
