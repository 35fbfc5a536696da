// Recognises conversations in the formats of clients. Unknown parts stay JSON in their message.
import { elementsOf, membersOf, plainText } from '../../json/scan.js';
import { attachmentIn, type Attachment } from './attachments.js';

export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'file'; readonly attachment: Attachment }
  | { readonly kind: 'json'; readonly label: string; readonly raw: string };

export interface Message {
  readonly role: string;
  readonly parts: readonly Part[];
}

const json = (label: string, raw: string): Part => ({ kind: 'json', label, raw });

/** One part of a content, in the format of OpenAI, Anthropic, Gemini or the AI SDK. */
function partOf(raw: string): Part {
  const attachment = attachmentIn(raw);
  if (attachment !== null) return { kind: 'file', attachment };
  if (raw.startsWith('"')) return { kind: 'text', text: plainText(raw) };
  if (!raw.startsWith('{')) return json('part', raw);
  const members = membersOf(raw);
  const text = members.get('text') ?? '';
  const type = plainText(members.get('type') ?? '"text"');
  const isText = type.endsWith('text') && text.startsWith('"');
  return isText ? { kind: 'text', text: plainText(text) } : json(type, raw);
}

function contentParts(raw: string | undefined): readonly Part[] {
  if (raw === undefined || raw === 'null' || raw === '""') return [];
  if (raw.startsWith('[')) return elementsOf(raw).map(partOf);
  return [partOf(raw)];
}

const firstText = /"text":("(?:[^"\\]|\\u[\da-fA-F]{4}|\\[^u])*)/;

/** The first text in the first characters of a list of parts, else the type of its first part; null if it is not such a list. */
function textOfCutList(text: string): string | null {
  if (!text.startsWith('[{"')) return null;
  const found = firstText.exec(text)?.[1];
  if (found === undefined) return /"type":"(\w+)"/.exec(text)?.[1] ?? null;
  try {
    return plainText(`${found}"`);
  } catch {
    return null; // Not JSON: a text that only begins like a list.
  }
}

/**
 * The first text of the content of a message, else the name of its first file; null if it has neither. The server returns a long
 * list of parts as a string of its first characters.
 */
export function textOfContent(raw: string | undefined): string | null {
  const parts = contentParts(raw);
  const text = parts.find((part) => part.kind === 'text');
  if (text !== undefined) return textOfCutList(text.text) ?? text.text;
  return parts.find((part) => part.kind === 'file')?.attachment.name ?? null;
}

const isText = (part: Part) => part.kind === 'text';

const textIn = (parts: readonly Part[]): string =>
  parts
    .filter(isText)
    .map(({ text }) => text)
    .join('');

/** The parts of `content` and `parts`. The AI SDK logs the text of its parts also as the content. */
function bodyParts(members: ReadonlyMap<string, string>): readonly Part[] {
  const content = contentParts(members.get('content'));
  const parts = contentParts(members.get('parts'));
  const isRepeated = content.every(isText) && textIn(content) === textIn(parts);
  return isRepeated ? parts : [...content, ...parts];
}

const shownMembers: ReadonlySet<string> = new Set([
  'role',
  'type',
  'content',
  'parts',
  'tool_calls',
  'function_call',
]);

/** Roles by message type of LangChain. */
const roleOf = (members: ReadonlyMap<string, string>): string | null => {
  const role = members.get('role') ?? (members.has('content') ? members.get('type') : undefined);
  return role?.startsWith('"') === true ? plainText(role) : null;
};

function messageOf(raw: string): Message | null {
  if (!raw.startsWith('{')) return null;
  const members = membersOf(raw);
  const role = roleOf(members);
  if (role === null) return null;
  const calls = ['tool_calls', 'function_call'].flatMap((name) => {
    const call = members.get(name);
    if (call === undefined || call === 'null' || call === '[]') return [];
    return call.startsWith('[')
      ? elementsOf(call).map((one) => json('tool call', one))
      : [json(name, call)];
  });
  const others = [...members].filter(
    ([name, value]) => !shownMembers.has(name) && value !== 'null',
  );
  return {
    role,
    parts: [...bodyParts(members), ...calls, ...others.map(([name, value]) => json(name, value))],
  };
}

/** Null if there are none, or if an element is not a message. */
const complete = (messages: readonly (Message | null)[]): readonly Message[] | null =>
  messages.length > 0 && messages.every((message) => message !== null) ? messages : null;

const allMessages = (raw: string): readonly Message[] | null =>
  complete(elementsOf(raw).map(messageOf));

/** The messages in `choices` of a completion. */
const choiceMessages = (raw: string): readonly Message[] | null =>
  complete(
    elementsOf(raw).map((choice) =>
      choice.startsWith('{') ? messageOf(membersOf(choice).get('message') ?? '') : null,
    ),
  );

/** The maximum size of a value to recognise. Messages may have several large images. */
const lengthMax = 20_000_000;

/** Returns null if the value is not a conversation. */
export function messagesOf(raw: string): readonly Message[] | null {
  if (raw.length > lengthMax) return null;
  if (raw.startsWith('[')) return allMessages(raw) ?? choiceMessages(raw);
  const members = membersOf(raw);
  for (const name of ['messages', 'contents']) {
    const list = members.get(name);
    if (list?.startsWith('[') === true) return allMessages(list);
  }
  const choices = members.get('choices');
  if (choices?.startsWith('[') === true) return choiceMessages(choices);
  const single = messageOf(raw);
  return single === null ? null : [single];
}
