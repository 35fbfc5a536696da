// Finds what is mounted at a path, in a tree of its segments. `:id`, or another name behind a colon, stands for any one segment,
// and a segment that is mounted by name comes before it. Letter case and a slash at the end make no difference.

export interface Found<T> {
  readonly value: T;
  /** The segment that `:id` stands for, decoded; empty when the path has none, the last of several. */
  readonly id: string;
}

interface Node<T> {
  readonly named: Map<string, Node<T>>;
  any: Node<T> | null;
  value: T | null;
}

const createNode = <T>(): Node<T> => ({ named: new Map(), any: null, value: null });

/** A segment that is not well encoded stays as it is. */
function decodeSegment(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function child<T>(node: Node<T>, segment: string): Node<T> {
  if (segment.startsWith(':')) return (node.any ??= createNode());
  const next = node.named.get(segment) ?? createNode<T>();
  node.named.set(segment, next);
  return next;
}

/** `segments[place]` is the first below `node`. */
function search<T>(
  node: Node<T>,
  segments: readonly string[],
  place: number,
  id: string,
): Found<T> | null {
  const segment = segments[place];
  if (segment === undefined) return node.value === null ? null : { value: node.value, id };
  const named = node.named.get(segment.toLowerCase());
  const found = named === undefined ? null : search(named, segments, place + 1, id);
  if (found !== null || node.any === null || segment === '') return found;
  return search(node.any, segments, place + 1, decodeSegment(segment));
}

export class RouteTable<T> {
  readonly #root = createNode<T>();
  #segmentsMax = 0;

  /** The value of a path, in lower case, which is made when there is none. */
  at(path: string, create: () => T): T {
    const segments = path === '/' ? [] : path.split('/').slice(1);
    this.#segmentsMax = Math.max(this.#segmentsMax, segments.length);
    let node = this.#root;
    for (const segment of segments) node = child(node, segment);
    return (node.value ??= create());
  }

  find(path: string): Found<T> | null {
    if (!path.startsWith('/')) return null;
    const trimmed = path.endsWith('/') ? path.slice(0, -1) : path;
    // One more than there can be: no path is cut to one that is mounted.
    const segments = trimmed.split('/', this.#segmentsMax + 2);
    return search(this.#root, segments, 1, '');
  }
}
