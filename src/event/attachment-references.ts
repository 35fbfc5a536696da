// Finds references to attachments in events: {"type": "braintrust_attachment", "key": "…"} anywhere in their fields.
import { bytesOfJson, type JsonBytes, type JsonText } from '../json/json-text.js';
import { endOfString } from '../json/scan.js';
import { attachmentKeyBytesMax, attachmentKeyPattern } from '../schema/attachment.js';
import type { IncomingEvent } from './incoming.js';

const mark = 'braintrust_attachment';
/** The search for it is faster, since few texts have many of its first character. */
const rarePart = '_attachment';

const none: readonly string[] = [];

/**
 * Yields the distinct keys of each event, or null inside of a long one. The caller may pause after each step.
 * @param max an event that names more keys yields only the first `max + 1`
 */
export function* attachmentKeys(
  events: readonly IncomingEvent[],
  max = Infinity,
): Generator<readonly string[] | null, void> {
  const mayHaveMark = markFinder();
  for (const { json } of events) {
    let keys: Set<string> | undefined;
    for (const text of Object.values(json)) {
      if (text === null || !mayHaveMark(text)) continue;
      const { bytes, start, end } = bytesOfJson(text);
      const part = bytes.subarray(start, end);
      if (part.includes(mark)) yield* keysIn(part, (keys ??= new Set()), max);
    }
    yield keys === undefined ? none : [...keys];
  }
}

/** The largest buffer that is searched for all its texts at once. */
const sharedBytesMax = 2 ** 20;

const hasRarePart = ({ bytes, start, end }: JsonBytes): boolean =>
  bytes.subarray(start, end).includes(rarePart);

/** Searches a short buffer once for all its texts, since neighbouring texts share one. */
function markFinder(): (text: JsonText) => boolean {
  let searched: Buffer | undefined;
  let isFound = false;
  return (text) => {
    if (typeof text === 'string') return text.includes(rarePart);
    if (text.bytes.length > sharedBytesMax) return hasRarePart(text);
    if (text.bytes !== searched) {
      searched = text.bytes;
      isFound = searched.includes(rarePart);
    }
    return isFound;
  };
}

// Stored JSON has no spaces.
const typeMember = Buffer.from('"type":');
const typeValue = Buffer.from(`"${mark}"`);
const keyMember = Buffer.from('"key":');
const keyPattern = new RegExp(`^${attachmentKeyPattern}$`);

const quote = 0x22;
const openBrace = 0x7b;
const closeBrace = 0x7d;

const isAt = (bytes: Buffer, at: number, what: Buffer): boolean =>
  bytes[at + 1] === what[1] && bytes.subarray(at, at + what.length).equals(what);

/** What is known of an object that is not closed yet. */
interface OpenObject {
  hasType: boolean;
  key: string | null;
}

/** The number of bytes of a text to read between two steps. */
const stepBytes = 2 ** 18;

/** Adds up to `max + 1` keys of the references in a JSON text to `keys`, in linear time. The caller may pause after each step. */
function* keysIn(bytes: Buffer, keys: Set<string>, max: number): Generator<null, void> {
  const open: OpenObject[] = [];
  let at = 0;
  let pause = stepBytes;
  while (at < bytes.length && keys.size <= max) {
    if (at >= pause) {
      yield null;
      pause = at + stepBytes;
    }
    const byte = bytes[at];
    if (byte === quote) {
      const object = open.at(-1);
      if (object !== undefined) readMember(bytes, at, object);
      at = endOfString(bytes, at + 1);
      continue;
    }
    if (byte === openBrace) open.push({ hasType: false, key: null });
    else if (byte === closeBrace) {
      const { hasType = false, key = null } = open.pop() ?? {};
      if (hasType && key !== null) keys.add(key);
    }
    at += 1;
  }
}

/** Reads the member whose name begins at `at`; a string that is a value is followed by no colon. */
function readMember(bytes: Buffer, at: number, object: OpenObject): void {
  if (isAt(bytes, at, typeMember)) object.hasType = isAt(bytes, at + typeMember.length, typeValue);
  else if (isAt(bytes, at, keyMember)) object.key = keyAt(bytes, at + keyMember.length);
}

/** Returns null for what is not the key of an attachment. */
function keyAt(bytes: Buffer, at: number): string | null {
  if (bytes[at] !== quote) return null;
  const end = endOfString(bytes, at + 1) - 1;
  if (end - at > attachmentKeyBytesMax + 1) return null;
  const key = bytes.toString('latin1', at + 1, end);
  return keyPattern.test(key) ? key : null;
}
