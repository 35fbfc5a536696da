// Builds the tree of the spans of a trace, ordered by start. Each span occurs once, even with missing parents and cycles.

export interface Span {
  readonly id: string;
  readonly span_id: string;
  readonly span_parents: readonly string[] | null;
  readonly name: string | null;
  readonly type: string | null;
  /** Any JSON; 'scorer' for a scorer. */
  readonly purpose: unknown;
  /** Seconds since 1970. */
  readonly start: number | null;
  readonly end: number | null;
  readonly tokens: number | null;
  readonly failed: boolean;
  readonly created: string;
}

export interface TreeNode {
  readonly span: Span;
  readonly depth: number;
  /** The number of descendants. */
  readonly size: number;
  /** Why the span is not below its parent; null if it is. */
  readonly note: 'parent missing' | 'its own ancestor' | null;
}

export interface Tree {
  /** Each parent before its children. */
  readonly nodes: readonly TreeNode[];
  /** The time range of the trace in seconds since 1970; equal if no span has a time. */
  readonly start: number;
  readonly end: number;
}

const compared = <T extends number | string>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0);

const byStart = (a: Span, b: Span): number =>
  compared(a.start ?? Infinity, b.start ?? Infinity) || compared(a.created, b.created);

/** The first parent in the trace. */
const parentOf = ({ span_parents }: Span, known: ReadonlyMap<string, Span>): Span | undefined =>
  (span_parents ?? []).map((id) => known.get(id)).find((one) => one !== undefined);

interface Draft {
  readonly span: Span;
  readonly depth: number;
  readonly note: TreeNode['note'];
  size: number;
}

/** Walks down from a span without recursion, since a chain can be as long as the trace. */
function walk(
  from: Draft,
  children: ReadonlyMap<string, readonly Span[]>,
  drafts: Draft[],
  seen: Set<Span>,
): void {
  const stack: { draft: Draft; at: number; place: number }[] = [];
  const enter = (draft: Draft) => {
    seen.add(draft.span);
    stack.push({ draft, at: drafts.length, place: 0 });
    drafts.push(draft);
  };
  enter(from);
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const next = children.get(top.draft.span.span_id)?.[top.place];
    top.place += 1;
    if (next === undefined) {
      top.draft.size = drafts.length - top.at - 1;
      stack.pop();
    } else if (!seen.has(next))
      enter({ span: next, depth: top.draft.depth + 1, note: null, size: 0 });
  }
}

/** A span of the cycle that the parents of this span lead to. */
function inCycle(span: Span, known: ReadonlyMap<string, Span>): Span {
  const passed = new Set<Span>();
  let at = span;
  for (; !passed.has(at); at = parentOf(at, known) ?? at) passed.add(at);
  return at;
}

/** @param spans newest first, which is the reverse of the order among those that started at the same time */
export function treeOf(spans: readonly Span[]): Tree {
  const known = new Map(spans.map((span) => [span.span_id, span]));
  const children = new Map<string, Span[]>();
  const roots: Span[] = [];
  for (const span of spans.toReversed().toSorted(byStart)) {
    const parent = parentOf(span, known);
    if (parent === undefined) roots.push(span);
    else {
      const siblings = children.get(parent.span_id);
      if (siblings === undefined) children.set(parent.span_id, [span]);
      else siblings.push(span);
    }
  }
  const drafts: Draft[] = [];
  const seen = new Set<Span>();
  for (const span of roots) {
    const isOrphan = (span.span_parents ?? []).length > 0;
    walk(
      { span, depth: 0, note: isOrphan ? 'parent missing' : null, size: 0 },
      children,
      drafts,
      seen,
    );
  }
  // The remaining spans are in cycles or below them.
  for (const each of spans) {
    if (seen.has(each)) continue;
    const span = inCycle(each, known);
    walk({ span, depth: 0, note: 'its own ancestor', size: 0 }, children, drafts, seen);
  }
  const times = spans.flatMap(({ start, end }) => [start, end]).filter((time) => time !== null);
  const [start, end] = times.reduce(
    ([low, high], time) => [Math.min(low, time), Math.max(high, time)],
    [Infinity, -Infinity],
  );
  return times.length === 0 ? { nodes: drafts, start: 0, end: 0 } : { nodes: drafts, start, end };
}

/** The tokens of a trace, as the server sums them: without scorers; of the model calls, or of all spans if there are none. */
export function tokensOf(nodes: readonly TreeNode[]): number {
  const counted = nodes.map(({ span }) => span).filter(({ purpose }) => purpose !== 'scorer');
  const calls = counted.filter(({ type }) => type === 'llm');
  return (calls.length > 0 ? calls : counted).reduce((sum, { tokens }) => sum + (tokens ?? 0), 0);
}

/** The visible nodes: none below a folded one. */
export function unfolded(
  nodes: readonly TreeNode[],
  folded: ReadonlySet<string>,
): readonly TreeNode[] {
  if (folded.size === 0) return nodes;
  const shown: TreeNode[] = [];
  for (let index = 0; index < nodes.length; index += 1) {
    const node = nodes[index]!;
    shown.push(node);
    if (folded.has(node.span.id)) index += node.size;
  }
  return shown;
}

/** The nodes of the wanted spans and their ancestors, which have only these descendants. */
export function matching(
  nodes: readonly TreeNode[],
  wanted: ReadonlySet<string>,
): readonly TreeNode[] {
  const kept: TreeNode[] = [];
  // Iterates from the end: the ancestors of a node precede it and are less deep.
  let above = 0;
  // By depth: the number of kept nodes whose parent is not reached yet, including their descendants.
  const below: number[] = [];
  for (const node of nodes.toReversed()) {
    if (wanted.has(node.span.id) || node.depth < above) {
      const size = below[node.depth + 1] ?? 0;
      below[node.depth + 1] = 0;
      below[node.depth] = (below[node.depth] ?? 0) + size + 1;
      kept.push({ ...node, size });
      above = node.depth;
    }
  }
  return kept.reverse();
}
