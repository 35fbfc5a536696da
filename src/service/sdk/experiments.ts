// Registers and finds experiments for the SDKs, and their base experiments.
import type { ObjectFields, ObjectHeader } from '../../catalog/header.js';
import { badRequest } from '../../errors.js';
import type { JsonObject, JsonValue } from '../../json/json.js';
import { parseJson } from '../../json/parse.js';
import { stringifyJson } from '../../json/stringify.js';
import { membersOf } from '../../json/tree.js';
import type { Permission } from '../../schema/permission.js';
import { can, requireObjectInBody } from '../access/access.js';
import type { Caller, KeyCaller, Services } from '../context.js';
import { baseAtCommits } from '../object/experiment-base.js';
import { ensureObject, withoutNulls } from '../object/objects.js';
import { organisationOf } from '../access/organisation.js';
import { checkReferences } from '../access/references.js';
import { jsonReply, type Reply } from '../reply.js';
import { comparisonOf, readableExperiment } from '../summary/comparison.js';
import { readOwnRequest } from './organisation.js';
import { ensureProject, knownProject } from './projects.js';

/** The fields of an experiment that have the same name in the request. */
const sameFields = [
  'description',
  'repo_info',
  'dataset_id',
  'dataset_version',
  'public',
  'metadata',
  'tags',
  'parameters_id',
  'parameters_version',
  'internal_metadata',
];

/** Returns undefined if the experiment is missing or the caller lacks the permission. */
function named(
  services: Services,
  caller: KeyCaller,
  project: ObjectHeader | undefined,
  name: string,
  permission: Permission,
): ObjectHeader | undefined {
  if (project === undefined) return undefined;
  const { orgId, id: projectId } = project;
  const key = { kind: 'experiment', orgId, projectId, name, slug: null } as const;
  const found = services.catalog.objectWithKey(key);
  return found !== undefined && can(services, caller, permission, found) ? found : undefined;
}

/** Contains "base experiment": clients that read it in an error repeat the request without a base. */
const unknownBase = (name: string) =>
  badRequest(`base_experiment: the project has no base experiment named ${JSON.stringify(name)}`);

/** The id of the experiment to compare with; null if there is none. */
async function baseOf(
  services: Services,
  caller: KeyCaller,
  project: ObjectHeader | undefined,
  sent: ObjectFields,
): Promise<JsonValue> {
  const id = sent.get('base_exp_id');
  if (id !== undefined) return id;
  const name = sent.get('base_experiment');
  if (typeof name === 'string') {
    const base = named(services, caller, project, name, 'read');
    if (base === undefined) throw unknownBase(name);
    return base.id;
  }
  return project === undefined ? null : baseAtCommits(services, caller, project.id, sent);
}

/** The body of an experiment, without a base that the caller may not read: clients would ask for a comparison with it. */
function withReadableBase(services: Services, caller: KeyCaller, body: string): string {
  const fields = new Map(membersOf(parseJson(body) as JsonObject));
  const base = (fields.get('base_exp_id') ?? null) as string | null;
  if (base === null || readableExperiment(services, caller, base) !== undefined) return body;
  return stringifyJson(fields.set('base_exp_id', null));
}

/**
 * Creates an experiment, and its project if that is missing.
 * @throws RequestError 400 for a base that does not exist or an unusable object; nothing is created
 */
export async function registerExperiment(
  services: Services,
  caller: Caller,
  request: JsonObject,
): Promise<Reply> {
  const { principal, sent } = readOwnRequest(services, caller, request);
  const known = knownProject(services, principal, sent);
  const fields = withoutNulls(
    new Map<string, JsonValue>([
      ['name', sent.get('experiment_name') ?? null],
      ['base_exp_id', await baseOf(services, principal, known, sent)],
      ['ensure_new', sent.get('update') !== true],
      ...sameFields.map((name) => [name, sent.get(name) ?? null] as const),
    ]),
  );
  const orgId = known?.orgId ?? organisationOf(services, principal);
  checkReferences(services, principal, 'experiment', fields, orgId);
  const project = await ensureProject(services, principal, sent, { kind: 'experiment', fields });
  const inProject = new Map([...fields, ['project_id', project.id] as const]);
  const { body, isFound } = await ensureObject(services, principal, 'experiment', inProject);
  const experiment = isFound ? withReadableBase(services, principal, body) : body;
  return jsonReply(`{"project":${project.body},"experiment":${experiment}}`);
}

/** An array with the experiment of this name; empty if there is none. */
export async function experimentByName(
  services: Services,
  caller: Caller,
  request: JsonObject,
): Promise<Reply> {
  const { principal, sent } = readOwnRequest(services, caller, request);
  const project = knownProject(services, principal, sent);
  const found = named(
    services,
    principal,
    project,
    sent.get('experiment_name') as string,
    principal.permission,
  );
  const body = found === undefined ? '' : await services.catalog.body(found.id);
  return jsonReply(`[${body}]`);
}

/** @throws RequestError 400 if there is nothing to compare with, which clients interpret as none */
export function baseExperiment(services: Services, caller: Caller, id: string): Reply {
  const experiment = requireObjectInBody(services, caller, 'experiment', id, 'id');
  const base = comparisonOf(services, caller, experiment, null);
  if (base === null) throw badRequest(`id: the experiment "${id}" has no base experiment`);
  return jsonReply(JSON.stringify({ base_exp_id: base.id, base_exp_name: base.name }));
}
