// Long lists of members.
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { limits } from '../../src/schema/limits.js';
import { withMembers } from '../../src/service/access/member-rules.js';

const users = (count: number) => Array.from({ length: count }, () => randomUUID());

const listOf = (members: readonly string[]) => new Map([['member_users', members]]);

describe('members of a group', () => {
  it('can be removed from a list that invitations made longer than the limit', () => {
    const members = users(limits.members.max + 2);
    const left = withMembers(
      listOf(members),
      new Map([['remove_member_users', members.slice(0, 1)]]),
    );
    expect(left.get('member_users')).to.deep.equal(members.slice(1));
  });

  it('cannot be added beyond the limit', () => {
    const [full, more] = [listOf(users(limits.members.max)), users(1)];
    expect(() => withMembers(full, new Map([['add_member_users', more]]))).to.throw(
      'add_member_users: at most 1000 may be in member_users',
    );
  });
});
