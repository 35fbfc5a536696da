// Finds references to attachments in events: {"type": "braintrust_attachment", "key": "…"} anywhere in their fields.
import { bytesOfJson, type JsonText } from '../json/json-text.js';
import { endOfString } from '../json/scan.js';
import { attachmentKeyBytesMax, attachmentKeyPattern } from '../schema/attachment.js';
import type { IncomingEvent } from './incoming.js';

const mark = 'braintrust_attachment';
/** The search for it is faster, since few texts have many of its first character. */
const rarePart = '_attachment';

/** Returns distinct keys. */
export function attachmentKeys(events: readonly IncomingEvent[]): readonly string[] {
  const keys = new Set<string>();
  const mayHaveMark = markFinder();
  for (const { json } of events)
    for (const text of Object.values(json)) {
      if (text === null || !mayHaveMark(text)) continue;
      const { bytes, start, end } = bytesOfJson(text);
      const part = bytes.subarray(start, end);
      if (part.includes(mark)) addKeys(part, keys);
    }
  return [...keys];
}

/** Searches a buffer once for all its texts, since neighbouring texts share one. */
function markFinder(): (text: JsonText) => boolean {
  let searched: Buffer | undefined;
  let isFound = false;
  return (text) => {
    if (typeof text === 'string') return text.includes(rarePart);
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
const quotedKey = new RegExp(`^"(${attachmentKeyPattern})"`);

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

/** Adds the keys of the references in a JSON text, in linear time. */
function addKeys(bytes: Buffer, keys: Set<string>): void {
  const open: OpenObject[] = [];
  let at = 0;
  while (at < bytes.length) {
    const byte = bytes[at];
    if (byte === quote) {
      const object = open.at(-1);
      if (object !== undefined) readMember(bytes, at, object);
      at = endOfString(bytes, at + 1);
      continue;
    }
    if (byte === openBrace) open.push({ hasType: false, key: null });
    else if (byte === closeBrace) {
      const object = open.pop();
      if (object?.hasType === true && object.key !== null) keys.add(object.key);
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
  const text = bytes.toString('latin1', at, at + attachmentKeyBytesMax + 2);
  return quotedKey.exec(text)?.[1] ?? null;
}
