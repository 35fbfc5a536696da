// Reads messages from events of GenAI instrumentations.
import type { JsonValue } from '../json/json.js';
import { objectInOrder } from '../json/ordered.js';
import { isJsonObject, membersOf } from '../json/tree.js';
import { structure, type ReadSpan } from './readers.js';
import type { SpanEvent } from './span.js';

/** Content is a text, or JSON text of an array or object. */
const contentOf = (value: JsonValue, span: ReadSpan): JsonValue => structure(value, span) ?? value;

/** The message of a choice. Its members take precedence over the role that the event name implies. */
function messageOf({ attributes }: SpanEvent, role: string, span: ReadSpan): JsonValue {
  const message = new Map<string, JsonValue>([['role', role]]);
  const whole = contentOf(attributes.get('message') ?? null, span);
  if (isJsonObject(whole)) for (const [name, value] of membersOf(whole)) message.set(name, value);
  else if (whole !== null) message.set('content', whole);
  for (const [name, value] of attributes) {
    if (name === 'message') continue;
    if (name === 'role' || !message.has(name)) message.set(name, contentOf(value, span));
  }
  return objectInOrder(message);
}

export interface EventMessages {
  readonly messages: readonly JsonValue[];
  /** The events of the messages. */
  readonly events: readonly SpanEvent[];
}

/** @param roles by event name */
export function messagesOfEvents(
  events: readonly SpanEvent[],
  roles: Readonly<Record<string, string>>,
  span: ReadSpan,
): EventMessages {
  const found = events.filter(({ name }) => Object.hasOwn(roles, name));
  return {
    messages: found.map((event) => messageOf(event, roles[event.name] ?? '', span)),
    events: found,
  };
}
