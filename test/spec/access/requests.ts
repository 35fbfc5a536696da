// A valid request of every operation, about the objects of a world.
import { randomUUID } from 'node:crypto';
import { pathOf } from '../../support/attachments.js';
import { downloadPath, namedAttachment, namedPath, uploadPath } from './attachment-requests.js';
import type { Request } from './outcomes.js';
import { tableRequests } from './table-requests.js';
import { aclOf, freshName, type OwnWorld } from './world.js';

type Build = (world: OwnWorld) => Request | Promise<Request>;

const sourceOf = {
  project_logs: 'project',
  experiment: 'experiment',
  dataset: 'dataset',
  prompt: 'prompt',
} as const;

const xact_id = '1000192656880881099';

type Kind = keyof OwnWorld['objects'];

/** What creates an object, for kinds that are created by POST. */
function bodyOf({ objects }: OwnWorld, kind: Kind): Readonly<Record<string, unknown>> {
  const inProject = { project_id: objects.project };
  const name = freshName();
  const bodies: Partial<Record<Kind, Readonly<Record<string, unknown>>>> = {
    project: {},
    experiment: inProject,
    dataset: inProject,
    dataset_snapshot: { dataset_id: objects.dataset, xact_id },
    prompt: { ...inProject, slug: name },
    function: { ...inProject, slug: name, function_data: { type: 'parameters' } },
    service_token: { service_account_id: objects.idleAccount },
  };
  return { name, ...bodies[kind] };
}

const isOutside = (kind: string): boolean =>
  !/^(?:project|experiment|dataset|prompt|function|project_logs|dataset_snapshot)$/.test(kind);

const list =
  (kind: Kind, query = ''): Build =>
  ({ objects }) => ({
    path: `/v1/${kind}?ids=${objects[kind]}${query}`,
    finds: objects[kind],
    isOutside: isOutside(kind),
  });

const create =
  (kind: Kind, path = `/v1/${kind}`): Build =>
  (world) => ({
    path,
    body: bodyOf(world, kind),
    isNew: kind !== 'dataset_snapshot' && kind !== 'service_token',
    isOutside: kind === 'project' || isOutside(kind),
    isAnywhere: ['project', 'role', 'group', 'api_key'].includes(kind),
  });

const byId =
  (kind: Kind, rest = '', body?: unknown): Build =>
  ({ objects }) => ({
    path: `/v1/${kind}/${objects[kind]}${rest}`,
    ...(body === undefined ? {} : { body }),
    isOutside: isOutside(kind),
    isNew: kind === 'project',
  });

/** One that was just created. */
const deleteFresh =
  (kind: Kind): Build =>
  async (world) => {
    const made = await world.make(`/v1/${kind}`, bodyOf(world, kind));
    return {
      path: `/v1/${kind}/${made['id']}`,
      isOutside: kind === 'project' || isOutside(kind),
      isNew: !['dataset_snapshot', 'api_key', 'service_token'].includes(kind),
    };
  };

const events =
  (kind: keyof typeof sourceOf, rest: string, body?: unknown): Build =>
  ({ objects }) => ({
    path: `/v1/${kind}/${objects[sourceOf[kind]]}/${rest}`,
    ...(body === undefined ? {} : { body }),
  });

const insert = { events: [{ id: 'new' }] };
const feedback = { feedback: [{ id: 'row', comment: 'c' }] };

const objectOperations = (kind: Kind): Readonly<Record<string, Build>> => ({
  [`GET /v1/${kind}`]: list(kind),
  [`POST /v1/${kind}`]: create(kind),
  [`PUT /v1/${kind}`]: create(kind),
  [`GET /v1/${kind}/:id`]: byId(kind),
  [`PATCH /v1/${kind}/:id`]: byId(kind, '', {}),
  [`DELETE /v1/${kind}/:id`]: deleteFresh(kind),
});

const retention: Build = async ({ make }) => {
  const body = { name: freshName(), settings: { retention_days: 1 } };
  const made = await make('/v1/project', body);
  return { path: `/v1/project/${made['id']}/retention`, isOutside: true, isNew: true };
};

const eventOperations = (kind: 'project_logs' | 'experiment' | 'dataset') => ({
  [`POST /v1/${kind}/:id/insert`]: events(kind, 'insert', insert),
  [`GET /v1/${kind}/:id/fetch`]: events(kind, 'fetch'),
  [`POST /v1/${kind}/:id/fetch`]: events(kind, 'fetch', {}),
  [`POST /v1/${kind}/:id/purge`]: events(kind, 'purge', { ids: ['unknown'] }),
  [`POST /v1/${kind}/:id/feedback`]: events(kind, 'feedback', feedback),
  [`GET /v1/${kind}/:id/feedback`]: events(kind, 'feedback'),
});

const query =
  (path: string): Build =>
  ({ objects }) => ({
    path,
    body: { query: `select: id | from: experiment('${objects.experiment}')` },
    type: 'experiment',
  });

