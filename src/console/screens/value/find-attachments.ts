// Finds the files in a value of any size and depth, in one pass over its lines.
import { linesOf, type Line } from '../../json/lines.js';
import { plainText, type RawRow } from '../../json/scan.js';
import { attachmentIn, attachmentOf, type Attachment } from './attachments.js';

export interface Found {
  /** Where it is in the value, such as `messages[0].image`; empty for the whole value. */
  readonly path: string;
  readonly attachment: Attachment;
}

/** Most values have none of these and are not split. */
const marks =
  /;base64,|_attachment"|"image|"input_|"(?:audio|video|media|file|document|inlineData|inline_data|b64_json)"/;

/** Objects with more members are no files. */
const membersMax = 30;

interface ObjectAt {
  readonly members: RawRow;
  /** The index of the line of each member. */
  readonly places: ReadonlyMap<string, number>;
}

/** The object that begins in this line, with its direct members; null if there are too many. */
function objectAt(text: string, lines: readonly Line[], open: number): ObjectAt | null {
  const members = new Map<string, string>();
  const places = new Map<string, number>();
  const { close } = lines[open]!;
  for (let index = open + 1; index < close; index += 1) {
    if (members.size === membersMax) return null;
    const { keyStart, keyEnd, start, end, kind, close: last } = lines[index]!;
    const valueEnd = kind === 'open' ? lines[last]!.end : end;
    const name = plainText(text.slice(keyStart, keyEnd));
    members.set(name, text.slice(start, valueEnd));
    places.set(name, index);
    if (kind === 'open') index = last;
  }
  return { members, places };
}

/** The file that the object in this line is. Uses the lines of what is inside, which can be long. */
function fileAt(text: string, lines: readonly Line[], open: number): Attachment | null {
  const object = objectAt(text, lines, open);
  if (object === null) return null;
  return attachmentOf(
    object.members,
    (name) => objectAt(text, lines, object.places.get(name)!)?.members ?? null,
  );
}

interface Container {
  readonly path: string;
  /** The index of the next element; null in an object. */
  next: number | null;
}

function pathOf(text: string, { keyStart, keyEnd }: Line, parent: Container | undefined): string {
  if (parent === undefined) return '';
  const { path, next } = parent;
  if (next !== null) {
    parent.next = next + 1;
    return `${path}[${next}]`;
  }
  const name = plainText(text.slice(keyStart, keyEnd));
  return path === '' ? name : `${path}.${name}`;
}

/** @param raw JSON text */
export function findAttachments(raw: string): readonly Found[] {
  if (!marks.test(raw)) return [];
  const lines = linesOf(raw);
  const found: Found[] = [];
  const containers: Container[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index]!;
    if (line.kind === 'close') {
      containers.pop();
      continue;
    }
    const path = pathOf(raw, line, containers.at(-1));
    const isObject = line.kind === 'open' && raw[line.start] === '{';
    const attachment =
      line.kind === 'value'
        ? attachmentIn(raw.slice(line.start, line.end))
        : isObject
          ? fileAt(raw, lines, index)
          : null;
    if (attachment !== null) found.push({ path, attachment });
    if (line.kind !== 'open') continue;
    if (attachment !== null) index = line.close;
    else containers.push({ path, next: isObject ? null : 0 });
  }
  return found;
}

/** Whether to compare a value by its words: not if it has files, whose base64 has none. */
export const hasWords = (raw: string): boolean => findAttachments(raw).length === 0;
