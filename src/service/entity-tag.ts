// Entity tags of answers. Two answers to the same request have the same tag if the rows behind them are the same.
import { createHash } from 'node:crypto';
import { feedbackObjectId } from '../schema/feedback.js';
import type { FoundRows } from '../store/event-store.js';
import { cursorReader, type Caller, type Services } from './context.js';
import type { UnchangedReply } from './reply.js';
import { versionHeaders } from './version.js';

/** The inputs of a tagged answer other than the rows. */
export interface TaggedRequest {
  readonly caller: Caller;
  readonly objectIds: readonly string[];
  /** The requested version; null for the latest. */
  readonly version: bigint | null;
  /** The normalised request as JSON. */
  readonly text: string;
  /** The header If-None-Match, or ''. */
  readonly ifNoneMatch: string;
}

/** Weak, since the answer names the version that it was computed at, and the last digits of a mean can differ. */
function tagOf(services: Services, { caller, text }: TaggedRequest, identity: string): string {
  const { orgId } = cursorReader(services, caller);
  const content = JSON.stringify([orgId, text, identity]);
  return `W/"${createHash('sha256').update(content).digest('base64url')}"`;
}

/** Feedback on events counts as a part of their rows. */
const withFeedback = (objectIds: readonly string[]): readonly string[] =>
  objectIds.flatMap((id) => [id, feedbackObjectId(id)]);

/** Browsers may cache the answer for their user, and revalidate it for each request. */
const taggedBy = (tag: string) => ({ etag: tag, 'cache-control': 'private, no-cache' });

/** Without the mark of a weak tag, which `If-None-Match` ignores (RFC 9110, 13.1.2). */
const opaque = (tag: string): string => tag.trim().replace(/^W\//, '');

/** `*` stands for every tag. */
const includesTag = (ifNoneMatch: string, tag: string): boolean =>
  ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((each) => opaque(each) === opaque(tag));

/** Returns a 304 reply if the client has the current answer, else null. Reads no rows. */
export function unchanged(services: Services, tagged: TaggedRequest): UnchangedReply | null {
  const { objectIds, ifNoneMatch } = tagged;
  if (ifNoneMatch === '') return null;
  const current = services.store.identity(withFeedback(objectIds), tagged.version);
  const tag = tagOf(services, tagged, current.identity);
  if (!includesTag(ifNoneMatch, tag)) return null;
  const headers = { ...taggedBy(tag), ...versionHeaders(current.version) };
  return { isUnchanged: true, headers };
}

/** Headers of the answer that is computed from the snapshot. */
export const tagHeaders = (
  services: Services,
  tagged: TaggedRequest,
  snapshot: Pick<FoundRows, 'identity'>,
) => taggedBy(tagOf(services, tagged, snapshot.identity(withFeedback(tagged.objectIds))));
