// Reads messages from events of GenAI instrumentations.
import type { JsonValue } from '../json/json.js';
import { objectInOrder } from '../json/ordered.js';
import { isJsonObject, membersOf } from '../json/tree.js';
import { structure, type ReaderContext } from './readers.js';
import type { SpanEvent } from './span.js';

/** Content is a text, or JSON text of an array or object. */
const contentOf = (value: JsonValue, span: ReaderContext): JsonValue =>
  structure(value, span) ?? value;

/** The members of the attribute `message`; any other value is the content. */
function ownMembers(
  { attributes }: SpanEvent,
  span: ReaderContext,
): ReadonlyMap<string, JsonValue> {
  const whole = contentOf(attributes.get('message') ?? null, span);
  if (isJsonObject(whole)) return new Map(membersOf(whole));
  return new Map(whole === null ? [] : [['content', whole]]);
}

interface EventMessage {
  readonly message: JsonValue;
  /** The attributes of the event that are not in the message. */
  readonly left: SpanEvent['attributes'];
}

/**
 * The message of an event. The members of its attribute `message` take precedence over its other attributes, and both over the role
 * that its name implies.
 */
function messageOf(event: SpanEvent, role: string, span: ReaderContext): EventMessage {
  const own = ownMembers(event, span);
  const message = new Map<string, JsonValue>([['role', role], ...own]);
  const left = new Map<string, JsonValue>();
  for (const [name, value] of event.attributes) {
    if (name === 'message') continue;
    if (own.has(name)) left.set(name, value);
    else message.set(name, contentOf(value, span));
  }
  return { message: objectInOrder(message), left };
}

export interface EventMessages {
  readonly messages: readonly JsonValue[];
  /** The events of the messages, each with its attributes that are not in its message. */
  readonly events: ReadonlyMap<SpanEvent, SpanEvent['attributes']>;
}

/** @param roles by event name */
export function messagesOfEvents(
  events: readonly SpanEvent[],
  roles: Readonly<Record<string, string>>,
  span: ReaderContext,
): EventMessages {
  const found = events.filter(({ name }) => Object.hasOwn(roles, name));
  const read = found.map((event) => messageOf(event, roles[event.name] ?? '', span));
  return {
    messages: read.map(({ message }) => message),
    events: new Map(found.map((event, index) => [event, read[index]!.left])),
  };
}
