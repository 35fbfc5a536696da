// Tags of answers. Two answers to one question have the same tag when the rows that they were computed from are the same, so
// that a client that has the first needs no second one.
import { createHash } from 'node:crypto';
import { feedbackObjectId } from '../schema/feedback.js';
import type { Snapshot } from '../store/event-store.js';
import type { Caller, Services } from './context.js';
import { cursorReader } from './cursor-reader.js';
import type { UnchangedReply } from './reply.js';

/** What an answer is computed from, beside the rows. */
export interface Question {
  readonly caller: Caller;
  readonly objectIds: readonly string[];
  /** Transaction id that was asked for; null for the latest. */
  readonly version: bigint | null;
  /** JSON of everything that was asked, in one spelling. */
  readonly text: string;
  /** Value of the header `If-None-Match`; empty without one. */
  readonly ifNoneMatch: string;
}

/** Weak, since the answer names the version that it was computed at, and the last digits of a mean can differ. */
function tagOf(services: Services, { caller, text }: Question, identity: string): string {
  const { orgId } = cursorReader(services, caller);
  const content = JSON.stringify([orgId, text, identity]);
  return `W/"${createHash('sha256').update(content).digest('base64url')}"`;
}

/** What was said about events is part of their rows. */
const withFeedback = (objectIds: readonly string[]): readonly string[] =>
  objectIds.flatMap((id) => [id, feedbackObjectId(id)]);

/** Browsers may keep the answer for their user, and ask each time whether it still holds. */
const taggedBy = (tag: string) => ({ etag: tag, 'cache-control': 'private, no-cache' });

/** The reply to a client that has the answer already; null when it does not. Reads nothing. */
export function unchanged(services: Services, question: Question): UnchangedReply | null {
  const { objectIds, version, ifNoneMatch } = question;
  if (ifNoneMatch === '') return null;
  const identity = services.store.identity(withFeedback(objectIds), version);
  const tag = tagOf(services, question, identity);
  const isKnown = ifNoneMatch.split(',').some((each) => each.trim() === tag);
  return isKnown ? { isUnchanged: true, headers: taggedBy(tag) } : null;
}

/** Headers of the answer that is computed from the snapshot. */
export const tagHeaders = (services: Services, question: Question, snapshot: Snapshot) =>
  taggedBy(tagOf(services, question, snapshot.identity(withFeedback(question.objectIds))));
