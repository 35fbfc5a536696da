import { expect } from 'chai';
import { Grants, linkTo, type AccessObject } from '../../src/catalog/grants.js';
import type { ObjectHeader } from '../../src/catalog/header.js';

const object = (
  kind: ObjectHeader['kind'],
  id: string,
  fields: AccessObject['fields'] = {},
): AccessObject => ({ header: { kind, id, name: id, orgId: 'org' } as ObjectHeader, fields });

const roleCount = 50;
const permissionCount = 20;
const aclCount = 100;

/** A chain of roles, all of which the user has on each of many projects. */
function chainOfRoles() {
  let reads = 0;
  const permissions = Array.from({ length: permissionCount }, () => ({
    get permission() {
      reads += 1;
      return 'read';
    },
  }));
  const roles = Array.from({ length: roleCount }, (_, n) =>
    object('role', `role${n}`, {
      member_permissions: n === 0 ? [{ permission: 'update' }] : permissions,
      member_roles: n === 0 ? [] : [`role${n - 1}`],
    }),
  );
  const acls = Array.from({ length: aclCount }, (_, n) =>
    object('acl', `acl${n}`, {
      object_type: 'project',
      object_id: `project${n}`,
      user_id: 'user',
      role_id: `role${n % roleCount}`,
    }),
  );
  const member = { ...object('org_member', 'member'), fields: {} };
  const objects = [...roles, ...acls, { ...member, header: { ...member.header, name: 'user' } }];
  return {
    grants: new Grants(new Map(objects.map((each) => [each.header.id, each]))),
    reads: () => reads,
  };
}

describe('catalog/grants', () => {
  it('includes the permissions of all roles that a role includes', () => {
    const { grants } = chainOfRoles();
    const allows = (permission: 'read' | 'update', project: number) =>
      grants.allows('user', permission, 'project', [linkTo('project', `project${project}`)]);
    expect(allows('update', 0)).to.equal(true);
    expect(allows('read', 0)).to.equal(false);
    expect(allows('read', 1)).to.equal(true);
    expect(allows('update', roleCount - 1)).to.equal(true);
    expect(allows('read', aclCount)).to.equal(false);
  });

  it('reads each permission of a role once, however many ACLs and roles have it', () => {
    const { grants, reads } = chainOfRoles();
    grants.allows('user', 'read', 'project', []);
    expect(reads()).to.equal((roleCount - 1) * permissionCount);
  });
});
