// Finds references to attachments in events: {"type": "braintrust_attachment", "key": "…"} anywhere in their fields.
import { stringOfJson, type JsonText } from '../json/json-text.js';
import type { IncomingEvent } from './incoming.js';

const mark = 'braintrust_attachment';
/** The search for it is faster, since few texts have many of its first character. */
const rarePart = '_attachment';

/** Stored JSON has no spaces. Other members named `key` in the same text count as references, too. */
const keyMember = /"key":"([^"\\]+)"/g;

/** Returns distinct keys. */
export function attachmentKeys(events: readonly IncomingEvent[]): readonly string[] {
  const keys = new Set<string>();
  const mayHaveMark = markFinder();
  for (const { json } of events)
    for (const text of Object.values(json)) {
      if (text === null || !mayHaveMark(text)) continue;
      const string = stringOfJson(text);
      if (string.includes(mark)) for (const [, key] of string.matchAll(keyMember)) keys.add(key!);
    }
  return [...keys];
}

/** Searches a buffer once for all its texts, since neighbouring texts share one. */
function markFinder(): (text: JsonText) => boolean {
  let searched: Buffer | undefined;
  let isFound = false;
  return (text) => {
    if (typeof text === 'string') return true;
    if (text.bytes !== searched) {
      searched = text.bytes;
      isFound = searched.includes(rarePart);
    }
    return isFound;
  };
}
