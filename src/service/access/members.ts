// Members of organisations. An invited user is a member at once; a removed one loses all grants in the organisation.
import type { ObjectDraft, ObjectWrite } from '../../catalog/catalog.js';
import type { ObjectFields, ObjectHeader } from '../../catalog/header.js';
import { keyDraft } from '../../catalog/key-draft.js';
import { memberDraft, userDraft } from '../../catalog/organisations.js';
import { badRequest, forbidden } from '../../errors.js';
import type { MembersPatch } from '../../schema/access.js';
import { limits, tooLong } from '../../schema/limits.js';
import { can, notFoundText, reachable, requirePrincipal } from './access.js';
import type { Caller, KeyCaller, Services } from '../context.js';
import { keyDeletions } from './keys.js';
import { organisationOf } from './organisation.js';
import { jsonReply, type Reply } from '../reply.js';

type Invitation = NonNullable<MembersPatch['invite_users']>;
type ServiceAccount = NonNullable<Invitation['service_accounts']>[number];
type Removal = NonNullable<MembersPatch['remove_users']>;

interface Added {
  readonly id: string;
  readonly email: string | null;
  readonly service_token?: string;
}

/** The state of one request. */
interface Plan {
  readonly orgId: string;
  readonly writes: ObjectWrite[];
  /** The ids of all users in the invitation, also of those who are members. */
  readonly invited: Set<string>;
  /** The users that become members. */
  readonly added: Added[];
  readonly removed: string[];
  /** Called after all changes are stored. */
  readonly stored: (() => void)[];
  /** The new members of groups. */
  readonly members: Map<string, Set<string>>;
}

const place = { projectId: null, slug: null } as const;

const emailOf = (field: string, text: string): string => {
  const email = text.toLowerCase();
  if (!/^[^\s@]+@[^\s@]+$/.test(email))
    throw badRequest(`${field}: expected an email address, got ${JSON.stringify(text)}`);
  return email;
};

const userWith = ({ catalog }: Services, orgId: string, email: string): ObjectHeader | undefined =>
  catalog.objectWithKey({ ...place, kind: 'user', orgId, name: email });

/** The caller may add users that it may read, and those that were added to the organisation when they were created. */
function canAdd(services: Services, caller: KeyCaller, { orgId }: Plan, id: string): boolean {
  const user = reachable(services, 'user', id);
  return user !== undefined && (user.orgId === orgId || can(services, caller, 'read', user));
}

function addUser({ catalog }: Services, plan: Plan, id: string): void {
  if (plan.removed.includes(id))
    throw badRequest(`invite_users: the user "${id}" is in remove_users, too`);
  if (plan.invited.has(id)) return;
  plan.invited.add(id);
  if (catalog.grants.isMember(id, plan.orgId)) return;
  const email = (catalog.accessFields(id)?.['email'] ?? null) as string | null;
  plan.added.push({ id, email });
  plan.writes.push({ draft: memberDraft(plan.orgId, id) });
}

function addNewUser(
  plan: Plan,
  draft: ObjectDraft & { readonly id: string },
  added: Omit<Added, 'id'>,
): void {
  plan.invited.add(draft.id);
  plan.added.push({ id: draft.id, ...added });
  plan.writes.push({ draft }, { draft: memberDraft(plan.orgId, draft.id) });
}

function inviteEmail(services: Services, plan: Plan, field: string, text: string): void {
  const email = emailOf(field, text);
  if (plan.added.some((added) => added.email === email)) return;
  const known = userWith(services, plan.orgId, email);
  if (known !== undefined) {
    addUser(services, plan, known.id);
    return;
  }
  addNewUser(plan, userDraft(plan.orgId, { email }), { email });
}

/**
 * @param field its place in the request
 * @param latest the expiry of the key of the request, in milliseconds since 1970; null for never
 * @throws RequestError 400 for a name that is too long: it is in memory, and in each token of the account
 */
function addServiceAccount(
  services: Services,
  plan: Plan,
  field: string,
  latest: number | null,
  account: ServiceAccount,
): void {
  const { name, token_name: tokenName, token_expires_in_seconds: seconds } = account;
  const { max } = limits.names;
  if (name.length > max) throw badRequest(`${field}.name: ${tooLong(max, name.length)}`);
  const draft = userDraft(plan.orgId, { family_name: name }, true);
  if (typeof tokenName !== 'string') {
    addNewUser(plan, draft, { email: null });
    return;
  }
  const expires = Math.min(latest ?? Infinity, Date.now() + (seconds ?? Infinity) * 1000);
  const scope = {
    name: tokenName,
    orgId: plan.orgId,
    expires: expires === Infinity ? null : new Date(expires).toISOString(),
  };
  const token = keyDraft('service_token', draft.id, { family_name: name }, scope, plan.orgId);
  const { key, write, stored } = services.accounts.newKey(token);
  addNewUser(plan, draft, { email: null, service_token: key.key });
  plan.writes.push(write);
  plan.stored.push(stored);
}

/** The named groups. The caller must have the permission to change each of them. */
function groupsOf(
  services: Services,
  caller: KeyCaller,
  orgId: string,
  { group_id, group_name, group_ids, group_names }: Invitation,
): readonly ObjectHeader[] {
  const byId = [...(group_ids ?? []), ...(group_id == null ? [] : [group_id])].map((id) => {
    const header = services.catalog.header(id.toLowerCase());
    return {
      header: header?.kind === 'group' ? header : undefined,
      text: notFoundText('group', id),
    };
  });
  const byName = [...(group_names ?? []), ...(group_name == null ? [] : [group_name])].map(
    (name) => ({
      header: services.catalog.objectWithKey({ ...place, kind: 'group', orgId, name }),
      text: `no group named ${JSON.stringify(name)} that this key may use`,
    }),
  );
  return [...byId, ...byName].map(({ header, text }) => {
    const isUsable =
      header?.deleted === false &&
      header.orgId === orgId &&
      can(services, caller, 'update', header);
    if (!isUsable) throw badRequest(`invite_users: ${text}`);
    return header;
  });
}

