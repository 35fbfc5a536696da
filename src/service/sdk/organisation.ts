// Organisation names in requests of SDKs. The key determines the organisation, so another name is an error.
import type { ObjectFields } from '../../catalog/header.js';
import type { JsonObject } from '../../json/json.js';
import { requirePrincipal } from '../access/access.js';
import type { Caller, KeyCaller, Services } from '../context.js';
import { matchingOrganisations } from '../access/organisation.js';
import { withoutNulls } from '../object/objects.js';

interface OwnRequest {
  /** The caller, restricted to the organisations of the request. */
  readonly principal: KeyCaller;
  /** The fields of the request that are not null. */
  readonly sent: ObjectFields;
}

/** @throws RequestError 401 without a key, 400 if `org_id` or `org_name` is not that of an organisation of the key */
export function readOwnRequest(
  services: Services,
  caller: Caller,
  request: JsonObject,
): OwnRequest {
  const principal = requirePrincipal(caller);
  const sent = withoutNulls(request);
  const named = { orgId: sent.get('org_id'), orgName: sent.get('org_name') };
  return {
    principal: { ...principal, orgIds: matchingOrganisations(services, principal, named) },
    sent,
  };
}
