// One organisation with objects of every kind and users with every sort of grant, and another organisation.
import { randomUUID } from 'node:crypto';
import type { Accounts } from '../../../src/catalog/accounts.js';
import { Accounts as OpenedAccounts } from '../../../src/catalog/accounts.js';
import { Catalog } from '../../../src/catalog/catalog.js';
import { addOrganisation } from '../../../src/catalog/organisations.js';
import { Writer } from '../../../src/duckdb/writer.js';
import { objectTypes, permissions, type ObjectType } from '../../../src/schema/permission.js';
import { clientAt, testKey, type Answer, type Client } from '../../support/client.js';
import type { Served } from '../../support/serve.js';

export interface Objects {
  readonly organization: string;
  readonly project: string;
  readonly experiment: string;
  /** What it is compared with. */
  readonly base: string;
  readonly dataset: string;
  readonly dataset_snapshot: string;
  readonly prompt: string;
  readonly function: string;
  readonly role: string;
  readonly group: string;
  readonly acl: string;
  readonly user: string;
  readonly serviceAccount: string;
  /** A service account without grants. */
  readonly idleAccount: string;
  readonly api_key: string;
  readonly service_token: string;
}

/** How a caller has what is granted. */
export type Way = 'object' | 'project' | 'group' | 'role' | 'restricted';

export interface GrantedCaller {
  readonly key: string;
  readonly way: Way;
  readonly permission: string;
  /** Of `restricted`. */
  readonly type?: ObjectType;
}

/** The objects of an organisation, and its owner. */
export interface OwnWorld {
  readonly objects: Objects;
  readonly ask: (method: string, path: string, body?: unknown) => Promise<Answer>;
  readonly make: (path: string, body: object) => Promise<Readonly<Record<string, string>>>;
}

export interface World extends OwnWorld {
  readonly keys: Readonly<
    Record<'owner' | 'engineer' | 'viewer' | 'member' | 'stranger' | 'expired' | 'revoked', string>
  >;
  readonly granted: readonly GrantedCaller[];
}

/** A directory with two organisations; no server may be using it. */
export async function prepareOrganisations(file: string, strangerKey: string): Promise<void> {
  const writer = await Writer.open(file, { memoryMb: 200, threads: 1 });
  const catalog = await Catalog.open(writer);
  const accounts: Accounts = await OpenedAccounts.open(writer, catalog);
  await addOrganisation(catalog, { name: 'evalstore' });
  const { userId } = await addOrganisation(catalog, { name: 'stranger' });
  await accounts.addKey(userId, strangerKey);
  await writer.close();
}

type Make = World['make'];

const maker =
  (client: Client): Make =>
  async (path, body) => {
    const method = path.endsWith('/members') ? 'PATCH' : 'POST';
    return (await client.request(method, path, body)).json() as Readonly<Record<string, string>>;
  };

interface Account {
  readonly id: string;
  readonly key: string;
}

/** Service accounts, which can have a key that somebody else makes. */
async function accounts(make: Make, names: readonly string[], group?: string) {
  const service_accounts = names.map((name) => ({ name, token_name: name }));
  const invite_users = { service_accounts, ...(group === undefined ? {} : { group_name: group }) };
  const { added_users } = (await make('/v1/organization/members', {
    invite_users,
  })) as unknown as { added_users: readonly { id: string; service_token: string }[] };
  return added_users.map(({ id, service_token }): Account => ({ id, key: service_token }));
}

async function makeObjects(make: Make): Promise<Objects> {
  const id = async (path: string, body: object) => (await make(path, body))['id']!;
  const made = await make('/v1/project', { name: 'p' });
  const project = made['id']!;
  const inProject = { project_id: project };
  const base_exp_id = await id('/v1/experiment', { ...inProject, name: 'base' });
  const experiment = await id('/v1/experiment', { ...inProject, name: 'e', base_exp_id });
  await make(`/v1/experiment/${experiment}/insert`, { events: [{ id: 'row', scores: { s: 1 } }] });
  await make(`/v1/project_logs/${project}/insert`, { events: [{ id: 'row' }] });
  const dataset = await id('/v1/dataset', { ...inProject, name: 'd' });
  await make(`/v1/dataset/${dataset}/insert`, { events: [{ id: 'row' }] });
  const xact_id = '1000192656880881099';
  const snapshot = { dataset_id: dataset, name: 's', xact_id };
  const [user, robot, idle] = await accounts(make, ['target', 'robot', 'idle']);
  const organization = made['org_id']!;
  const grant = { object_type: 'experiment', object_id: experiment, user_id: robot!.id };
  const token = { name: 'target', service_account_id: robot!.id };
  return {
    organization,
    project,
    experiment,
    base: base_exp_id,
    dataset,
    dataset_snapshot: await id('/v1/dataset_snapshot', snapshot),
    prompt: await id('/v1/prompt', { ...inProject, name: 'q', slug: 'q' }),
    function: await id('/v1/function', {
      ...inProject,
      name: 'f',
      slug: 'f',
      function_data: { type: 'parameters' },
    }),
    role: await id('/v1/role', { name: 'target' }),
    group: await id('/v1/group', { name: 'target' }),
    acl: await id('/v1/acl', { ...grant, permission: 'update_acls' }),
    user: user!.id,
    serviceAccount: robot!.id,
    idleAccount: idle!.id,
    api_key: await id('/v1/api_key', { name: 'target' }),
    service_token: await id('/v1/service_token', token),
  };
}

