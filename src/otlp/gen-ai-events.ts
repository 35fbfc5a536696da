// Reads messages from events of GenAI instrumentations.
import type { JsonValue } from '../json/json.js';
import { objectInOrder } from '../json/ordered.js';
import { isJsonObject, membersOf } from '../json/tree.js';
import { structure } from './readers.js';
import type { SpanEvent } from './span.js';

/** Content is a text, or JSON text of an array or object. */
const contentOf = (value: JsonValue, event: SpanEvent): JsonValue =>
  structure(value, event.attributes) ?? value;

/** The message of a choice. Its members take precedence over the role that the event name implies. */
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
  /** The events of the messages. */
  readonly events: readonly SpanEvent[];
}

/** @param roles by event name */
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
