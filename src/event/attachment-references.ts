// Finds references to attachments in events: {"type": "braintrust_attachment", "key": "…"} anywhere in their fields.
import type { IncomingEvent } from './incoming.js';

const mark = 'braintrust_attachment';

/** Stored JSON has no spaces. Other members named `key` in the same text count as references, too. */
const keyMember = /"key":"([^"\\]+)"/g;

/** Returns distinct keys. */
export function attachmentKeys(events: readonly IncomingEvent[]): readonly string[] {
  const keys = new Set<string>();
  for (const { json } of events)
    for (const text of Object.values(json))
      if (text?.includes(mark) === true)
        for (const [, key] of text.matchAll(keyMember)) keys.add(key!);
  return [...keys];
}
