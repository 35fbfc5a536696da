// What operations take as bodies: how large they may be, and how their bytes become JSON that fits a schema.
import { badRequest } from '../errors.js';
import type { JsonValue } from '../json/json.js';
import { parseJsonDocument } from '../json/parse.js';
import { scanElement } from '../json/scan.js';
import { plainJson } from '../json/tree.js';
import { anonymousBodyBytesMax, jsonBodyBytesMax, limits } from '../schema/limits.js';
import type { Anonymous, Hold, Principal } from '../service/context.js';
import type { BodyRule, JsonRule } from './operation.js';
import type { SizeLimit } from './read-body.js';
import { compileValidator } from './validate.js';

type WholeBody = Exclude<BodyRule, { readonly kind: 'stream' }>;

/** Whichever of these is the lowest, an earlier one when they are equal. */
export function sizeLimit(
  rule: WholeBody,
  caller: Principal | Anonymous,
  bytesMax: number,
): SizeLimit {
  const sizes: SizeLimit[] = [{ bytesMax, of: '' }];
  if (rule.kind !== 'bytes') sizes.push({ bytesMax: jsonBodyBytesMax, of: ' for this operation' });
  if (caller.kind === 'anonymous')
    sizes.push({ bytesMax: anonymousBodyBytesMax, of: ' for requests without a key' });
  return sizes.reduce((least, size) => (size.bytesMax < least.bytesMax ? size : least));
}

const place = { whole: 'request body', part: 'field' };

/** Memory of one parsed value, in bytes: `[]` takes as much as this. */
const valueBytes = 64;

export type JsonReader = (bytes: Buffer, hold: Hold) => JsonValue;

/** How many values a body may hold. */
const valuesIn = ({ valuesMax }: JsonRule) =>
  valuesMax === undefined ? limits.values : { max: valuesMax };

const name = () => place.whole;

const isBlank = (bytes: Buffer): boolean =>
  bytes.length < 2 ** 10 && bytes.toString().trim() === '';

/** @returns a function that throws a RequestError 400 for bytes that are not JSON or do not fit */
export function jsonReader(rule: WholeBody): JsonReader {
  if (rule.kind === 'bytes') return () => null;
  const validate = compileValidator(rule.schema, place);
  return (bytes, hold) => {
    if (isBlank(bytes)) {
      if (rule.kind === 'optional') return {};
      throw badRequest('request body: expected an object, got nothing');
    }
    const { values } = scanElement(bytes, 0, { ...limits, values: valuesIn(rule), name });
    hold(values * valueBytes);
    const { value, plain } = parseJsonDocument(bytes.toString());
    validate(plain ? value : plainJson(value));
    return value;
  };
}
