// Keys, members and the audit log of an organisation.
import { useQuery } from '@tanstack/react-query';
import { listOf, listRefreshMs } from './objects.js';

export interface Key {
  readonly id: string;
  readonly name: string;
  /** The last characters of the secret. */
  readonly preview_name: string;
  readonly created: string | null;
  /** ISO 8601; null for never. */
  readonly expires: string | null;
  /** ISO 8601; null for never. */
  readonly last_used: string | null;
  /** Of an API key. */
  readonly user_id?: string;
  readonly user_email?: string | null;
  /** Of a service token. */
  readonly service_account_id?: string;
  readonly service_account_name?: string | null;
}

export interface Member {
  readonly id: string;
  readonly given_name: string | null;
  readonly family_name: string | null;
  readonly email: string | null;
  readonly created: string | null;
  readonly is_service_account: boolean;
}

export interface Group {
  readonly id: string;
  readonly name: string;
  readonly member_users: readonly string[];
}

export interface AuditEntry {
  readonly id: string;
  readonly created: string;
  readonly user_id: string | null;
  readonly action: 'create' | 'update' | 'delete' | 'retention' | 'purge';
  readonly object_type: string;
  readonly object_name: string;
}

export type KeyKind = 'api_key' | 'service_token';

export const useKeys = (kind: KeyKind) =>
  useQuery({
    queryKey: ['keys', kind],
    queryFn: ({ signal }) => listOf<Key>(`/v1/${kind}`, signal),
    refetchInterval: listRefreshMs,
  });

export const useMembers = () =>
  useQuery({
    queryKey: ['members'],
    queryFn: ({ signal }) => listOf<Member>('/v1/user', signal),
    refetchInterval: listRefreshMs,
  });

export const useGroups = () =>
  useQuery({
    queryKey: ['groups'],
    queryFn: ({ signal }) => listOf<Group>('/v1/group', signal),
    refetchInterval: listRefreshMs,
  });

export const memberName = ({ given_name, family_name, email, id }: Member): string => {
  const name = [given_name, family_name].filter((part) => part !== null).join(' ');
  return name === '' ? (email ?? `user ${id.slice(0, 8)}`) : name;
};

/** The name of a user in the audit log; null is the server itself. */
export const userName = (names: ReadonlyMap<string, string>, id: string | null): string =>
  id === null ? 'the server' : (names.get(id) ?? id);

/** Names by member id. */
export function useMemberNames(): ReadonlyMap<string, string> {
  const members = useMembers();
  return new Map(members.data?.map((member) => [member.id, memberName(member)]));
}
