// Finds the paths of JSON objects in one pass over their bytes: how many rows have each path, and the types of its values.
// The text must be valid, compact, and without duplicate keys.
import { endOfString } from '../../json/scan.js';
import { doubleHolds } from '../../json/tree.js';
import { pathKey } from '../../schema/event-relation.js';
import { longTextBytes, wholeMax } from './leaf-columns.js';

/** A path with the number of rows that have it. A JSON null counts as a row but not as a value. */
export interface FoundPath {
  readonly steps: readonly string[];
  readonly rows: number;
  readonly numbers: number;
  readonly strings: number;
  readonly booleans: number;
  /** Arrays and objects. */
  readonly containers: number;
  /** Numbers and strings that a leaf column cannot hold. They are also counted by their types. */
  readonly unfit: number;
}

export interface FoundPaths {
  /** Sorted by the number of steps, then by frequency, descending. */
  readonly paths: readonly FoundPath[];
  /** False if some paths are not listed. */
  readonly complete: boolean;
}

interface PathNode extends FoundPath {
  /** The bytes between the quotes of its last step. */
  readonly key: Buffer;
  /** In the order in which they were found. */
  readonly children: PathNode[];
  /** Index in the children of the node above. */
  readonly index: number;
  /** By the bytes of their keys as Latin-1; null before the first. */
  byKey: Map<string, PathNode> | null;
  rows: number;
  numbers: number;
  strings: number;
  booleans: number;
  containers: number;
  unfit: number;
}

/** The paths in the objects of one column that were read so far. */
export interface PathTree {
  readonly root: PathNode;
  nodes: number;
  characters: number;
  complete: boolean;
}

const depthMax = 6;
/** While rows are walked; of these the most frequent are listed. */
const foundMax = { paths: 10_000, characters: 1_000_000 };
export const listedMax = { paths: 2_000, characters: 200_000 };

const nodeOf = (steps: readonly string[], key: Buffer, index: number): PathNode => ({
  steps,
  key,
  index,
  children: [],
  byKey: null,
  rows: 0,
  numbers: 0,
  strings: 0,
  booleans: 0,
  containers: 0,
  unfit: 0,
});

export const emptyTree = (): PathTree => ({
  root: nodeOf([], Buffer.alloc(0), 0),
  nodes: 0,
  characters: 0,
  complete: true,
});

const [quote, comma, backslash] = [0x22, 0x2c, 0x5c];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];
const [letterF, letterN, letterT, letterE] = [0x66, 0x6e, 0x74, 0x65];

/**
 * @param start the index of the opening brace
 * @param isLossless whether the row may have numbers that a double does not hold
 */
export function addObject(tree: PathTree, bytes: Buffer, start: number, isLossless: boolean): void {
  new Walk(tree, bytes, start, isLossless).object(tree.root, 1);
}

/** Reads one text from left to right. */
class Walk {
  readonly #tree: PathTree;
  readonly #bytes: Buffer;
  readonly #isLossless: boolean;
  #at: number;

  constructor(tree: PathTree, bytes: Buffer, start: number, isLossless: boolean) {
    this.#tree = tree;
    this.#bytes = bytes;
    this.#at = start;
    this.#isLossless = isLossless;
  }

  /** Reads an object whose members are `depth` steps from the root. */
  object(node: PathNode, depth: number): void {
    const bytes = this.#bytes;
    this.#at += 1;
    if (bytes[this.#at] === closeBrace) {
      this.#at += 1;
      return;
    }
    let expected = 0;
    do {
      const child = this.#member(node, expected);
      if (child === null) this.#at = endOfValue(bytes, this.#at);
      else {
        expected = child.index + 1;
        this.#value(child, depth);
      }
      this.#at += 1;
    } while (bytes[this.#at - 1] === comma);
  }

  /** Reads the key and the colon. Null when there is no room for a new path. */
  #member(node: PathNode, expected: number): PathNode | null {
    const bytes = this.#bytes;
    const start = this.#at + 1;
    const child = node.children[expected];
    if (child !== undefined && isKey(bytes, start, child.key)) {
      this.#at = start + child.key.length + 2;
      return child;
    }
    const end = endOfString(bytes, start) - 1;
    this.#at = end + 2;
    const name = bytes.toString('latin1', start, end);
    return node.byKey?.get(name) ?? this.#added(node, name, bytes.subarray(start, end));
  }

  #added(node: PathNode, name: string, key: Buffer): PathNode | null {
    const tree = this.#tree;
    tree.nodes += 1;
    tree.characters += key.length;
    if (tree.nodes > foundMax.paths || tree.characters > foundMax.characters) {
      tree.complete = false;
      return null;
    }
    const child = nodeOf([...node.steps, stepOf(key)], Buffer.from(key), node.children.length);
    node.children.push(child);
    node.byKey ??= new Map();
    node.byKey.set(name, child);
    return child;
  }

