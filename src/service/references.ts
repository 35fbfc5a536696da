// Fields of a body that refer to something else: each must exist and be readable, or have its form.
import type { Principal } from '../catalog/accounts.js';
import type { ObjectFields } from '../catalog/header.js';
import { badRequest } from '../errors.js';
import type { JsonValue } from '../json/json.js';
import type { ObjectKind } from '../resource/definition.js';
import { objectFacets } from '../resource/table.js';
import { parseXactId } from '../schema/xact-id.js';
import { headerNamedInBody } from './access.js';
import type { Services } from './context.js';

/** The ids that a field holds, each with its place. The schemas have checked that they are strings. */
function idsIn(
  field: string,
  value: JsonValue | undefined,
): readonly (readonly [string, string])[] {
  if (typeof value === 'string') return [[field, value]];
  if (!Array.isArray(value)) return [];
  return (value as readonly string[]).map((id, index) => [`${field}[${index}]`, id]);
}

/** @throws RequestError 400 that names the field whose value cannot be used */
export function checkReferences(
  services: Services,
  principal: Principal,
  kind: ObjectKind,
  fields: ObjectFields,
): void {
  for (const [field, referenced] of Object.entries(objectFacets[kind].references)) {
    for (const [place, id] of idsIn(field, fields.get(field)))
      headerNamedInBody(services, principal, referenced, id, place);
  }
  for (const field of ['dataset_version', 'xact_id']) {
    const version = fields.get(field);
    if (typeof version === 'string' && parseXactId(version) === null)
      throw badRequest(
        `${field}: expected a transaction id or its 16 hex digits, got ${JSON.stringify(version)}`,
      );
  }
}
