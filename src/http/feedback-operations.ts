// The table of resources -> operations on what was said about their events.
import { Type } from 'typebox';
import type { JsonObject } from '../json/json.js';
import { FeedbackParameters, feedbackBody, type FeedbackKind } from '../schema/feedback.js';
import { closed } from '../schema/scalar.js';
import { giveFeedback, listFeedback } from '../service/feedback.js';
import type { Operation } from './operation.js';

export const feedbackOperations = (path: string, kind: FeedbackKind): readonly Operation[] => [
  {
    method: 'post',
    path: `${path}/:id/feedback`,
    access: { kind: 'key' },
    query: Type.Object({}, closed),
    body: { kind: 'required', schema: feedbackBody(kind) },
    run: ({ services, caller, id, body }) =>
      giveFeedback(services, caller, kind, id, body as JsonObject),
  },
  {
    method: 'get',
    path: `${path}/:id/feedback`,
    access: { kind: 'key' },
    query: FeedbackParameters,
    run: ({ services, caller, id, query, signal }) =>
      listFeedback(services, caller, kind, id, query, signal),
  },
];