/** Asked for by the owner. */
async function queryDownloadPath({ make, objects }: OwnWorld): Promise<string> {
  const body = { query: `select: id | from: experiment('${objects.experiment}')` };
  return pathOf((await make('/query/download', body))['url']!);
}

const acl =
  (path: string, wrap = (item: object): object => item): Build =>
  ({ objects: { experiment, serviceAccount } }) => ({
    path,
    body: wrap(aclOf(experiment, serviceAccount)),
    type: 'experiment',
  });

const acls =
  (path: (objects: OwnWorld['objects']) => string): Build =>
  ({ objects }) => ({
    path: `${path(objects)}ids=${objects.acl}`,
    finds: objects.acl,
    type: 'experiment',
  });

const named =
  (
    path: string,
    body: (objects: OwnWorld['objects']) => object,
    more: Partial<Request> = {},
  ): Build =>
  ({ objects }) => ({ path, body: body(objects), ...more });

const exported =
  (path: string): Build =>
  ({ objects }) => ({
    path,
    body: {
      resourceSpans: [
        {
          scopeSpans: [{ spans: [{ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), name: 's' }] }],
        },
      ],
    },
    headers: {
      'content-type': 'application/json',
      'x-bt-parent': `experiment_id:${objects.experiment}`,
    },
    type: 'experiment',
  });

