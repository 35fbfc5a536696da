// Reads span slugs, the result of `span.export()` of the Braintrust SDKs: base64 of a version (2, 3 or 4), an object type, and
// the ids of the object and of a span in it. The versions are those of span_identifier_v2, _v3 and _v4 of the SDK.
import { isUtf8 } from 'node:buffer';
import { RequestError } from '../errors.js';
import type { JsonValue } from '../json/json.js';
import { parseJson } from '../json/parse.js';
import { isJsonObject, memberOf } from '../json/tree.js';

/** The content of a slug; null for absent parts. */
export interface Slug {
  readonly objectType: number;
  readonly objectId: string | null;
  /** The data of a slug that was created before the object had an id. */
  readonly objectArguments: JsonValue;
  readonly spanId: string | null;
  readonly rootSpanId: string | null;
}

/** Ids by name. */
type Ids = Readonly<Record<string, JsonValue>>;

/** The internal error for an invalid slug. */
class NoSlug extends Error {}

function take(bytes: Buffer, start: number, length: number): Buffer {
  if (start + length > bytes.length) throw new NoSlug();
  return bytes.subarray(start, start + length);
}

const uuidOf = (bytes: Buffer): string =>
  bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

const hexOf = (bytes: Buffer): string => bytes.toString('hex');

function jsonMembers(bytes: Buffer): Ids {
  if (bytes.length === 0) return {};
  if (!isUtf8(bytes)) throw new NoSlug();
  const value = parseJson(bytes.toString(), 'slug');
  if (!isJsonObject(value)) throw new NoSlug();
  const names = [...fieldNames.values(), argumentsName];
  return Object.fromEntries(names.map((name) => [name, memberOf(value, name) ?? null]));
}

const argumentsName = 'compute_object_metadata_args';

/** Version 2: four flags, then the parts that they announce. */
function idsOfVersion2(bytes: Buffer): Ids {
  const [hasObject, hasArguments, hasRow] = [2, 3, 4].map((index) => bytes[index] === 1);
  const ids: Record<string, JsonValue> = {};
  let at = 6;
  if (hasObject) {
    ids['object_id'] = uuidOf(take(bytes, at, 16));
    at += 16;
  }
  if (hasArguments) {
    const length = take(bytes, at, 4).readUInt32BE();
    Object.assign(ids, {
      [argumentsName]: parseJson(take(bytes, at + 4, length).toString(), 'slug'),
    });
    at += 4 + length;
  }
  if (hasRow) {
    ids['span_id'] = uuidOf(take(bytes, at, 16));
    ids['root_span_id'] = uuidOf(take(bytes, at + 16, 16));
  }
  return ids;
}

const fieldNames: ReadonlyMap<number, string> = new Map([
  [1, 'object_id'],
  [2, 'row_id'],
  [3, 'span_id'],
  [4, 'root_span_id'],
]);

/** The encoding of an entry. */
interface Entry {
  readonly length: number;
  readonly read: (bytes: Buffer) => string;
}

const uuidEntry: Entry = { length: 16, read: uuidOf };

const version4Entries: ReadonlyMap<number, Entry> = new Map([
  [3, { length: 8, read: hexOf }],
  [4, { length: 16, read: hexOf }],
]);

/** A count, that number of entries of a field number and an id, then JSON with the rest. */
function idsOfEntries(bytes: Buffer, entries: ReadonlyMap<number, Entry>): Ids {
  const ids: Record<string, JsonValue> = {};
  let at = 3;
  for (let left = take(bytes, 2, 1)[0]!; left > 0; left -= 1) {
    const number = take(bytes, at, 1)[0]!;
    const name = fieldNames.get(number);
    if (name === undefined) throw new NoSlug();
    const { length, read } = entries.get(number) ?? uuidEntry;
    ids[name] = read(take(bytes, at + 1, length));
    at += 1 + length;
  }
  const rest = Object.entries(jsonMembers(bytes.subarray(at))).filter(
    ([, value]) => value !== null,
  );
  return { ...ids, ...Object.fromEntries(rest) };
}

const versions: Readonly<Record<number, (bytes: Buffer) => Ids>> = {
  2: idsOfVersion2,
  3: (bytes) => idsOfEntries(bytes, new Map()),
  4: (bytes) => idsOfEntries(bytes, version4Entries),
};

function textOrNull(ids: Ids, name: string): string | null {
  const value = ids[name] ?? null;
  if (value === null || (typeof value === 'string' && value !== '')) return value;
  throw new NoSlug();
}

function read(bytes: Buffer): Slug {
  const readIds = versions[bytes[0] ?? 0];
  if (readIds === undefined || bytes.length < 3) throw new NoSlug();
  const ids = readIds(bytes);
  const spanId = textOrNull(ids, 'span_id');
  const rootSpanId = textOrNull(ids, 'root_span_id');
  if ((spanId === null) !== (rootSpanId === null)) throw new NoSlug();
  const objectId = textOrNull(ids, 'object_id');
  return {
    objectType: bytes[1]!,
    objectId,
    objectArguments: ids[argumentsName] ?? null,
    spanId,
    rootSpanId,
  };
}

/** The maximum length of a slug. The names in it have at most 1,000 characters each. */
const slugLengthMax = 2 ** 16;

const base64 = /^[A-Za-z\d+/]+={0,2}$/;

/** Returns null for an invalid slug. */
export function readSlug(text: string): Slug | null {
  if (text.length > slugLengthMax || !base64.test(text)) return null;
  try {
    return read(Buffer.from(text, 'base64'));
  } catch (error) {
    if (error instanceof NoSlug || error instanceof RequestError) return null;
    throw error;
  }
}
