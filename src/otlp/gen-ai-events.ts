// The events in which GenAI instrumentations report messages -> the messages.
import type { JsonValue } from '../json/json.js';
import { objectInOrder } from '../json/ordered.js';
import { isJsonObject, membersOf } from '../json/tree.js';
import { structure } from './readers.js';
import type { SpanEvent } from './span.js';

/** Content is a text, or JSON text of an array or object. */
const contentOf = (value: JsonValue, event: SpanEvent): JsonValue =>
  structure(value, event.attributes) ?? value;

/** A choice has its message as a whole; its members go before the role that the name of the event says. */
function messageOf(event: SpanEvent, role: string): JsonValue {
  const message = new Map<string, JsonValue>([['role', role]]);
  const { attributes } = event;
  const whole = contentOf(attributes.get('message') ?? null, event);
  if (isJsonObject(whole)) for (const [name, value] of membersOf(whole)) message.set(name, value);
  else if (whole !== null) message.set('content', whole);
  for (const [name, value] of attributes) {
    if (name === 'message') continue;
    if (name === 'role' || !message.has(name)) message.set(name, contentOf(value, event));
  }
  return objectInOrder(message);
}

export interface EventMessages {
  readonly messages: readonly JsonValue[];
  /** The events that they are of. */
  readonly events: readonly SpanEvent[];
}

/** `roles` by the name of the event. */
export function messagesOfEvents(
  events: readonly SpanEvent[],
  roles: Readonly<Record<string, string>>,
): EventMessages {
  const found = events.filter(({ name }) => Object.hasOwn(roles, name));
  return {
    messages: found.map((event) => messageOf(event, roles[event.name] ?? '')),
    events: found,
  };
}
