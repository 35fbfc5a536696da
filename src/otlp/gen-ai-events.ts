// Reads conversations: messages in events of GenAI instrumentations, and lists of messages or of such events in an attribute.
import type { JsonObject, JsonValue } from '../json/json.js';
import { objectInOrder } from '../json/ordered.js';
import { isJsonObject, memberOf, membersOf } from '../json/tree.js';
import type { Attributes } from './attributes.js';
import { structureOf, type ReaderContext } from './readers.js';
import type { MessageRule } from './rule.js';
import type { SpanEvent } from './span.js';

/** Content is a text, or JSON text of an array or object. */
const contentOf = (value: JsonValue, span: ReaderContext): JsonValue =>
  structureOf(value, span) ?? value;

/** The members of the attribute `message`; any other value is the content. */
function ownMembers(attributes: Attributes, span: ReaderContext): ReadonlyMap<string, JsonValue> {
  const whole = contentOf(attributes.get('message') ?? null, span);
  if (isJsonObject(whole)) return new Map(membersOf(whole));
  return new Map(whole === null ? [] : [['content', whole]]);
}

interface EventMessage {
  readonly message: JsonValue;
  /** The attributes of the event that are not in the message. */
  readonly left: Attributes;
}

/**
 * The message of an event. The members of its attribute `message` take precedence over its other attributes, and both over the role
 * that its name implies.
 */
function messageOf(attributes: Attributes, role: string, span: ReaderContext): EventMessage {
  const own = ownMembers(attributes, span);
  const message = new Map<string, JsonValue>([['role', role], ...own]);
  const left = new Map<string, JsonValue>();
  for (const [name, value] of attributes) {
    if (name === 'message') continue;
    if (own.has(name)) left.set(name, value);
    else message.set(name, contentOf(value, span));
  }
  return { message: objectInOrder(message), left };
}

/** A message of a conversation, and what it is made of. */
export interface Turn<T> {
  readonly source: T;
  readonly message: JsonValue;
  /** Whether it is an answer in any case. */
  readonly isAnswer: boolean;
}

export interface Conversation<T> {
  readonly input: readonly Turn<T>[];
  readonly output: readonly Turn<T>[];
}

const isOfAssistant = ({ message }: Turn<unknown>): boolean =>
  isJsonObject(message) && memberOf(message, 'role') === 'assistant';

/** The answers are the output. Without any, it is the message of the assistant at the end. */
export function divided<T>(turns: readonly Turn<T>[]): Conversation<T> {
  const output = turns.filter(({ isAnswer }) => isAnswer);
  if (output.length > 0) return { input: turns.filter(({ isAnswer }) => !isAnswer), output };
  const last = turns.at(-1);
  return last !== undefined && isOfAssistant(last)
    ? { input: turns.slice(0, -1), output: [last] }
    : { input: turns, output: [] };
}

interface EventSource {
  readonly event: SpanEvent;
  readonly left: Attributes;
}

const roleOf = ({ messages, answers }: MessageRule, name: string): string | undefined => {
  const roles = Object.hasOwn(answers, name) ? answers : messages;
  return Object.hasOwn(roles, name) ? roles[name] : undefined;
};

export const turnsOfEvents = (
  events: readonly SpanEvent[],
  rule: MessageRule,
  span: ReaderContext,
): readonly Turn<EventSource>[] =>
  events.flatMap((event) => {
    const role = roleOf(rule, event.name);
    if (role === undefined) return [];
    const { message, left } = messageOf(event.attributes, role, span);
    return { source: { event, left }, message, isAnswer: Object.hasOwn(rule.answers, event.name) };
  });

/** The members that make an event of a message in JSON. */
const nameMember = 'event.name';
const ofEvents: ReadonlySet<string> = new Set([nameMember, 'gen_ai.message.index']);

/** The messages of a list, which also may have the names of events of messages. */
export const turnsOfList = (
  list: readonly JsonObject[],
  rule: MessageRule,
  span: ReaderContext,
): readonly Turn<null>[] =>
  list.map((item) => {
    const name = memberOf(item, nameMember);
    const role = typeof name === 'string' ? roleOf(rule, name) : undefined;
    if (role === undefined) return { source: null, message: item, isAnswer: false };
    const members = [...membersOf(item)].filter(([member]) => !ofEvents.has(member));
    const { message } = messageOf(new Map(members), role, span);
    return { source: null, message, isAnswer: Object.hasOwn(rule.answers, name as string) };
  });
