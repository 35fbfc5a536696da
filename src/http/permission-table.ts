// The permission that each operation requires. This is the only list: the server does not start with an operation that it lacks.
import type { ObjectKind } from '../schema/resources/definition.js';
import { resourceKinds } from '../schema/resources/table.js';
import type { EventObjectKind } from '../schema/event-row.js';
import {
  auditPermission,
  eventTypes,
  objectTypes,
  type ObjectType,
  type Permission,
} from '../schema/permission.js';
import { docsOperations } from './docs.js';
import { unsupportedOperations } from './sdk/unsupported.js';

/**
 * Where the permission is required.
 * - `open`: nowhere; the operation needs no key
 * - `key`: nowhere; any valid key will do
 * - `path`: on the object in the path; `isPublic` if public objects need no key
 * - `answer`: on the objects of the answer; others are omitted
 * - `container`: in the project or organisation of the new object; an existing object is returned to callers who may read it
 * - `named`: on each object that the body, a header or the query string names
 * - `some`: on the events of at least one object of the organisation, of any of the types
 */
export type Need =
  | { readonly where: 'open' | 'key' }
  | {
      readonly where: 'path';
      readonly of: ObjectKind | EventObjectKind;
      readonly types: readonly ObjectType[];
      readonly permission: Permission;
      readonly isPublic: boolean;
      /** Further requirements, for the reference. */
      readonly also?: string;
    }
  | {
      readonly where: 'answer' | 'container' | 'named' | 'some';
      readonly types: readonly ObjectType[];
      readonly permission: Permission;
      /** Further requirements, for the reference. */
      readonly also?: string;
    };

const open: Need = { where: 'open' };
const key: Need = { where: 'key' };

const path = (of: ObjectKind | EventObjectKind, permission: Permission, also?: string): Need => ({
  where: 'path',
  of,
  types: [of === 'project_logs' ? 'project_log' : resourceKinds[of].type],
  permission,
  isPublic: false,
  ...(also === undefined ? {} : { also }),
});

/** Requires the permission on the object of the ACL in the path. */
const aclPath = (permission: Permission): Need => ({
  where: 'path',
  of: 'acl',
  types: objectTypes,
  permission,
  isPublic: false,
});

const publicPath = (of: 'experiment'): Need => ({
  where: 'path',
  of,
  types: [of],
  permission: 'read',
  isPublic: true,
});

const answer = (type: ObjectType, permission: Permission = 'read', also?: string): Need => ({
  where: 'answer',
  types: [type],
  permission,
  ...(also === undefined ? {} : { also }),
});

const container = (type: ObjectType, permission: Permission = 'create'): Need => ({
  where: 'container',
  types: [type],
  permission,
});

const named = (types: readonly ObjectType[], permission: Permission, also?: string): Need => ({
  where: 'named',
  types,
  permission,
  ...(also === undefined ? {} : { also }),
});

const serverNumbers =
  '`read` on everything in the `project`; for numbers of the whole server, every permission on an `organization`';
const wholeProject = '`read` on everything in the `project`';
const ofNamespace = named(['project'], 'read', wholeProject);
const inProject = '`read` on the `project`, or `create` if it is created';
const letsExpire = '`delete` on it if the retention in `settings` changes';
const ofJob = 'the object is the one whose events the job removes';
const projectMade = '`create` on the `project` if it is created';

export const nameOf = (operation: { readonly method: string; readonly path: string }): string =>
  `${operation.method.toUpperCase()} ${operation.path}`;

/** Requirements by method and path. */
export type PermissionTable = Readonly<Record<string, Need>>;

