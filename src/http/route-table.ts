// A tree of path segments that finds the route of a path. `:id`, or another name after a colon, matches any one segment;
// literal segments take precedence. Letter case and a trailing slash do not matter.

export interface Found<T> {
  readonly value: T;
  /** The decoded segment that `:id` matched; empty if there is none, the last of several. */
  readonly id: string;
}

interface Node<T> {
  readonly named: Map<string, Node<T>>;
  any: Node<T> | null;
  value: T | null;
}

const createNode = <T>(): Node<T> => ({ named: new Map(), any: null, value: null });

/** Decodes a segment; an invalid encoding remains unchanged. */
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

/** `segments[index]` is the first segment below `node`. */
function search<T>(
  node: Node<T>,
  segments: readonly string[],
  index: number,
  id: string,
): Found<T> | null {
  const segment = segments[index];
  if (segment === undefined) return node.value === null ? null : { value: node.value, id };
  const named = node.named.get(segment.toLowerCase());
  const found = named === undefined ? null : search(named, segments, index + 1, id);
  if (found !== null || node.any === null || segment === '') return found;
  return search(node.any, segments, index + 1, decodeSegment(segment));
}

export class RouteTable<T> {
  readonly #root = createNode<T>();
  #segmentsMax = 0;

  /** Returns the value at a path in lower case, which `create` makes if it is missing. */
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
    // One more than any route has, so that no longer path matches a route.
    const segments = trimmed.split('/', this.#segmentsMax + 2);
    return search(this.#root, segments, 1, '');
  }
}
