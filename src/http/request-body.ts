// The size limit of a body, and its conversion to JSON that matches a schema.
import { badRequest } from '../errors.js';
import type { JsonValue } from '../json/json.js';
import { parseJsonDocument } from '../json/parse.js';
import { scanElement } from '../json/scan.js';
import { plainJson } from '../json/tree.js';
import { anonymousBodyBytesMax, jsonBodyBytesMax, jsonLimits, limits } from '../schema/limits.js';
import type { Anonymous, ReserveMemory, Principal } from '../service/context.js';
import type { BodyRule } from './operation.js';
import type { SizeLimit } from './read-body.js';
import { compileValidator } from './validate.js';

type WholeBody = Exclude<BodyRule, { readonly kind: 'stream' }>;

const least = (one: SizeLimit, other: SizeLimit): SizeLimit =>
  other.bytesMax < one.bytesMax ? other : one;

/** The lowest of the limits, by the kind of caller; the first among equals. */
export function sizeLimits(
  rule: WholeBody,
  bytesMax: number,
): Readonly<Record<(Principal | Anonymous)['kind'], SizeLimit>> {
  const all = { bytesMax, of: '' };
  const json = { bytesMax: jsonBodyBytesMax, of: ' for this operation' };
  const key = rule.kind === 'bytes' && rule.isShort !== true ? all : least(all, json);
  const keyless = { bytesMax: anonymousBodyBytesMax, of: ' for requests without a key' };
  return { key, anonymous: least(key, keyless) };
}

const nouns = { whole: 'request body', part: 'field' };

/** The memory of one parsed value in bytes, such as `[]`. */
const valueBytes = 64;

export type JsonReader = (bytes: Buffer, reserve: ReserveMemory) => JsonValue;

const name = () => nouns.whole;

const isBlank = (bytes: Buffer): boolean =>
  bytes.length < 2 ** 10 && bytes.toString().trim() === '';

/** Returns a function that throws RequestError 400 for bytes that are not JSON or do not match the schema. */
export function jsonReader(rule: WholeBody): JsonReader {
  if (rule.kind === 'bytes') return () => null;
  const { schema, valuesMax = limits.bodyValues.max } = rule;
  const validate = compileValidator(schema, nouns);
  return (bytes, reserve) => {
    if (isBlank(bytes)) {
      if (rule.kind === 'optional') return {};
      throw badRequest('request body: expected an object, got nothing');
    }
    const { values } = scanElement(bytes, 0, { ...jsonLimits, values: { max: valuesMax }, name });
    reserve(values * valueBytes);
    const { value, plain } = parseJsonDocument(bytes.toString());
    validate(plain ? value : plainJson(value));
    return value;
  };
}
