// Keys, members and the audit log of an organisation, and the state of the server.
import { useQuery } from '@tanstack/react-query';
import { listOf, listRefreshMs } from './objects.js';
import { readJson } from './request.js';

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
  readonly action: 'create' | 'update' | 'delete';
  readonly object_type: string;
  readonly object_name: string;
}

interface Size {
  readonly rows: number;
  readonly bytes: number;
}

export interface ServerStatus {
  readonly version: string;
  readonly commit: string | null;
  readonly started: string;
  readonly last_xact_id: string;
  /** Null for users that own no organisation, as are the queries. */
  readonly buffered: Size | null;
  readonly queries: { readonly running: number; readonly waiting: number } | null;
  readonly deleted_bytes: number | null;
  readonly projects: readonly (Size & {
    readonly project_id: string;
    readonly project_name: string;
    readonly segments: number;
    readonly superseded_rows: number;
  })[];
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

/** The refresh interval of the server state, in milliseconds. */
const statusMs = 5_000;

export const useStatus = () =>
  useQuery({
    queryKey: ['status'],
    queryFn: ({ signal }) => readJson<ServerStatus>('/status', { signal }),
    refetchInterval: statusMs,
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
