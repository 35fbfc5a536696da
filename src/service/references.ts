// Fields of a body that refer to something else: each must exist and be readable, or have its form.
import type { Principal } from '../catalog/accounts.js';
import type { ObjectFields } from '../catalog/header.js';
import { badRequest } from '../errors.js';
import type { ReferencedKind } from '../resource/definition.js';
import { parseXactId } from '../schema/xact-id.js';
import { headerNamedInBody } from './access.js';
import type { Services } from './context.js';

const references: Readonly<Record<string, ReferencedKind>> = {
  base_exp_id: 'experiment',
  dataset_id: 'dataset',
};

/** @throws RequestError 400 that names the field whose value cannot be used */
export function checkReferences(
  services: Services,
  principal: Principal,
  fields: ObjectFields,
): void {
  for (const [field, kind] of Object.entries(references)) {
    const id = fields.get(field);
    if (typeof id === 'string') headerNamedInBody(services, principal, kind, id, field);
  }
  const version = fields.get('dataset_version');
  if (typeof version === 'string' && parseXactId(version) === null) {
    throw badRequest(
      `dataset_version: expected a transaction id or its 16 hex digits, got ${JSON.stringify(version)}`,
    );
  }
}
