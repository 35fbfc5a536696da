// Lists, adds and removes members of the organisation, with their groups.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Confirm } from '../../kit/confirm.js';
import { dateText } from '../../kit/format.js';
import { ListTable } from '../../kit/list-table.js';
import { QueryState } from '../../kit/states.js';
import { memberName, useGroups, useMembers, type Group, type Member } from '../../server/access.js';
import { send } from '../../server/request.js';
import { Invite } from './invite.js';
import { Secret } from './secret.js';

interface MemberRowProps {
  readonly member: Member;
  readonly groups: readonly Group[];
  readonly remove: () => void;
}

const MemberRow = ({ member, groups, remove }: MemberRowProps) => (
  <tr>
    <td className="cut">
      <b>{memberName(member)}</b>
    </td>
    <td className="cut muted">{member.email ?? '–'}</td>
    <td>{member.is_service_account ? 'service account' : 'user'}</td>
    <td>
      <span className="chips">
        {groups
          .filter(({ member_users }) => member_users.includes(member.id))
          .map(({ id, name }) => (
            <span key={id} className="chip">
              {name}
            </span>
          ))}
      </span>
    </td>
    <td title={member.created ?? undefined}>
      {member.created === null ? '–' : dateText(member.created)}
    </td>
    <td className="number">
      <button
        type="button"
        className="small"
        aria-label={`Remove ${memberName(member)}`}
        onClick={remove}
      >
        Remove
      </button>
    </td>
  </tr>
);

export function Members() {
  const client = useQueryClient();
  const members = useMembers();
  const groups = useGroups();
  const [removed, setRemoved] = useState<Member | null>(null);
  const [secret, setSecret] = useState<{ name: string; key: string } | null>(null);
  const changed = async () => {
    await client.invalidateQueries({ queryKey: ['members'] });
    await client.invalidateQueries({ queryKey: ['groups'] });
  };
  return (
    <>
      <header>
        <h1>Members</h1>
        <Invite
          groups={groups.data ?? []}
          done={(name, key) => {
            if (key !== null) setSecret({ name, key });
            void changed();
          }}
        />
      </header>
      {secret !== null && (
        <Secret name={secret.name} secret={secret.key} close={() => setSecret(null)} />
      )}
      <QueryState query={members} />
      {members.data !== undefined && members.data.length > 0 && (
        <ListTable
          label="Members"
          head={
            <>
              <th>Name</th>
              <th>Email</th>
              <th>Kind</th>
              <th>Groups</th>
              <th>Created</th>
              <th>
                <span className="hidden">Remove</span>
              </th>
            </>
          }
        >
          {members.data.map((member) => (
            <MemberRow
              key={member.id}
              member={member}
              groups={groups.data ?? []}
              remove={() => setRemoved(member)}
            />
          ))}
        </ListTable>
      )}
      {removed !== null && (
        <Confirm
          title="Remove a member"
          action="Remove"
          typed={memberName(removed)}
          run={async () => {
            const body = { remove_users: { ids: [removed.id] } };
            await send('/v1/organization/members', { method: 'PATCH', body });
            await changed();
          }}
          close={() => setRemoved(null)}
        >
          <p>
            “{memberName(removed)}” loses all access to this organisation: memberships of groups,
            ACLs, and the keys that are for this organisation alone.
          </p>
        </Confirm>
      )}
    </>
  );
}
