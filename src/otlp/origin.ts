// Converts a resource and a scope to members of `context.otel`, once for all of their spans.
import { badRequest } from '../errors.js';
import type { JsonObject, JsonValue } from '../json/json.js';
import { objectInOrder } from '../json/ordered.js';
import { isJsonObject, memberOf } from '../json/tree.js';
import { attributesOf } from './attributes.js';
import { describeJson } from './describe.js';
import { countOf, textOf } from './span.js';

export type Members = ReadonlyMap<string, JsonValue>;

const isEmpty = (value: JsonValue): boolean =>
  value === null ||
  value === '' ||
  value === 0 ||
  (Array.isArray(value) && value.length === 0) ||
  (value instanceof Map && value.size === 0) ||
  (isJsonObject(value) && !(value instanceof Map) && Object.keys(value).length === 0);

/** Drops empty members. */
export const filled = (members: Iterable<readonly [string, JsonValue]>): Members =>
  new Map([...members].filter(([, value]) => !isEmpty(value)));

function objectAt(value: JsonValue, path: string): JsonObject {
  if (value === null) return {};
  if (!isJsonObject(value))
    throw badRequest(`${path}: expected an object, got ${describeJson(value)}`);
  return value;
}

const attributesIn = (object: JsonObject): JsonValue =>
  objectInOrder(attributesOf(memberOf(object, 'attributes'), 'attributes'));

/** @throws RequestError 400 for an invalid resource */
export function resourceMembers(value: JsonValue, schemaUrl: string): Members {
  const resource = objectAt(value, 'resource');
  return filled([
    ['resource', attributesIn(resource)],
    ['resource_dropped_attributes_count', countOf(resource, 'droppedAttributesCount')],
    ['resource_entity_refs', memberOf(resource, 'entityRefs') ?? null],
    ['resource_schema_url', schemaUrl],
  ]);
}

/** @throws RequestError 400 for an invalid scope */
export function scopeMembers(value: JsonValue, schemaUrl: string): Members {
  const scope = objectAt(value, 'scope');
  const members = filled([
    ['name', textOf(scope, 'name')],
    ['version', textOf(scope, 'version')],
    ['attributes', attributesIn(scope)],
    ['dropped_attributes_count', countOf(scope, 'droppedAttributesCount')],
    ['schema_url', schemaUrl],
  ]);
  return filled([['scope', objectInOrder(members)]]);
}
