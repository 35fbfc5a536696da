// Lists, creates and revokes API keys and service tokens. A secret is shown only once.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Confirm } from '../../kit/confirm.js';
import { dateText, sinceText, timeText } from '../../kit/format.js';
import { ListTable } from '../../kit/list-table.js';
import { QueryState } from '../../kit/states.js';
import { useKeys, useMemberNames, type Key, type KeyKind } from '../../server/access.js';
import { send } from '../../server/request.js';
import { NewKey } from './new-key.js';
import { Secret } from './secret.js';

interface Listed extends Key {
  readonly kind: KeyKind;
}

/** @param names member names by id */
const holderOf = (key: Key, names: ReadonlyMap<string, string>): string => {
  const id = key.service_account_id ?? key.user_id ?? '';
  return names.get(id) ?? key.service_account_name ?? key.user_email ?? id;
};

const isOver = ({ expires }: Key): boolean => expires !== null && Date.parse(expires) <= Date.now();

function Expiry({ of }: { readonly of: Key }) {
  if (of.expires === null) return <>never</>;
  return (
    <span title={timeText(of.expires)} className={isOver(of) ? 'bad' : undefined}>
      {isOver(of) ? 'expired' : dateText(of.expires)}
    </span>
  );
}

interface KeyRowProps {
  readonly listed: Listed;
  readonly holder: string;
  readonly revoke: () => void;
}

const KeyRow = ({ listed, holder, revoke }: KeyRowProps) => (
  <tr>
    <td className="cut">
      <b>{listed.name}</b>
    </td>
    <td>
      <code>{listed.preview_name}</code>
    </td>
    <td>{listed.kind === 'api_key' ? 'API key' : 'service token'}</td>
    <td className="cut">{holder}</td>
    <td title={listed.last_used ?? undefined}>
      {listed.last_used === null ? 'never' : sinceText(listed.last_used)}
    </td>
    <td>
      <Expiry of={listed} />
    </td>
    <td title={listed.created ?? undefined}>
      {listed.created === null ? '–' : dateText(listed.created)}
    </td>
    <td className="number">
      <button type="button" className="small" onClick={revoke} aria-label={`Revoke ${listed.name}`}>
        Revoke
      </button>
    </td>
  </tr>
);

const listedAs = (kind: KeyKind, keys: readonly Key[] = []): readonly Listed[] =>
  keys.map((key) => Object.assign({ kind }, key));

const newestFirst = (a: Listed, b: Listed) => ((a.created ?? '') < (b.created ?? '') ? 1 : -1);

export function Keys() {
  const client = useQueryClient();
  const keys = useKeys('api_key');
  const tokens = useKeys('service_token');
  const names = useMemberNames();
  const [revoked, setRevoked] = useState<Listed | null>(null);
  const [secret, setSecret] = useState<{ name: string; key: string } | null>(null);
  const changed = () => client.invalidateQueries({ queryKey: ['keys'] });
  const all: readonly Listed[] = [
    ...listedAs('api_key', keys.data),
    ...listedAs('service_token', tokens.data),
  ].toSorted(newestFirst);
  return (
    <>
      <header>
        <h1>Keys</h1>
        <NewKey
          done={(name, key) => {
            setSecret({ name, key });
            void changed();
          }}
        />
      </header>
      {secret !== null && (
        <Secret name={secret.name} secret={secret.key} close={() => setSecret(null)} />
      )}
      <QueryState query={keys.error === null ? tokens : keys} />
      {all.length > 0 && (
        <ListTable
          label="Keys"
          head={
            <>
              <th>Name</th>
              <th>Key</th>
              <th>Kind</th>
              <th>User</th>
              <th>Last used</th>
              <th>Expires</th>
              <th>Created</th>
              <th>
                <span className="hidden">Revoke</span>
              </th>
            </>
          }
        >
          {all.map((listed) => (
            <KeyRow
              key={listed.id}
              listed={listed}
              holder={holderOf(listed, names)}
              revoke={() => setRevoked(listed)}
            />
          ))}
        </ListTable>
      )}
      {revoked !== null && (
        <Confirm
          title="Revoke a key"
          action="Revoke"
          typed={revoked.name}
          run={async () => {
            await send(`/v1/${revoked.kind}/${revoked.id}`, { method: 'DELETE' });
            await changed();
          }}
          close={() => setRevoked(null)}
        >
          <p>
            Anyone who uses the key “{revoked.name}” ({revoked.preview_name}) loses access with the
            next request. The sessions of browsers that signed in with it end, too.
          </p>
        </Confirm>
      )}
    </>
  );
}
