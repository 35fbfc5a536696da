// The operations on feedback.
import type { JsonObject } from '../json/json.js';
import {
  FeedbackList,
  FeedbackParameters,
  FeedbackStored,
  feedbackBody,
  type FeedbackKind,
} from '../schema/feedback.js';
import { giveFeedback, listFeedback } from '../service/event/feedback.js';
import { operation, type DocumentedOperation } from './operation.js';
import { wordsOf } from './resource-names.js';

/** The subject of the feedback, for the reference. */
const subjects: Readonly<Record<FeedbackKind, string>> = {
  project_logs: 'events of the logs of a project',
  experiment: 'events of an experiment',
  dataset: 'records of a dataset',
  prompt: 'a prompt',
};

export const feedbackOperations = (
  path: string,
  kind: FeedbackKind,
): readonly DocumentedOperation[] => [
  operation('post', `${path}/:id/feedback`, {
    name: `give${wordsOf[kind].name}Feedback`,
    group: wordsOf[kind].group,
    summary: `Add feedback to ${subjects[kind]}`,
    body: { kind: 'required', schema: feedbackBody(kind) },
    answer: FeedbackStored,
    run: ({ services, caller, id, body }) =>
      giveFeedback(services, caller, kind, id, body as JsonObject),
  }),
  operation('get', `${path}/:id/feedback`, {
    name: `list${wordsOf[kind].name}Feedback`,
    group: wordsOf[kind].group,
    summary: `List comments and audit entries of ${subjects[kind]}`,
    query: FeedbackParameters,
    answer: FeedbackList,
    run: ({ services, caller, id, query, signal }) =>
      listFeedback(services, caller, kind, id, query, signal()),
  }),
];