export const permissionTable: PermissionTable = {
  'GET /health': open,
  'GET /ready': open,
  'GET /version': open,
  'GET /openapi.json': open,
  ...Object.fromEntries(docsOperations.map((operation) => [nameOf(operation), open])),

  'GET /status': answer('project', 'read', serverNumbers),
  'GET /metrics': answer('project', 'read', serverNumbers),

  'POST /app/session': key,
  'DELETE /app/session': open,

  'POST /query': named(
    [...eventTypes, 'prompt'],
    'read',
    'for `project(…)`, `read` on the `project`, and unreadable objects in it are omitted; for `audit_log(…)`, `read_acls` on the organisation',
  ),
  'POST /btql': named([...eventTypes, 'prompt'], 'read', 'as for `/query`'),
  'POST /query/download': named([...eventTypes, 'prompt'], 'read', 'as for `/query`'),
  'GET /query/download': open,
  'GET /v1/queries': key,
  'DELETE /v1/queries/:id': key,
  'POST /v1/insert': named(eventTypes, 'update'),

  'GET /v1/project': answer('project'),
  'POST /v1/project': container('project'),
  'POST /v1/project/register': container('project'),
  'PUT /v1/project': container('project'),
  'GET /v1/project/:id': path('project', 'read'),
  'PATCH /v1/project/:id': path('project', 'update', letsExpire),
  'DELETE /v1/project/:id': path('project', 'delete'),
  'GET /v1/project/:id/retention': path('project', 'delete'),
  'POST /v1/project/:id/retention': path('project', 'delete'),
  'GET /v1/job/:id': named(['project', 'experiment', 'dataset'], 'read', ofJob),

  'POST /v1/project_logs/:id/insert': path('project_logs', 'update'),
  'GET /v1/project_logs/:id/fetch': path('project_logs', 'read'),
  'POST /v1/project_logs/:id/fetch': path('project_logs', 'read'),
  'POST /v1/project_logs/:id/purge': path('project_logs', 'delete'),
  'POST /v1/project_logs/:id/feedback': path('project_logs', 'update'),
  'GET /v1/project_logs/:id/feedback': path('project_logs', 'read'),

  'GET /v1/experiment': answer('experiment'),
  'POST /v1/experiment': container('experiment'),
  'PUT /v1/experiment': container('experiment'),
  'GET /v1/experiment/:id': publicPath('experiment'),
  'PATCH /v1/experiment/:id': path(
    'experiment',
    'update',
    '`read` on the `experiment` if it becomes public',
  ),
  'DELETE /v1/experiment/:id': path('experiment', 'delete'),
  'POST /v1/experiment/:id/insert': path('experiment', 'update'),
  'GET /v1/experiment/:id/fetch': publicPath('experiment'),
  'POST /v1/experiment/:id/fetch': publicPath('experiment'),
  'POST /v1/experiment/:id/purge': path('experiment', 'delete'),
  'POST /v1/experiment/:id/feedback': path('experiment', 'update'),
  'GET /v1/experiment/:id/feedback': path('experiment', 'read'),
  'GET /v1/experiment/:id/summarize': publicPath('experiment'),
  'POST /v1/experiment/:id/query': publicPath('experiment'),
  'GET /v1/experiment/:id/attachment': publicPath('experiment'),

  'GET /v1/dataset': answer('dataset'),
  'POST /v1/dataset': container('dataset'),
  'PUT /v1/dataset': container('dataset'),
  'GET /v1/dataset/:id': path('dataset', 'read'),
  'PATCH /v1/dataset/:id': path('dataset', 'update'),
  'DELETE /v1/dataset/:id': path('dataset', 'delete'),
  'POST /v1/dataset/:id/insert': path('dataset', 'update'),
  'GET /v1/dataset/:id/fetch': path('dataset', 'read'),
  'POST /v1/dataset/:id/fetch': path('dataset', 'read'),
  'POST /v1/dataset/:id/purge': path('dataset', 'delete'),
  'POST /v1/dataset/:id/feedback': path('dataset', 'update'),
  'GET /v1/dataset/:id/feedback': path('dataset', 'read'),
  'GET /v1/dataset/:id/summarize': path('dataset', 'read'),
  'GET /v1/dataset/:id/versions': path('dataset', 'read'),
  'POST /v1/dataset/:id/restore': path('dataset', 'update'),
  'POST /v1/dataset/:id/restore/preview': path('dataset', 'read'),

  'GET /v1/dataset_snapshot': answer('dataset'),
  'POST /v1/dataset_snapshot': container('dataset', 'update'),
  'PUT /v1/dataset_snapshot': container('dataset', 'update'),
  'GET /v1/dataset_snapshot/:id': path('dataset_snapshot', 'read'),
  'PATCH /v1/dataset_snapshot/:id': path('dataset_snapshot', 'update'),
  'DELETE /v1/dataset_snapshot/:id': path('dataset_snapshot', 'update'),

  'GET /v1/prompt': answer('prompt'),
  'POST /v1/prompt': container('prompt'),
  'PUT /v1/prompt': container('prompt'),
  'GET /v1/prompt/:id': path('prompt', 'read'),
  'PATCH /v1/prompt/:id': path('prompt', 'update'),
  'DELETE /v1/prompt/:id': path('prompt', 'delete'),
  'POST /v1/prompt/:id/feedback': path('prompt', 'update'),
  'GET /v1/prompt/:id/feedback': path('prompt', 'read'),

  'GET /v1/function': answer('prompt'),
  'POST /v1/function': container('prompt'),
  'PUT /v1/function': container('prompt'),
  'GET /v1/function/:id': path('function', 'read'),
  'PATCH /v1/function/:id': path('function', 'update'),
  'DELETE /v1/function/:id': path('function', 'delete'),

  'GET /v1/role': answer('role'),
  'POST /v1/role': container('role'),
  'PUT /v1/role': container('role'),
  'GET /v1/role/:id': path('role', 'read'),
  'PATCH /v1/role/:id': path('role', 'update'),
  'DELETE /v1/role/:id': path('role', 'delete'),

  'GET /v1/group': answer('group'),
  'POST /v1/group': container('group'),
  'PUT /v1/group': container('group'),
  'GET /v1/group/:id': path('group', 'read'),
  'PATCH /v1/group/:id': path('group', 'update'),
  'DELETE /v1/group/:id': path('group', 'delete'),

  'GET /v1/organization': answer('organization'),
  'GET /v1/organization/:id': path('organization', 'read'),
  'PATCH /v1/organization/:id': path('organization', 'update', letsExpire),
  'PATCH /v1/organization/members': named(
    ['org_member'],
    'update',
    '`update` on each `group` that users are added to',
  ),

  'GET /v1/user': answer('org_member'),
  'GET /v1/user/:id': path('user', 'read'),

  'GET /v1/acl': { where: 'answer', types: objectTypes, permission: 'read_acls' },
  'POST /v1/acl': named(objectTypes, 'create_acls'),
  'PUT /v1/acl': named(objectTypes, 'create_acls'),
  'DELETE /v1/acl': named(objectTypes, 'delete_acls'),
  'GET /v1/acl/list_org': { where: 'answer', types: objectTypes, permission: 'read_acls' },
  'POST /v1/acl/batch_update': named(
    objectTypes,
    'create_acls',
    '`delete_acls` on the objects of those that are removed',
  ),
  'GET /v1/acl/:id': aclPath('read_acls'),
  'DELETE /v1/acl/:id': aclPath('delete_acls'),

  'GET /v1/audit_log': answer('organization', auditPermission),

  'GET /v1/api_key': answer('org_member', 'update'),
  'POST /v1/api_key': key,
  'GET /v1/api_key/:id': path('api_key', 'update'),
  'DELETE /v1/api_key/:id': path('api_key', 'update'),

  'GET /v1/service_token': answer('org_member', 'update'),
  'POST /v1/service_token': named(
    ['org_member'],
    'update',
    '`update` on each `group` of the service account, and `create_acls` on each object on which it has an ACL of its own',
  ),
  'GET /v1/service_token/:id': path('service_token', 'update'),
  'DELETE /v1/service_token/:id': path('service_token', 'update'),

  'GET /v1': key,
  'GET /ping': key,
  'POST /api/apikey/login': key,
  'POST /api/self/get_object_info': named([...eventTypes, 'prompt'], 'read'),
  'POST /api/project/register': container('project'),
  'GET /api/project': named(['project'], 'read'),
  'POST /api/project/get': named(['project'], 'read'),
  'POST /api/experiment/register': named(['experiment'], 'create', inProject),
  'POST /api/experiment/get': named(['experiment'], 'read'),
  'POST /api/base_experiment/get_id': named(['experiment'], 'read'),
  'POST /api/dataset/register': named(['dataset'], 'create', inProject),
  'POST /api/dataset/get': named(['dataset'], 'read'),
  'POST /api/dataset_snapshot/register': named(['dataset'], 'update'),
  'POST /api/dataset_snapshot/get': named(['dataset'], 'read'),
  'POST /api/dataset_snapshot/patch_id': named(['dataset'], 'update'),
  'POST /api/dataset_snapshot/delete_id': named(['dataset'], 'update'),
  'POST /logs3': named(eventTypes, 'update'),
  'POST /insert-functions': named(['prompt'], 'create', '`update` on one that is replaced'),
  'GET /experiment-comparison2': named(['experiment'], 'read'),
  'GET /dataset-summary': named(['dataset'], 'read'),
  'GET /xact-id': key,
  'POST /otel/v1/traces': named(eventTypes, 'update', projectMade),
  'POST /v1/traces': named(eventTypes, 'update', projectMade),

  'GET /iceberg/v1/config': key,
  'GET /iceberg/v1/namespaces': answer('project', 'read', wholeProject),
  'GET /iceberg/v1/namespaces/:namespace': ofNamespace,
  'GET /iceberg/v1/namespaces/:namespace/tables': ofNamespace,
  'GET /iceberg/v1/namespaces/:namespace/tables/events': ofNamespace,
  'POST /iceberg/v1/namespaces/:namespace/tables/events/metrics': ofNamespace,

  'POST /attachment': { where: 'some', types: eventTypes, permission: 'update' },
  'GET /attachment': named(
    eventTypes,
    'read',
    'nothing for the user who announced it; the objects are those whose events name it, if that user or a user who may download it wrote them',
  ),
  'POST /attachment/status': key,
  'PUT /attachment/upload': open,
  'GET /attachment/download': open,

  // They refuse every key.
  ...Object.fromEntries(unsupportedOperations.map((operation) => [nameOf(operation), key])),
};

