// The objects on which a grant applies to an object: the object itself and all that contain it.
import { linkTo } from '../../catalog/grants.js';
import type { ObjectHeader } from '../../catalog/header.js';
import { resourceKinds } from '../../schema/resources/table.js';
import type { ObjectType } from '../../schema/permission.js';
import type { WithCatalog } from '../context.js';

/** The organisation as the object of grants. */
const organisationLinks = (orgId: string): readonly string[] => [linkTo('organization', orgId)];

/** The members of an organisation, with their keys, as the object of grants. */
export const memberLinks = (orgId: string): readonly string[] => [
  linkTo('org_member', orgId),
  ...organisationLinks(orgId),
];

const projectLinks = (orgId: string, projectId: string): readonly string[] => [
  linkTo('project', projectId),
  linkTo('org_project', orgId),
  ...organisationLinks(orgId),
];

/** A header is never modified, so its links are computed once, except for those that depend on another object. */
const knownLinks = new WeakMap<ObjectHeader, Map<ObjectType, readonly string[]>>();

/** The objects on which a grant applies to this one: the object itself and all that contain it. */
export function linksOf(
  services: WithCatalog,
  header: ObjectHeader,
  type: ObjectType,
): readonly string[] {
  if (header.kind === 'dataset_snapshot') return findLinks(services, header, type);
  const byType = knownLinks.get(header) ?? new Map<ObjectType, readonly string[]>();
  const known = byType.get(type);
  if (known !== undefined) return known;
  const links = findLinks(services, header, type);
  knownLinks.set(header, byType.set(type, links));
  return links;
}

function findLinks(
  { catalog }: WithCatalog,
  header: ObjectHeader,
  type: ObjectType,
): readonly string[] {
  const { kind, id, orgId, projectId, datasetId } = header;
  switch (kind) {
    case 'organization':
      return type === kind
        ? organisationLinks(orgId)
        : [linkTo(type, orgId), ...organisationLinks(orgId)];
    case 'project':
      return type === 'project_log'
        ? [linkTo('project_log', id), ...projectLinks(orgId, id)]
        : projectLinks(orgId, id);
    case 'dataset_snapshot': {
      const dataset = catalog.header(datasetId ?? '');
      return [linkTo('dataset', datasetId ?? ''), ...containerLinks(dataset ?? header)];
    }
    case 'org_member':
    case 'user':
    case 'api_key':
    case 'service_token':
      return memberLinks(orgId);
    default:
      return [linkTo(resourceKinds[kind].type, id), ...containerLinks({ orgId, projectId })];
  }
}

export const containerLinks = ({ orgId, projectId }: Pick<ObjectHeader, 'orgId' | 'projectId'>) =>
  projectId === null ? organisationLinks(orgId) : projectLinks(orgId, projectId);