/** The objects on which the callers of `object` have their permission. */
const targets = ({ organization, ...objects }: Objects): readonly (readonly [string, string])[] => [
  ['experiment', objects.experiment],
  ['experiment', objects.base],
  ['dataset', objects.dataset],
  ['prompt', objects.prompt],
  ['prompt', objects.function],
  ['project_log', objects.project],
  ['role', objects.role],
  ['group', objects.group],
  ['org_member', organization],
];

/** What all of them may read, so that they can name projects and members. */
export const baseTypes = ['project', 'org_member'] as const;

async function grantEach(make: Make, objects: Objects): Promise<readonly GrantedCaller[]> {
  const ways = ['object', 'project', 'group', 'role'] as const;
  const plain = ways.flatMap((way) => permissions.map((permission) => ({ way, permission })));
  const limited = objectTypes.flatMap((type) =>
    (['create', 'read', 'update', 'delete'] as const).map((permission) => ({
      way: 'restricted' as const,
      permission,
      type,
    })),
  );
  const wanted = [...plain, ...limited];
  const made = await accounts(
    make,
    wanted.map(({ way, permission }) => `${way} ${permission}`),
  );
  const callers = wanted.map((want, index) => Object.assign(want, made[index]!));
  const organization = { object_type: 'organization', object_id: objects.organization };
  const add_acls: object[] = callers.flatMap(({ id }) =>
    baseTypes.map((type) => {
      const limited = { permission: 'read', restrict_object_type: type, user_id: id };
      return Object.assign(limited, organization);
    }),
  );
  for (const caller of callers) {
    const { way, permission, id } = caller;
    const grant = { permission, user_id: id };
    if (way === 'object')
      for (const [object_type, object_id] of targets(objects))
        add_acls.push({ object_type, object_id, ...grant });
    if (way === 'project')
      add_acls.push({ object_type: 'project', object_id: objects.project, ...grant });
    if (way === 'restricted')
      add_acls.push({
        ...organization,
        ...grant,
        restrict_object_type: (caller as { type: string }).type,
      });
    if (way === 'group') {
      const inner = await make('/v1/group', { name: `in ${permission}`, member_users: [id] });
      const between = await make('/v1/group', {
        name: `between ${permission}`,
        member_groups: [inner['id']],
      });
      const outer = await make('/v1/group', {
        name: `outer ${permission}`,
        member_groups: [between['id']],
      });
      add_acls.push({ ...organization, permission, group_id: outer['id'] });
    }
    if (way === 'role') {
      const inner = await make('/v1/role', {
        name: `in ${permission}`,
        member_permissions: [{ permission }],
      });
      const outer = await make('/v1/role', {
        name: `outer ${permission}`,
        member_roles: [inner['id']],
      });
      add_acls.push({ ...organization, role_id: outer['id'], user_id: id });
    }
  }
  await make('/v1/acl/batch_update', { add_acls });
  return callers;
}

export async function makeOwnWorld(client: Client): Promise<OwnWorld> {
  const make = maker(client);
  return {
    make,
    ask: (...request) => client.request(...request),
    objects: await makeObjects(make),
  };
}

export async function makeWorld({ url }: Served, strangerKey: string): Promise<World> {
  const client = clientAt(url);
  const own = await makeOwnWorld(client);
  const { make, objects } = own;
  const [engineer] = await accounts(make, ['engineer'], 'Engineers');
  const [viewer] = await accounts(make, ['viewer'], 'Viewers');
  const [member, lost] = await accounts(make, ['member', 'lost']);
  const soon = new Date(Date.now() + 1500).toISOString();
  const expired = await make('/v1/api_key', { name: 'expired', expires: soon });
  const tokens = await client.get('/v1/service_token?service_token_name=lost');
  const [token] = tokens['objects'] as readonly { readonly id: string }[];
  await client.request('DELETE', `/v1/service_token/${token!.id}`);
  return {
    ...own,
    granted: await grantEach(make, objects),
    keys: {
      owner: testKey,
      engineer: engineer!.key,
      viewer: viewer!.key,
      member: member!.key,
      stranger: strangerKey,
      expired: expired['key']!,
      revoked: lost!.key,
    },
  };
}

let count = 0;

/** A grant on an experiment. */
export const aclOf = (experiment: string, user_id: string) => ({
  object_type: 'experiment',
  object_id: experiment,
  user_id,
  permission: 'update_acls',
});

/** A name that nothing has. */
export const freshName = (): string => `fresh ${++count} ${randomUUID()}`;
