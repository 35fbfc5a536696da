// Lists objects of any kind, in pages.
import type { ObjectHeader } from '../../catalog/header.js';
import type { ListSelection } from '../../catalog/list-page.js';
import type { ObjectKind } from '../../schema/resources/definition.js';
import { filters, type FilteredField, type FilterValues } from '../../schema/resources/filters.js';
import { can, canReadMembership, organisationsWith, requirePrincipal } from '../access/access.js';
import type { Caller, KeyCaller, Services } from '../context.js';
import { withName } from '../access/organisation.js';
import { jsonType, type Reply } from '../reply.js';
import { representationOf } from './representation.js';
import { readVersion } from '../version.js';

/** The parameters of a list request. */
export interface ListRequest extends Pick<
  ListSelection,
  'ids' | 'startingAfter' | 'endingBefore' | 'limit'
> {
  readonly orgName: string | null;
  /** In lower case. */
  readonly orgId: string | null;
  readonly filters: FilterValues;
  /** A transaction id in either form, for versioned kinds; null for the latest version. */
  readonly version: string | null;
}

/**
 * Lists objects of the key's organisations, newest first, without gaps or repeats between pages.
 * @throws RequestError 400 for an invalid cursor or version
 */
export async function listObjects(
  services: Services,
  caller: Caller,
  kind: ObjectKind,
  request: ListRequest,
): Promise<Reply> {
  const inOrganisation = inNamedOrganisation(services, requirePrincipal(caller), request);
  const version = readVersion(request.version, 'version');
  const page = async () => {
    const ids = await selectedIds(services, inOrganisation.orgIds, request, version);
    return services.catalog.list(kind, {
      ...request,
      ids,
      isVisible: (header) => isVisible(services, inOrganisation, header),
      wasVisible: (header) =>
        kind === 'user' && canReadMembership(services, inOrganisation, header),
      where: headerValues(request),
      hasFields: hasFields(services, request),
      version,
    });
  };
  const headers = await (version === null ? page() : services.catalog.afterChanges(page));
  // Clients take a short page for the last one, so a full one keeps what is deleted meanwhile.
  const isFull = headers.length === request.limit;
  const isStillShown = (header: ObjectHeader) => {
    const current = version === null ? services.catalog.header(header.id)! : header;
    const isThere = isFull || services.catalog.isReachable(current);
    return isThere && isVisible(services, inOrganisation, current);
  };
  const texts = textsOf(services, kind, headers, isStillShown);
  return { contentType: jsonType, headers: {}, body: listParts('{"objects":[', texts, ']}') };
}

/** The caller, restricted to organisations with the name and the id. */
function inNamedOrganisation(
  services: Services,
  caller: KeyCaller,
  { orgName, orgId }: Pick<ListRequest, 'orgName' | 'orgId'>,
): KeyCaller {
  const named = orgName === null ? caller.orgIds : withName(services, caller.orgIds, orgName);
  return { ...caller, orgIds: orgId === null ? named : named.filter((id) => id === orgId) };
}

/** Kinds to which access depends on fields that deleted ones lack. */
const kindsByFields: ReadonlySet<ObjectKind> = new Set(['acl', 'api_key', 'service_token']);

/** A deleted object is only a cursor. */
const isVisible = (services: Services, caller: KeyCaller, header: ObjectHeader): boolean =>
  isOfOrganisations(services, caller, header) &&
  ((header.deleted && kindsByFields.has(header.kind)) ||
    can(services, caller, caller.permission, header));

/** Public experiments may also be read by keys of other organisations, whose lists do not show them. */
const isOfOrganisations = (
  services: Services,
  { orgIds }: KeyCaller,
  header: ObjectHeader,
): boolean => organisationsWith(services, header).some((each) => orgIds.includes(each));

const valuesOf = (request: ListRequest) =>
  Object.entries(request.filters) as [FilteredField, string][];

const headerValues = (request: ListRequest): ListSelection['where'] =>
  Object.fromEntries(
    valuesOf(request)
      .map(([field, value]) => [filters[field].comparedIn, value] as const)
      .filter(([comparedIn]) => comparedIn !== 'access' && comparedIn !== 'body'),
  );

function hasFields({ catalog }: Services, request: ListRequest) {
  const compared = valuesOf(request).filter(([field]) => filters[field].comparedIn === 'access');
  return ({ id }: ObjectHeader): boolean =>
    compared.every(([field, value]) => catalog.accessFields(id)?.[field] === value);
}

/** The ids that the request selects; null for all. */
async function selectedIds(
  { catalog }: Services,
  orgIds: readonly string[],
  { ids, filters: { function_type: functionType } }: ListRequest,
  version: bigint | null,
): Promise<ReadonlySet<string> | null> {
  if (functionType === undefined) return ids;
  const found = await catalog.idsOfFunctionType(orgIds, functionType, version);
  return ids === null ? found : new Set([...ids].filter((id) => found.has(id)));
}

/** The length from which a part of the answer is sent. */
const partCharacters = 2 ** 16;

/** @param isStillShown called when the object is sent, since access can change after the answer began */
async function* textsOf(
  services: Services,
  kind: ObjectKind,
  headers: readonly ObjectHeader[],
  isStillShown: (header: ObjectHeader) => boolean,
): AsyncGenerator<string> {
  for await (const bodies of services.catalog.bodyGroups(headers))
    for (const [header, body] of bodies)
      if (isStillShown(header)) yield representationOf(services, kind, header, body);
}

/** Joins the elements of a JSON list, which can be large and many, to parts of an answer. */
export async function* listParts(
  start: string,
  elements: AsyncIterable<string>,
  end: string,
): AsyncGenerator<string> {
  let text = start;
  let separator = '';
  for await (const element of elements) {
    text += separator + element;
    separator = ',';
    if (text.length < partCharacters) continue;
    yield text;
    text = '';
  }
  yield text + end;
}
