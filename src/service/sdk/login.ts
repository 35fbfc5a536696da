// Login of SDKs: describes the key, its organisations and its objects.
import type { ObjectHeader } from '../../catalog/header.js';
import { findObject, requirePrincipal } from '../access/access.js';
import type { Caller, Services } from '../context.js';
import { addressFor } from '../links.js';
import { jsonReply, type Reply } from '../reply.js';
import type { ObjectInfoRequest } from '../../schema/sdk.js';

/** Omits diffs, which can contain data that users did not mean to send. */
const gitMetadata = {
  collect: 'some',
  fields: [
    'commit',
    'branch',
    'tag',
    'author_name',
    'author_email',
    'commit_message',
    'commit_time',
    'dirty',
  ],
};

/** @param host the header Host of the request; may be empty */
export function logIn(services: Services, caller: Caller, host: string): Reply {
  const { orgIds } = requirePrincipal(caller);
  const address = addressFor(services, host);
  const organisations = orgIds.map((orgId) => ({
    id: orgId,
    name: services.accounts.organisationName(orgId),
    api_url: address,
    proxy_url: address,
    realtime_url: null,
    is_universal_api: true,
    git_metadata: gitMetadata,
  }));
  return jsonReply(JSON.stringify({ org_info: organisations }));
}

export function identify(services: Services, caller: Caller): Reply {
  const { userId, orgIds } = requirePrincipal(caller);
  const orgId = orgIds[0]!;
  const org_name = services.accounts.organisationName(orgId);
  return jsonReply(JSON.stringify({ id: userId, org_id: orgId, org_name }));
}

/**
 * The project in the description of an object; undefined for projects. SDKs need one: for a dataset without a project it has the
 * id of the dataset, as in its rows.
 */
function projectOf({ catalog }: Services, { id, kind, projectId }: ObjectHeader) {
  if (kind === 'project') return undefined;
  const project = catalog.header(projectId ?? '');
  return { id: project?.id ?? id, name: project?.name ?? '' };
}

/** The names of objects and of their projects. Omits ids that the key may not use. */
export function objectInfos(
  services: Services,
  caller: Caller,
  { object_type, object_ids }: ObjectInfoRequest,
): Reply {
  const infos = object_ids.flatMap((id) => {
    const header = findObject(services, caller, object_type, id);
    if (header === undefined) return [];
    const parent_cols = { project: projectOf(services, header) };
    return [{ object_id: header.id, object_name: header.name, parent_cols }];
  });
  return jsonReply(JSON.stringify(infos));
}
