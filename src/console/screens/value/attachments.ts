// Recognises files in logged values: attachments of the SDKs, data URLs, and parts of messages in the formats of clients.
// All that they say about themselves is logged text, which may be wrong.
import { membersOf, plainText, type RawRow } from '../../json/scan.js';

export type Content =
  | { readonly kind: 'stored'; readonly key: string }
  /** Base64 as in the JSON text. */
  | { readonly kind: 'inline'; readonly base64: string }
  /** Never loaded. */
  | { readonly kind: 'elsewhere'; readonly url: string };

export interface Attachment {
  readonly name: string;
  /** In lower case, without parameters; empty if unknown. */
  readonly contentType: string;
  readonly content: Content;
}

/** The maximum length of names and types; the rest is omitted. */
const shortMax = 1_000;

/** The text of a short string; empty for other values. */
function shortText(raw: string | undefined): string {
  if (raw?.startsWith('"') !== true) return '';
  // A longer text cannot be decoded in part.
  return raw.length > 8 * shortMax ? '' : plainText(raw).slice(0, shortMax);
}

const cleanType = (type: string): string => type.split(';')[0]!.trim().toLowerCase();

const extensions: Readonly<Record<string, string>> = {
  jpeg: 'jpg',
  mpeg: 'mp3',
  plain: 'txt',
  'svg+xml': 'svg',
};

/** For a file without a name. */
function nameOfType(contentType: string): string {
  const [kind = '', subtype = ''] = contentType.split('/');
  const stem = ['image', 'audio', 'video'].includes(kind) ? kind : 'file';
  const extension = extensions[subtype] ?? subtype;
  return /^[a-z0-9]{1,8}$/.test(extension) ? `${stem}.${extension}` : stem;
}

const attachment = (name: string, contentType: string, content: Content): Attachment => ({
  name: name === '' ? nameOfType(contentType) : name,
  contentType,
  content,
});

/** Some clients escape the slash. */
const dataUrl = /^"data:([\w.+-]+\\?\/[\w.+-]+)?(?:;[\w.=+-]{1,100})*;base64,/i;

/** @param raw JSON text of a string */
function dataOf(raw: string, name: string): Attachment | null {
  const found = dataUrl.exec(raw.slice(0, 300));
  if (found === null) return null;
  const contentType = cleanType((found[1] ?? '').replace('\\', ''));
  return attachment(name, contentType, { kind: 'inline', base64: raw.slice(found[0].length, -1) });
}

const isBase64 = (text: string): boolean => /^[\w+/=\\-]+$/.test(text.slice(0, 100));

/** The last part of the path of a URL. */
const nameInUrl = (url: string): string =>
  URL.canParse(url) ? new URL(url).pathname.split('/').at(-1)! : '';

/** @param raw JSON text of a data URL or a web address */
function addressedFile(raw: string, name: string, contentType: string): Attachment | null {
  const url = /^"https?:/i.test(raw) ? shortText(raw) : '';
  if (url === '') return dataOf(raw, name);
  return attachment(name || nameInUrl(url), contentType, { kind: 'elsewhere', url });
}

/** @param raw JSON text of base64, whose type has to be known */
function base64File(raw: string, name: string, contentType: string): Attachment | null {
  const base64 = raw.slice(1, -1);
  if (!raw.startsWith('"') || contentType === '' || !isBase64(base64)) return null;
  return attachment(name, contentType, { kind: 'inline', base64 });
}

/** The first of these members that is there. */
const firstOf = (members: RawRow, names: readonly string[]): string | undefined =>
  members.get(names.find((name) => members.has(name)) ?? '');

const nameMembers = ['filename', 'file_name', 'name', 'title'];
const typeMembers = ['content_type', 'media_type', 'mime_type', 'mimeType', 'mediaType'];
/** Members that are objects with the content. */
const bodyMembers = ['source', 'image_url', 'input_audio', 'file', 'inline_data', 'inlineData'];
/** Members with base64, a data URL or an address. */
const encodedMembers = ['image', 'file_data', 'b64_json', 'data', 'base64'];
/** Members with a data URL or an address. */
const addressMembers = ['image_url', 'file_url', 'url', 'src', 'content'];

const partTypes: ReadonlySet<string> = new Set(
  'image image_url input_image input_audio audio video media'
    .concat(' file input_file document inline_attachment base64_attachment')
    .split(' '),
);

/** Parts that have no type. */
const untyped: readonly string[] = ['inline_data', 'inlineData', 'b64_json'];

function typeOf(body: RawRow, outer: RawRow): string {
  const given = shortText(firstOf(body, typeMembers) ?? firstOf(outer, typeMembers));
  if (given !== '') return cleanType(given);
  const format = shortText(body.get('format'));
  if (format !== '' && outer.has('input_audio')) return `audio/${format.toLowerCase()}`;
  return body.has('b64_json') ? 'image/png' : '';
}

/** The members of the object that a member is; null if they are too many for a file. */
type Inside = (name: string) => RawRow | null;

function partOf(members: RawRow, inside: Inside): Attachment | null {
  const inner = bodyMembers.find((name) => members.has(name)) ?? '';
  const body = members.get(inner)?.startsWith('{') === true ? inside(inner) : members;
  if (body === null) return null;
  // A document of Anthropic can also be plain text.
  if (shortText(body.get('type')) === 'text') return null;
  const name = shortText(firstOf(body, nameMembers) ?? firstOf(members, nameMembers));
  const contentType = typeOf(body, members);
  const encoded = firstOf(body, encodedMembers);
  const content = encoded ?? firstOf(body, addressMembers) ?? '';
  return (
    addressedFile(content, name, contentType) ??
    (encoded === undefined ? null : base64File(encoded, name, contentType))
  );
}

/** An attachment that a client of the interface uploaded, or that is stored elsewhere. */
function referenceOf(members: RawRow, type: string): Attachment | null {
  const name = shortText(members.get('filename'));
  const contentType = cleanType(shortText(members.get('content_type')));
  const key = shortText(members.get('key'));
  const url = shortText(members.get('url'));
  if (type === 'braintrust_attachment' && key !== '')
    return attachment(name, contentType, { kind: 'stored', key });
  if (type === 'external_attachment' && url !== '')
    return attachment(name, contentType, { kind: 'elsewhere', url });
  return null;
}

/** Returns null if the object is not a file. */
export function attachmentOf(members: RawRow, inside: Inside): Attachment | null {
  const type = shortText(members.get('type'));
  if (partTypes.has(type)) return partOf(members, inside);
  if (type === '' && untyped.some((name) => members.has(name))) return partOf(members, inside);
  return referenceOf(members, type);
}

/** The file that a value is: a data URL, or one object. */
export function attachmentIn(raw: string): Attachment | null {
  if (raw.startsWith('"')) return dataOf(raw, '');
  if (!raw.startsWith('{')) return null;
  const members = membersOf(raw);
  return attachmentOf(members, (name) => membersOf(members.get(name)!));
}
