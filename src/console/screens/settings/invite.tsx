// The form that adds a user by email address, or a service account with its token.
import { useState } from 'react';
import { InlineForm } from '../../kit/inline-form.js';
import type { Group } from '../../server/access.js';
import { readJson } from '../../server/request.js';

interface InviteProps {
  readonly groups: readonly Group[];
  /** The new members, with the secret of a new token. */
  readonly done: (name: string, secret: string | null) => void;
}

interface Result {
  readonly added_users: readonly { readonly service_token?: string }[];
}

export function Invite({ groups, done }: InviteProps) {
  const [isAccount, setAccount] = useState(false);
  const add = async (form: HTMLFormElement) => {
    const data = new FormData(form);
    const [name, group] = [(data.get('name') as string).trim(), data.get('group') as string];
    const who = isAccount ? { service_accounts: [{ name, token_name: name }] } : { emails: [name] };
    const { added_users } = await readJson<Result>('/v1/organization/members', {
      method: 'PATCH',
      body: { invite_users: { ...who, ...(group === '' ? {} : { group_ids: [group] }) } },
    });
    form.reset();
    setAccount(false);
    done(name, added_users[0]?.service_token ?? null);
  };
  return (
    <InlineForm action="Add" title="Add members" run={add}>
      <select
        aria-label="Kind of member"
        value={isAccount ? 'account' : 'user'}
        onChange={(event) => setAccount(event.target.value === 'account')}
      >
        <option value="user">User</option>
        <option value="account">Service account</option>
      </select>
      <input
        name="name"
        type={isAccount ? 'text' : 'email'}
        aria-label={isAccount ? 'Name of the service account' : 'Email address'}
        placeholder={isAccount ? 'Name' : 'Email address'}
        required
      />
      <select name="group" aria-label="Group" defaultValue="">
        <option value="">no group</option>
        {groups.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </InlineForm>
  );
}
