// What requests without a key may read of a public experiment: no fields about its users and its code, and no versions from before
// it became public.
import type { JsonObject } from '../../json/json.js';
import { parseJson } from '../../json/parse.js';
import { stringifyJson } from '../../json/stringify.js';
import { membersOf } from '../../json/tree.js';
import { requirePrincipal } from './access.js';
import type { Caller, Services } from '../context.js';

/** The fields that are null without a key. */
const emptied = new Set(['commit', 'base_exp_id', 'dataset_id', 'dataset_version', 'user_id']);

/** The fields that are missing without a key, since they cannot be null. */
const omitted = new Set(['repo_info', 'parameters_id', 'parameters_version', 'internal_metadata']);

/** @param body the JSON text of an experiment */
export function withoutPrivateFields(body: string): string {
  const left = [...membersOf(parseJson(body) as JsonObject)].filter(([name]) => !omitted.has(name));
  return stringifyJson(
    new Map(left.map(([name, value]) => [name, emptied.has(name) ? null : value])),
  );
}

/**
 * @param version null for the latest
 * @throws RequestError 401 without a key for a version from before the experiment became public
 */
export function checkPublicVersion(
  { catalog, store }: Services,
  caller: Caller,
  experimentId: string,
  version: bigint | null,
): void {
  if (caller.kind === 'key' || version === null) return;
  const publishedAt = catalog.header(experimentId)?.publishedAt ?? 0n;
  // After the last transaction, a version is the latest one.
  if (version < publishedAt && version < store.stats().lastXactId) requirePrincipal(caller);
}