  #value(node: PathNode, depth: number): void {
    const bytes = this.#bytes;
    const start = this.#at;
    node.rows += 1;
    switch (bytes[start]) {
      case quote:
        this.#at = endOfString(bytes, start + 1);
        node.strings += 1;
        if (this.#at - start >= longTextBytes) node.unfit += 1;
        return;
      case openBrace:
        node.containers += 1;
        if (depth < depthMax) this.object(node, depth + 1);
        else this.#leaveOut();
        return;
      case openBracket:
        node.containers += 1;
        this.#at = endOfContainer(bytes, start);
        return;
      case letterT:
      case letterF:
        node.booleans += 1;
        this.#at = endOfPlain(bytes, start);
        return;
      case letterN:
        this.#at = endOfPlain(bytes, start);
        return;
      default:
        this.#at = endOfPlain(bytes, start);
        node.numbers += 1;
        if (isUnfit(bytes, start, this.#at, this.#isLossless)) node.unfit += 1;
    }
  }

  /** Skips an object whose members are too deep to be listed. */
  #leaveOut(): void {
    if (this.#bytes[this.#at + 1] !== closeBrace) this.#tree.complete = false;
    this.#at = endOfContainer(this.#bytes, this.#at);
  }
}

function isKey(bytes: Buffer, start: number, key: Buffer): boolean {
  const { length } = key;
  if (bytes[start + length] !== quote) return false;
  for (let index = 0; index < length; index++)
    if (bytes[start + index] !== key[index]) return false;
  return true;
}

const stepOf = (key: Buffer): string => {
  const text = key.toString();
  return key.includes(backslash) ? (JSON.parse(`"${text}"`) as string) : text;
};

function endOfValue(bytes: Buffer, start: number): number {
  const first = bytes[start];
  if (first === quote) return endOfString(bytes, start + 1);
  return first === openBrace || first === openBracket
    ? endOfContainer(bytes, start)
    : endOfPlain(bytes, start);
}

function endOfContainer(bytes: Buffer, start: number): number {
  let depth = 0;
  let at = start;
  do {
    const byte = bytes[at];
    at = byte === quote ? endOfString(bytes, at + 1) : at + 1;
    if (byte === openBrace || byte === openBracket) depth += 1;
    else if (byte === closeBrace || byte === closeBracket) depth -= 1;
  } while (depth > 0 && at < bytes.length);
  return at;
}

/** Of a number, `true`, `false` or `null`. */
function endOfPlain(bytes: Buffer, start: number): number {
  let at = start + 1;
  for (; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === comma || byte === closeBrace || byte === closeBracket) break;
  }
  return at;
}

/** Every shorter number without an exponent is below `wholeMax`, and a double holds it. */
const shortDigits = 15;

/** A double holds longer numbers only if they are mostly zeros. */
const longestHeld = 1_000;

function isUnfit(bytes: Buffer, start: number, end: number, isLossless: boolean): boolean {
  let at = end - start > shortDigits ? end : start;
  while (at < end && (bytes[at]! | 0x20) !== letterE) at += 1;
  if (at === end && end - start <= shortDigits) return false;
  const text = bytes.toString('latin1', start, end);
  if (!(Math.abs(Number(text)) <= wholeMax)) return true;
  return isLossless && (text.length > longestHeld || !doubleHolds(text));
}

/** The paths of the tree, at most as many as a segment lists. */
export function pathsIn({ root, complete }: PathTree): FoundPaths {
  const paths = below(root).sort(inDefaultOrder);
  let characters = 0;
  const end = paths.findIndex(({ steps }, index) => {
    characters += pathKey(steps).length;
    return index >= listedMax.paths || characters > listedMax.characters;
  });
  return end === -1 ? { paths, complete } : { paths: paths.slice(0, end), complete: false };
}

const below = ({ children }: PathNode): FoundPath[] =>
  children.flatMap((child) => {
    const { steps, rows, numbers, strings, booleans, containers, unfit } = child;
    return [{ steps, rows, numbers, strings, booleans, containers, unfit }, ...below(child)];
  });

const compare = (left: string, right: string): number => (left < right ? -1 : Number(left > right));

const inDefaultOrder = (a: FoundPath, b: FoundPath): number =>
  a.steps.length - b.steps.length || b.rows - a.rows || compare(a.steps.at(-1)!, b.steps.at(-1)!);
