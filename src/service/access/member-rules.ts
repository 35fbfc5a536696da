// Rules for roles and groups, which have members and contain others of their kind, without cycles.
import type { ObjectFields, ObjectHeader } from '../../catalog/header.js';
import { badRequest } from '../../errors.js';
import type { JsonValue } from '../../json/json.js';
import { plainJson } from '../../json/tree.js';
import type { ObjectKind } from '../../schema/resources/definition.js';
import { limits, tooLong } from '../../schema/limits.js';
import type { Services } from '../context.js';

/** A text that is equal for equal members: it ignores the case of ids and fields that are null. */
function textOf(member: JsonValue): string {
  if (typeof member === 'string') return member.toLowerCase();
  const { permission, restrict_object_type: type = null } = plainJson(member) as Readonly<
    Record<string, unknown>
  >;
  return JSON.stringify([permission, type]);
}

const listIn = (fields: ObjectFields, name: string): readonly JsonValue[] =>
  (fields.get(name) ?? []) as readonly JsonValue[];

/** Replaces a permission that is given as its name by an object, as it is stored. */
export const withPermissionObjects = (sent: ObjectFields): ObjectFields =>
  new Map(
    [...sent].map(([name, value]) =>
      name.endsWith('member_permissions')
        ? [name, (value as readonly JsonValue[]).map(permissionObject)]
        : [name, value],
    ),
  );

const permissionObject = (sent: JsonValue): JsonValue =>
  typeof sent === 'string' ? { permission: sent } : sent;

const change = /^(?:add|remove)_(member_.+)$/;

/**
 * Replaces the additions and removals of a patch by the resulting lists. They apply to the list of the patch, if it has one.
 * @throws RequestError 400 for a list that grows beyond the limit; earlier invitations may have made it longer
 */
export function withMembers(current: ObjectFields, sent: ObjectFields): ObjectFields {
  const names = [...sent.keys()].flatMap((name) => change.exec(name)?.[1] ?? []);
  const lists = new Map<string, JsonValue>();
  for (const name of new Set(names)) {
    const removed = new Set(listIn(sent, `remove_${name}`).map(textOf));
    const before = listIn(sent.has(name) ? sent : current, name);
    const all = [...before, ...listIn(sent, `add_${name}`)];
    const members = new Map(all.map((member) => [textOf(member), member]));
    const left = [...members].filter(([text]) => !removed.has(text)).map(([, member]) => member);
    if (left.length > Math.max(limits.members.max, before.length))
      throw badRequest(`add_${name}: at most ${limits.members.max} may be in ${name}`);
    lists.set(name, left);
  }
  const others = [...sent].filter(([name]) => !change.test(name));
  return new Map([...others, ...lists]);
}

/** @throws RequestError 400 if a request sends a description of a role or a group that is too long */
export function checkDescription(kind: ObjectKind, sent: ObjectFields): void {
  const description = sent.get('description');
  if ((kind !== 'role' && kind !== 'group') || typeof description !== 'string') return;
  const { max } = limits.descriptions;
  if (description.length > max)
    throw badRequest(`description: ${tooLong(max, description.length)}`);
}

const containing = { role: 'member_roles', group: 'member_groups' } as const;

/** @throws RequestError 400 if a role or a group would contain itself with these fields, directly or through others */
export function checkCircle(
  { catalog }: Services,
  { id, kind, name }: ObjectHeader,
  fields: ObjectFields,
): void {
  if (kind !== 'role' && kind !== 'group') return;
  const field = containing[kind];
  const found = new Set(listIn(fields, field).map(textOf));
  for (const inner of found) {
    if (inner === id)
      throw badRequest(
        `${field}: the ${kind} ${JSON.stringify(name)} would ${kind === 'role' ? 'inherit from' : 'contain'} itself`,
      );
    const further = catalog.accessFields(inner)?.[field] ?? [];
    for (const next of further as readonly string[]) found.add(next.toLowerCase());
  }
}
