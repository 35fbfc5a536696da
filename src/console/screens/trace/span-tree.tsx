// The spans of a trace as a virtualised tree, with a time bar for each.
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { durationText, numberText } from '../../kit/format.js';
import { useShortcuts } from '../../kit/shortcuts.js';
import { unfolded, type Tree, type TreeNode } from './tree.js';

interface SpanTreeProps {
  readonly tree: Tree;
  /** The `id` of the open span. */
  readonly open: string | null;
  readonly openSpan: (id: string) => void;
}

const rowHeight = 28;

function Bar({ node, tree }: { readonly node: TreeNode; readonly tree: Tree }) {
  const { start, end, failed } = node.span;
  const whole = tree.end - tree.start;
  if (start === null || whole <= 0) return <span className="bar" />;
  const left = ((start - tree.start) / whole) * 100;
  const width = Math.max((((end ?? tree.end) - start) / whole) * 100, 0.5);
  return (
    <span className="bar">
      <span
        className={failed ? 'bad-bar' : end === null ? 'running-bar' : ''}
        style={{ left: `${Math.min(left, 99.5)}%`, width: `${Math.min(width, 100 - left)}%` }}
      />
    </span>
  );
}

const lengthText = ({ start, end }: TreeNode['span']): string => {
  if (start === null) return '';
  return end === null ? 'running' : durationText(end - start);
};

interface ItemProps {
  readonly node: TreeNode;
  readonly tree: Tree;
  readonly top: number;
  readonly isOpen: boolean;
  readonly isFolded: boolean;
  readonly choose: () => void;
  readonly fold: () => void;
}

const Item = ({ node, tree, top, isOpen, isFolded, choose, fold }: ItemProps) => {
  const { span, depth, size, note } = node;
  return (
    <div
      role="treeitem"
      aria-level={depth + 1}
      aria-selected={isOpen}
      aria-expanded={size === 0 ? undefined : !isFolded}
      tabIndex={isOpen ? 0 : -1}
      data-span={span.id}
      className="tree-item"
      style={{ transform: `translateY(${top}px)` }}
      onClick={choose}
    >
      <span className="tree-name cut" style={{ paddingLeft: `min(${depth * 0.75}rem, 25cqi)` }}>
        <span
          className="twist"
          aria-hidden="true"
          onClick={(event) => {
            event.stopPropagation();
            fold();
          }}
        >
          {size === 0 ? '' : isFolded ? '▸' : '▾'}
        </span>
        {span.type !== null && <span className="chip type">{span.type}</span>}
        <bdi className="cut" title={span.name ?? undefined}>
          {span.name ?? 'span'}
        </bdi>
        {span.failed && <span className="chip bad">error</span>}
        {note !== null && <span className="chip">{note}</span>}
      </span>
      <span className="number muted">{span.tokens === null ? '' : numberText(span.tokens)}</span>
      <span className="number muted">{lengthText(span)}</span>
      <Bar node={node} tree={tree} />
    </div>
  );
};

export function SpanTree({ tree, open, openSpan }: SpanTreeProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const shown = useMemo(() => unfolded(tree.nodes, folded), [tree, folded]);
  const virtual = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 6,
  });
  const active = shown.findIndex(({ span }) => span.id === open);
  const wantsFocus = useRef(false);
  useEffect(() => {
    if (active < 0) return;
    virtual.scrollToIndex(active);
    if (!wantsFocus.current) return;
    wantsFocus.current = false;
    requestAnimationFrame(() =>
      scroller.current?.querySelector<HTMLElement>('[aria-selected=true]')?.focus(),
    );
    // The virtualizer is always the same object.
    // eslint-disable-next-line
  }, [active]);
  const show = (index: number, isFocused: boolean) => {
    const node = shown[Math.min(Math.max(index, 0), shown.length - 1)];
    wantsFocus.current = isFocused;
    if (node !== undefined) openSpan(node.span.id);
  };
  const toggle = (node: TreeNode | undefined, isFolded: boolean) => {
    if (node === undefined || node.size === 0) return;
    const next = new Set(folded);
    if (isFolded) next.add(node.span.id);
    else next.delete(node.span.id);
    setFolded(next);
  };
  const inner = tree.nodes.filter(({ size }) => size > 0);
  const foldAll = () =>
    setFolded(folded.size > 0 ? new Set() : new Set(inner.map(({ span }) => span.id)));
  useShortcuts([
    { key: 'n', label: 'Next span', run: () => show(active + 1, false) },
    { key: 'p', label: 'Previous span', run: () => show(active - 1, false) },
    { key: 'h', label: 'Fold the span', run: () => toggle(shown[active], true) },
    { key: 'l', label: 'Unfold the span', run: () => toggle(shown[active], false) },
    { key: 'F', label: 'Fold or unfold all spans', run: foldAll },
  ]);
  const keys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => show(active + 1, true),
    ArrowUp: () => show(active - 1, true),
    Home: () => show(0, true),
    End: () => show(shown.length - 1, true),
    ArrowLeft: () => toggle(shown[active], true),
    ArrowRight: () => toggle(shown[active], false),
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const run = keys[event.key];
    if (run === undefined) return;
    event.preventDefault();
    run();
  };
  return (
    <div
      ref={scroller}
      className="tree"
      role="tree"
      aria-label="Spans"
      onKeyDown={onKeyDown}
      tabIndex={active < 0 ? 0 : -1}
    >
      <div role="presentation" style={{ height: virtual.getTotalSize(), position: 'relative' }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const node = shown[index]!;
          const isFolded = folded.has(node.span.id);
          return (
            <Item
              key={node.span.id}
              node={node}
              tree={tree}
              top={start}
              isOpen={index === active}
              isFolded={isFolded}
              choose={() => show(index, true)}
              fold={() => toggle(node, !isFolded)}
            />
          );
        })}
      </div>
    </div>
  );
}
