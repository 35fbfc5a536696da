// The object of a new key or service token.
import type { JsonValue } from '../json/json.js';
import type { ObjectDraft } from './catalog.js';

/** A draft that lacks `preview_name`. */
export type KeyDraft = ObjectDraft & Pick<Required<ObjectDraft>, 'set'>;

/** What a key may do at most: read the metrics of the server. */
export type KeyLimit = 'metrics';

export interface KeyScope {
  readonly name: string;
  /** Null for all organisations of the user. */
  readonly orgId: string | null;
  /** ISO 8601; null for never. */
  readonly expires: string | null;
  /** Null for all that the user may do. */
  readonly scope?: KeyLimit | null;
}

/**
 * @param user the fields of the user
 * @param homeId an organisation that the user belongs to
 */
export function keyDraft(
  kind: 'api_key' | 'service_token',
  userId: string,
  user: Readonly<Record<string, unknown>>,
  { name, orgId, expires, scope = null }: KeyScope,
  homeId: string,
): KeyDraft {
  const text = (field: string) => (user[field] ?? null) as JsonValue;
  const holder: readonly (readonly [string, JsonValue])[] =
    kind === 'api_key'
      ? [
          ['user_email', text('email')],
          ['user_given_name', text('given_name')],
          ['user_family_name', text('family_name')],
        ]
      : [
          ['service_account_id', userId],
          ['service_account_email', text('email')],
          ['service_account_name', text('family_name')],
        ];
  return {
    kind,
    orgId: orgId ?? homeId,
    projectId: null,
    userId,
    name,
    slug: null,
    xactId: null,
    fields: new Map(),
    set: new Map<string, JsonValue>([
      ['org_id', orgId],
      ['expires', expires],
      ...(scope === null ? [] : [['scope', scope] as const]),
      ...holder,
    ]),
  };
}
