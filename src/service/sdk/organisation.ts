// The organisation as clients name it beside their key: it is known already, so that another one is a mistake.
import { badRequest } from '../../errors.js';
import type { ObjectFields } from '../../catalog/header.js';
import type { Principal, Services } from '../context.js';

/** @throws RequestError 400 when `org_id` or `org_name` is that of another organisation than the key's */
export function checkOrganisation(
  { accounts }: Services,
  { orgId }: Principal,
  sent: ObjectFields,
): void {
  const own = new Map([
    ['org_id', orgId],
    ['org_name', accounts.organisationName(orgId)],
  ]);
  for (const [field, value] of own) {
    const given = sent.get(field);
    if (typeof given === 'string' && given.toLowerCase() !== value.toLowerCase())
      throw badRequest(
        `${field}: this key does not belong to the organisation ${JSON.stringify(given)}`,
      );
  }
}