const membersOf = ({ catalog }: Services, plan: Plan, groupId: string): Set<string> => {
  const listed = (catalog.accessFields(groupId)?.['member_users'] ?? []) as readonly string[];
  return plan.members.get(groupId) ?? new Set(listed.map((id) => id.toLowerCase()));
};

function invite(services: Services, caller: KeyCaller, plan: Plan, sent: Invitation): void {
  const groups = groupsOf(services, caller, plan.orgId, sent);
  for (const [index, id] of (sent.ids ?? []).entries()) {
    if (!canAdd(services, caller, plan, id))
      throw badRequest(`invite_users.ids[${index}]: ${notFoundText('user', id)}`);
    addUser(services, plan, id.toLowerCase());
  }
  for (const [index, text] of (sent.emails ?? []).entries())
    inviteEmail(services, plan, `invite_users.emails[${index}]`, text);
  for (const [index, account] of (sent.service_accounts ?? []).entries()) {
    const field = `invite_users.service_accounts[${index}]`;
    addServiceAccount(services, plan, field, caller.expires, account);
  }
  for (const group of groups) {
    const before = membersOf(services, plan, group.id);
    const members = new Set([...before, ...plan.invited]);
    checkLength(group, before, members);
    plan.members.set(group.id, members);
  }
}

/** @throws RequestError 400 if the group grows beyond the limit */
function checkLength(
  { name }: ObjectHeader,
  before: ReadonlySet<string>,
  { size }: ReadonlySet<string>,
): void {
  const { max } = limits.members;
  if (size > max && size > before.size)
    throw badRequest(
      `invite_users: the group ${JSON.stringify(name)} would have ${size} users, the limit is ${max}`,
    );
}

/** The ids in the request, in lower case, of users that it removes. */
function idsIn(services: Services, { orgId }: Plan, { ids, emails }: Removal): readonly string[] {
  const named = (emails ?? []).flatMap((text, index) => {
    const email = emailOf(`remove_users.emails[${index}]`, text);
    return userWith(services, orgId, email)?.id ?? [];
  });
  return [...(ids ?? []).map((id) => id.toLowerCase()), ...named];
}

/** Removes the memberships, group memberships, ACLs and keys of the users in the organisation. */
function remove(services: Services, plan: Plan, sent: Removal): void {
  const { catalog } = services;
  const { orgId, removed, writes } = plan;
  for (const userId of new Set(idsIn(services, plan, sent))) {
    const membership = catalog.objectWithKey({ ...place, kind: 'org_member', orgId, name: userId });
    if (membership === undefined) continue;
    removed.push(userId);
    writes.push({ removed: membership });
  }
  const userIds = new Set(removed);
  writes.push(...keyDeletions(services, userIds, orgId));
  for (const header of catalog.ofKind('acl'))
    if (header.orgId === orgId && userIds.has(String(catalog.accessFields(header.id)?.['user_id'])))
      writes.push({ removed: header });
  for (const { id, orgId: own, deleted } of catalog.ofKind('group')) {
    if (deleted || own !== orgId) continue;
    const members = membersOf(services, plan, id);
    const left = new Set([...members].filter((userId) => !userIds.has(userId)));
    if (left.size < members.size) plan.members.set(id, left);
  }
}

/** The new fields of the groups whose members change. */
async function groupWrites(services: Services, plan: Plan): Promise<readonly ObjectWrite[]> {
  const writes: ObjectWrite[] = [];
  for (const [id, members] of plan.members) {
    const header = services.catalog.header(id)!;
    const current: ObjectFields = await services.catalog.fields(id);
    const before = (current.get('member_users') ?? []) as readonly string[];
    if (before.length === members.size && before.every((each) => members.has(each.toLowerCase())))
      continue;
    writes.push({ header, fields: new Map([...current, ['member_users', [...members]]]) });
  }
  return writes;
}

/** @throws RequestError 403 without the permission, 400 for an unusable user, group or organisation */
export function changeMembers(
  services: Services,
  caller: Caller,
  { invite_users, remove_users, org_name, org_id }: MembersPatch,
): Promise<Reply> {
  const principal = requirePrincipal(caller);
  return services.catalog.change(async (changes) => {
    const orgId = organisationOf(services, principal, { orgName: org_name, orgId: org_id });
    const organisation = services.catalog.header(orgId)!;
    if (!can(services, principal, principal.permission, organisation, 'org_member'))
      throw forbidden(`this key may not change the members of the organisation "${orgId}"`);
    const plan: Plan = {
      orgId,
      writes: [],
      invited: new Set(),
      added: [],
      removed: [],
      stored: [],
      members: new Map(),
    };
    if (remove_users != null) remove(services, plan, remove_users);
    if (invite_users != null) invite(services, principal, plan, invite_users);
    await changes.all([...plan.writes, ...(await groupWrites(services, plan))]);
    for (const stored of plan.stored) stored();
    const { added, removed } = plan;
    return jsonReply(
      JSON.stringify({
        status: 'success',
        org_id: orgId,
        added_users: added,
        removed_users: removed,
      }),
    );
  }, principal);
}
