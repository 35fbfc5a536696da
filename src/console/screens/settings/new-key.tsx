// The form that creates a key for the user, or a token for a service account.
import { InlineForm } from '../../kit/inline-form.js';
import { memberName, useMembers } from '../../server/access.js';
import { readJson } from '../../server/request.js';

/** The validity of a key in days; 0 for no expiry. */
const validDays = [
  [0, 'No expiry'],
  [7, '7 days'],
  [30, '30 days'],
  [90, '90 days'],
  [365, '1 year'],
] as const;

const dayMs = 86_400_000;

const expiryIn = (days: number): string | null =>
  days === 0 ? null : new Date(Date.now() + days * dayMs).toISOString();

interface NewKeyProps {
  readonly done: (name: string, secret: string) => void;
}

export function NewKey({ done }: NewKeyProps) {
  const members = useMembers();
  const accounts = (members.data ?? []).filter((member) => member.is_service_account);
  const create = async (form: HTMLFormElement) => {
    const data = new FormData(form);
    const [name, account] = [(data.get('name') as string).trim(), data.get('account') as string];
    const body = { name, expires: expiryIn(Number(data.get('days'))) };
    const { key } = await (account === ''
      ? readJson<{ key: string }>('/v1/api_key', { method: 'POST', body })
      : readJson<{ key: string }>('/v1/service_token', {
          method: 'POST',
          body: { ...body, service_account_id: account },
        }));
    form.reset();
    done(name, key);
  };
  return (
    <InlineForm action="Create" title="Create a key" run={create}>
      <input name="name" aria-label="Name of the new key" placeholder="New key" required />
      <select name="account" aria-label="Speaks for" defaultValue="">
        <option value="">for me</option>
        {accounts.map((account) => (
          <option key={account.id} value={account.id}>
            for {memberName(account)}
          </option>
        ))}
      </select>
      <select name="days" aria-label="Expires" defaultValue={0}>
        {validDays.map(([days, label]) => (
          <option key={days} value={days}>
            {label}
          </option>
        ))}
      </select>
    </InlineForm>
  );
}
