// Checks fields that refer to other objects: these must exist and be readable, or have the right form.
import { accessKinds } from '../../catalog/access-state.js';
import type { ObjectFields, ObjectHeader } from '../../catalog/header.js';
import { badRequest } from '../../errors.js';
import type { JsonValue } from '../../json/json.js';
import type { ObjectKind } from '../../schema/resources/definition.js';
import { resourceKinds } from '../../schema/resources/table.js';
import { parseXactId } from '../../schema/xact-id.js';
import { headerNamedInBody, notFoundText } from './access.js';
import type { Caller, KeyCaller, Services } from '../context.js';

/** The ids in a field with their paths. The schemas guarantee that they are strings. */
function idsIn(
  field: string,
  value: JsonValue | undefined,
): readonly (readonly [string, string])[] {
  if (typeof value === 'string') return [[field, value]];
  if (!Array.isArray(value)) return [];
  return (value as readonly string[]).map((id, index) => [`${field}[${index}]`, id]);
}

/** Users can be granted rights only in organisations to which they belong. */
function isWithin({ catalog }: Services, header: ObjectHeader, orgId: string): boolean {
  if (header.kind === 'user') return catalog.grants.isMember(header.id, orgId);
  return accessKinds.has(header.kind) ? header.orgId === orgId : true;
}

/**
 * Checks that the object that the field at `place` names can be used in the organisation.
 * @throws RequestError 400
 */
export function checkReference(
  services: Services,
  caller: Caller,
  kind: ObjectKind,
  id: string,
  orgId: string,
  place: string,
): void {
  const header = headerNamedInBody(services, caller, kind, id, place);
  if (!isWithin(services, header, orgId)) throw badRequest(`${place}: ${notFoundText(kind, id)}`);
}

/**
 * Checks the fields of a new object or of a patch. A patch may repeat deleted objects that the stored field names.
 * @param stored the present fields of a patched object
 * @throws RequestError 400 with the name of the first invalid field
 */
export function checkReferences(
  services: Services,
  caller: KeyCaller,
  kind: ObjectKind,
  fields: ObjectFields,
  orgId: string,
  stored: ObjectFields = new Map(),
): void {
  for (const [field, referenced] of Object.entries(resourceKinds[kind].references)) {
    const kept = new Set(idsIn(field, stored.get(field)).map(([, id]) => id));
    const changed = idsIn(field, fields.get(field)).filter(([, id]) => !kept.has(id));
    const added = idsIn(`add_${field}`, fields.get(`add_${field}`));
    for (const [place, id] of [...changed, ...added])
      checkReference(services, caller, referenced, id, orgId, place);
  }
  for (const field of ['dataset_version', 'xact_id']) {
    const version = fields.get(field);
    if (typeof version === 'string' && parseXactId(version) === null)
      throw badRequest(
        `${field}: expected a transaction id or its 16 hex digits, got ${JSON.stringify(version)}`,
      );
  }
}