/** @throws Error for an operation that the table lacks */
export function needOf(
  operation: { readonly method: string; readonly path: string },
  table: PermissionTable = permissionTable,
): Need {
  const need = table[nameOf(operation)];
  if (need === undefined) throw new Error(`${nameOf(operation)} is not in the permission table`);
  return need;
}

const places = {
  path: 'in the path',
  answer: 'of the answer; others are omitted',
  container:
    'in its project or organisation; an existing one is returned to callers who may read it',
  named: 'in the request',
  some: 'of the organisation',
} as const;

function describeTypes({ where, types }: Extract<Need, { types: unknown }>): string {
  if (types === objectTypes) return 'object of the ACL';
  const names = types.map((type) => `\`${type}\``);
  if (where !== 'some') return names.join(', ');
  return `events of at least one ${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}

/** The requirement in one sentence, for the reference. */
export function describeNeed(need: Need): string {
  if (!('types' in need))
    return need.where === 'open' ? 'Requires no key.' : 'Requires any valid key.';
  const types = describeTypes(need);
  const isOwn =
    need.types.includes('org_member') && need.where !== 'named'
      ? ' Always allowed for your own.'
      : '';
  const isPublic = 'isPublic' in need && need.isPublic ? ' A public one requires no key.' : '';
  const also = 'also' in need && need.also !== undefined ? ` Also: ${need.also}.` : '';
  return `Requires the permission \`${need.permission}\` on the ${types} ${places[need.where]}.${isPublic}${isOwn}${also}`;
}
