// The body of a create -> the object about to be created: where it belongs and what it is called.
import type { Principal } from '../catalog/accounts.js';
import type { ObjectDraft } from '../catalog/catalog.js';
import type { ObjectFields, ObjectHeader } from '../catalog/header.js';
import { badRequest } from '../errors.js';
import type { JsonValue } from '../json/json.js';
import type { ObjectKind } from '../resource/definition.js';
import { headerNamedInBody } from './access.js';
import type { Services } from './context.js';
import { nameExperiment, type NamedFields } from './experiment-rules.js';

export interface Draft extends Omit<ObjectDraft, 'xactId'> {
  readonly datasetId: string | null;
  /** A taken name is made unique instead of answering the object that has it. */
  readonly isNew: boolean;
}

const named = (sent: ObjectFields): NamedFields => ({
  name: sent.get('name') as string,
  fields: sent,
  isNew: false,
});

const naming: Readonly<Record<ObjectKind, (sent: ObjectFields) => NamedFields>> = {
  project: named,
  experiment: nameExperiment,
  dataset: named,
  dataset_snapshot: named,
  prompt: named,
  function: named,
  role: named,
};

function checkOrganisation(
  services: Services,
  { orgId }: Principal,
  orgName: JsonValue | undefined,
): void {
  if (orgName === undefined || orgName === services.accounts.organisationName(orgId)) return;
  throw badRequest(
    `org_name: this key does not belong to an organisation named ${JSON.stringify(orgName)}`,
  );
}

function projectOf(
  services: Services,
  principal: Principal,
  id: JsonValue | undefined,
): ObjectHeader | undefined {
  return typeof id === 'string'
    ? headerNamedInBody(services, principal, 'project', id, 'project_id')
    : undefined;
}

/** The dataset that a snapshot is of; its project is that of the dataset. */
function datasetOf(
  services: Services,
  principal: Principal,
  kind: ObjectKind,
  sent: ObjectFields,
): ObjectHeader | undefined {
  if (kind !== 'dataset_snapshot') return undefined;
  const id = sent.get('dataset_id') as string;
  return headerNamedInBody(services, principal, 'dataset', id, 'dataset_id');
}

/** @throws RequestError 400 for a project or an organisation that may not be used */
export function draftObject(
  services: Services,
  principal: Principal,
  kind: ObjectKind,
  sent: ObjectFields,
): Draft {
  checkOrganisation(services, principal, sent.get('org_name'));
  const slug = sent.get('slug');
  const project = projectOf(services, principal, sent.get('project_id'));
  const dataset = datasetOf(services, principal, kind, sent);
  return {
    kind,
    orgId: principal.orgId,
    projectId: project?.id ?? dataset?.projectId ?? null,
    datasetId: dataset?.id ?? null,
    userId: principal.userId,
    slug: typeof slug === 'string' ? slug : null,
    ...naming[kind](sent),
  };
}
