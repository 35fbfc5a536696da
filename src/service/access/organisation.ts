// Determines the organisation of a request: the one that it names, or the first one of its key.
import { badRequest } from '../../errors.js';
import type { KeyCaller, Services } from '../context.js';

/** The organisation fields of a request. Null counts as absent. */
export interface NamedOrganisation {
  readonly orgName?: unknown;
  readonly orgId?: unknown;
}

const isSame = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

const foreign = (field: string, given: string) =>
  badRequest(
    `${field}: this key does not belong to an organisation ${field === 'org_id' ? 'with the id' : 'named'} ${JSON.stringify(given)}`,
  );

/** Organisations with this exact name, or else ignoring case. */
export function withName(
  { accounts }: Services,
  orgIds: readonly string[],
  name: string,
): readonly string[] {
  const named = orgIds.filter((id) => isSame(accounts.organisationName(id), name));
  const exact = named.filter((id) => accounts.organisationName(id) === name);
  return exact.length > 0 ? exact : named;
}

/** The organisations of the key that match the fields of the request. @throws RequestError 400 if none matches */
export function matchingOrganisations(
  services: Services,
  { orgIds }: KeyCaller,
  { orgName, orgId }: NamedOrganisation,
): readonly string[] {
  const byId = typeof orgId === 'string' ? orgIds.filter((id) => isSame(id, orgId)) : orgIds;
  if (byId.length === 0) throw foreign('org_id', orgId as string);
  if (typeof orgName !== 'string') return byId;
  const byName = withName(services, byId, orgName);
  if (byName.length === 0) throw foreign('org_name', orgName);
  return byName;
}

/**
 * The matching organisation that the user joined first. Later ones change nothing, since an owner can add any user.
 * @throws RequestError 400 for an organisation that the key does not belong to
 */
export const organisationOf = (
  services: Services,
  caller: KeyCaller,
  named: NamedOrganisation = {},
): string => matchingOrganisations(services, caller, named)[0]!;
