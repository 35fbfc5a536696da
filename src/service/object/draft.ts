// Builds a new object from the body of a create request: its parent and its name.
import type { ObjectDraft } from '../../catalog/catalog.js';
import { checkedNames, type ObjectFields, type ObjectHeader } from '../../catalog/header.js';
import { badRequest, forbidden } from '../../errors.js';
import type { ObjectKind } from '../../schema/resources/definition.js';
import { resourceKinds } from '../../schema/resources/table.js';
import { can, canInContainer, notFoundText, reachable } from '../access/access.js';
import type { KeyCaller, Services } from '../context.js';
import { nameExperiment, type NamedFields } from './experiment-rules.js';
import { organisationOf } from '../access/organisation.js';

export interface Draft extends Omit<ObjectDraft, 'xactId'> {
  readonly datasetId: string | null;
  /** Whether a taken name is made unique. Otherwise the existing object is returned. */
  readonly isNew: boolean;
}

const named = (sent: ObjectFields): NamedFields => ({
  name: sent.get('name') as string,
  fields: sent,
  isNew: false,
});

const naming = (kind: ObjectKind, sent: ObjectFields): NamedFields =>
  kind === 'experiment' ? nameExperiment(sent) : named(sent);

/** The project or dataset that will contain the object; undefined if none does. */
function containerOf(
  services: Services,
  caller: KeyCaller,
  kind: ObjectKind,
  sent: ObjectFields,
): ObjectHeader | undefined {
  const [container, field] =
    kind === 'dataset_snapshot'
      ? (['dataset', 'dataset_id'] as const)
      : (['project', 'project_id'] as const);
  const id = sent.get(field);
  if (typeof id !== 'string') return undefined;
  const header = reachable(services, container, id);
  if (header === undefined || !canNameContainer(services, caller, kind, header))
    throw badRequest(`${field}: ${notFoundText(container, id)}`);
  return header;
}

const canInProject = (
  services: Services,
  caller: KeyCaller,
  kind: ObjectKind,
  container: ObjectHeader,
): boolean =>
  container.kind === 'dataset'
    ? can(services, caller, caller.permission, container)
    : canInContainer(services, caller, resourceKinds[kind].type, {
        orgId: container.orgId,
        projectId: container.id,
      });

/** The caller needs the permission to create in the parent, not to read it. */
const canNameContainer = (
  services: Services,
  caller: KeyCaller,
  kind: ObjectKind,
  container: ObjectHeader,
): boolean =>
  can(services, caller, 'read', container) || canInProject(services, caller, kind, container);

/** @throws RequestError 400 for an unusable project or organisation */
export function draftObject(
  services: Services,
  caller: KeyCaller,
  kind: ObjectKind,
  sent: ObjectFields,
): Draft {
  const slug = sent.get('slug');
  const container = containerOf(services, caller, kind, sent);
  const within = container === undefined ? caller : { ...caller, orgIds: [container.orgId] };
  return {
    kind,
    orgId: organisationOf(services, within, { orgName: sent.get('org_name') }),
    projectId: (container?.kind === 'dataset' ? container.projectId : container?.id) ?? null,
    datasetId: container?.kind === 'dataset' ? container.id : null,
    userId: caller.userId,
    slug: typeof slug === 'string' ? slug : null,
    ...naming(kind, sent),
  };
}

/** @param place for example `project "<id>"` */
export const notCreatable = (kind: ObjectKind, place: string) =>
  forbidden(`this key may not create a ${kind} in the ${place}`);

/**
 * Checks the permission: to create a new object, or to read or update an existing one.
 * @throws RequestError 403 with the same text in all cases, so that it does not reveal which names are taken
 */
export function checkDraft(
  services: Services,
  caller: KeyCaller,
  draft: Draft,
  existing: ObjectHeader | undefined,
  use: 'read' | 'update',
): void {
  const { kind, datasetId, orgId, projectId } = draft;
  const container = services.catalog.header(datasetId ?? projectId ?? '');
  const canCreate =
    container === undefined
      ? canInContainer(services, caller, resourceKinds[kind].type, draft)
      : canInProject(services, caller, kind, container);
  const isAllowed =
    existing === undefined || draft.isNew ? canCreate : can(services, caller, use, existing);
  if (isAllowed) return;
  const place =
    container === undefined ? `organisation "${orgId}"` : `${container.kind} "${container.id}"`;
  throw notCreatable(kind, place);
}

/** The id of a project that does not exist yet, for access decisions. */
export const newProjectId = '00000000-0000-0000-0000-000000000000';

/**
 * Checks the first object of a project that does not exist yet, so that no project is created for an object that is refused.
 * @throws RequestError 403 if the caller may not create it, 400 for a name that is too long
 */
export function checkFirstDraft(
  services: Services,
  caller: KeyCaller,
  kind: ObjectKind,
  sent: ObjectFields,
): void {
  const draft = { ...draftObject(services, caller, kind, sent), projectId: newProjectId };
  checkDraft(services, caller, draft, undefined, 'read');
  checkedNames(draft, null);
}