const restored = { version: xact_id };
/** By the name of the operation in the permission table. Others are sent their path alone. */
export const requests: Readonly<Record<string, Build>> = {
  ...objectOperations('project'),
  ...objectOperations('experiment'),
  ...objectOperations('dataset'),
  ...objectOperations('dataset_snapshot'),
  ...objectOperations('prompt'),
  ...objectOperations('function'),
  ...objectOperations('role'),
  ...objectOperations('group'),
  ...eventOperations('project_logs'),
  ...eventOperations('experiment'),
  ...eventOperations('dataset'),
  'POST /v1/prompt/:id/feedback': ({ objects }) => ({
    path: `/v1/prompt/${objects.prompt}/feedback`,
    body: { feedback: [{ id: objects.prompt, comment: 'c' }] },
  }),
  'GET /v1/prompt/:id/feedback': events('prompt', 'feedback'),
  'GET /v1/experiment/:id/summarize': events('experiment', 'summarize?summarize_scores=true'),
  'GET /v1/dataset/:id/summarize': events('dataset', 'summarize?summarize_data=true'),
  'GET /v1/dataset/:id/versions': events('dataset', 'versions'),
  'POST /v1/dataset/:id/restore': events('dataset', 'restore', restored),
  'POST /v1/dataset/:id/restore/preview': events('dataset', 'restore/preview', restored),

  'GET /v1/project/:id/retention': retention,
  'POST /v1/project/:id/retention': retention,
  'GET /v1/job/:id': async ({ make, objects }) => {
    const body = { ids: ['unknown'] };
    const made = await make(`/v1/experiment/${objects.experiment}/purge`, body);
    return { path: `/v1/job/${made['id']}`, type: 'experiment' };
  },
  'POST /query': query('/query'),
  'POST /btql': query('/btql'),
  'POST /v1/experiment/:id/query': (world) =>
    query(`/v1/experiment/${world.objects.experiment}/query`)(world),
  'POST /query/download': query('/query/download'),
  'GET /query/download': async (world) => ({
    path: await queryDownloadPath(world),
    isOnce: true,
  }),
  'POST /v1/insert': named('/v1/insert', ({ dataset }) => ({ dataset: { [dataset]: insert } }), {
    type: 'dataset',
  }),
  'POST /logs3': named(
    '/logs3',
    ({ experiment }) => ({ rows: [{ id: 'x', experiment_id: experiment }] }),
    { type: 'experiment' },
  ),
  'POST /otel/v1/traces': exported('/otel/v1/traces'),
  'POST /v1/traces': exported('/v1/traces'),

  'GET /v1/organization': list('organization'),
  'GET /v1/organization/:id': byId('organization'),
  'PATCH /v1/organization/:id': byId('organization', '', {}),
  'PATCH /v1/organization/members': named(
    '/v1/organization/members',
    () => ({ invite_users: {} }),
    { isOutside: true, isAnywhere: true },
  ),
  'GET /v1/user': list('user'),
  'GET /v1/user/:id': byId('user'),
  'GET /v1/acl': acls(
    ({ experiment }) => `/v1/acl?object_type=experiment&object_id=${experiment}&`,
  ),
  'GET /v1/acl/list_org': acls(() => '/v1/acl/list_org?'),
  'POST /v1/acl': acl('/v1/acl'),
  'PUT /v1/acl': acl('/v1/acl'),
  'POST /v1/acl/batch_update': acl('/v1/acl/batch_update', (item) => ({ add_acls: [item] })),
  'GET /v1/acl/:id': ({ objects }) => ({ path: `/v1/acl/${objects.acl}`, type: 'experiment' }),
  'DELETE /v1/acl': async ({ make, objects }) => {
    const item = aclOf(objects.experiment, objects.user);
    await make('/v1/acl', item);
    return { path: '/v1/acl', body: item, type: 'experiment' };
  },
  'DELETE /v1/acl/:id': async ({ make, objects }) => {
    const made = await make('/v1/acl', aclOf(objects.experiment, objects.user));
    return { path: `/v1/acl/${made['id']}`, type: 'experiment' };
  },
  'GET /v1/audit_log': ({ objects }) => ({
    path: `/v1/audit_log?object_id=${objects.project}`,
    finds: objects.project,
    isOutside: true,
  }),
  'GET /v1/api_key': list('api_key'),
  'POST /v1/api_key': create('api_key'),
  'GET /v1/api_key/:id': byId('api_key'),
  'DELETE /v1/api_key/:id': deleteFresh('api_key'),
  'GET /v1/service_token': list('service_token'),
  'POST /v1/service_token': create('service_token'),
  'GET /v1/service_token/:id': byId('service_token'),
  'DELETE /v1/service_token/:id': deleteFresh('service_token'),

  'GET /status': ({ objects }) => ({ path: '/status', finds: objects.project, isWhole: true }),
  'GET /metrics': ({ objects }) => ({ path: '/metrics', finds: objects.project, isWhole: true }),
  'POST /api/self/get_object_info': ({ objects }) => ({
    path: '/api/self/get_object_info',
    body: { object_type: 'dataset', object_ids: [objects.dataset] },
    type: 'dataset',
    finds: objects.dataset,
  }),
  'POST /v1/project/register': create('project', '/v1/project/register'),
  'POST /api/project/register': () => ({
    path: '/api/project/register',
    body: { project_name: freshName() },
    isOutside: true,
    isNew: true,
    isAnywhere: true,
  }),
  'GET /api/project': ({ objects }) => ({
    path: `/api/project?id=${objects.project}`,
    isNew: true,
  }),
  'POST /api/project/get': named('/api/project/get', ({ project }) => ({ id: project }), {
    isNew: true,
  }),
  'POST /api/experiment/register': ({ objects }) => ({
    path: '/api/experiment/register',
    body: { project_id: objects.project, experiment_name: freshName() },
    isNew: true,
  }),
  'POST /api/experiment/get': ({ objects }) => ({
    path: '/api/experiment/get',
    body: { project_id: objects.project, experiment_name: 'e' },
    finds: objects.experiment,
  }),
  'POST /api/base_experiment/get_id': named('/api/base_experiment/get_id', ({ experiment }) => ({
    id: experiment,
  })),
  'POST /api/dataset/register': ({ objects }) => ({
    path: '/api/dataset/register',
    body: { project_id: objects.project, dataset_name: freshName() },
    isNew: true,
  }),
  'POST /api/dataset/get': ({ objects }) => ({
    path: '/api/dataset/get',
    body: { id: objects.dataset },
    finds: objects.dataset,
  }),
  'POST /api/dataset_snapshot/register': named('/api/dataset_snapshot/register', ({ dataset }) => ({
    dataset_id: dataset,
    dataset_snapshot_name: freshName(),
    xact_id,
  })),
  'POST /api/dataset_snapshot/get': named('/api/dataset_snapshot/get', ({ dataset }) => ({
    dataset_id: dataset,
  })),
  'POST /api/dataset_snapshot/patch_id': named(
    '/api/dataset_snapshot/patch_id',
    ({ dataset_snapshot }) => ({ id: dataset_snapshot }),
  ),
  'POST /api/dataset_snapshot/delete_id': async (world) => {
    const made = await world.make('/v1/dataset_snapshot', bodyOf(world, 'dataset_snapshot'));
    return { path: '/api/dataset_snapshot/delete_id', body: { id: made['id'] } };
  },
  'POST /insert-functions': ({ objects }) => ({
    path: '/insert-functions',
    body: { functions: [{ project_id: objects.project, name: 'n', slug: freshName() }] },
    isNew: true,
  }),
  'GET /experiment-comparison2': ({ objects }) => ({
    path: `/experiment-comparison2?experiment_id=${objects.experiment}`,
  }),
  'GET /dataset-summary': ({ objects }) => ({
    path: `/dataset-summary?dataset_id=${objects.dataset}`,
  }),
  ...tableRequests,
  'PUT /attachment/upload': async (world) => ({ path: await uploadPath(world), body: 'content' }),
  'GET /attachment/download': async (world) => ({ path: await downloadPath(world) }),
  'GET /attachment': async (world) => ({
    path: `/attachment?key=${await namedAttachment(world)}`,
    type: 'experiment',
  }),
  'GET /v1/experiment/:id/attachment': async (world) => ({ path: await namedPath(world) }),
  'POST /attachment': () => ({
    path: '/attachment',
    body: { key: randomUUID(), filename: 'a', content_type: 'text/plain' },
    someOf: ['dataset', 'experiment', 'project_log'],
    isAnywhere: true,
  }),
};
