// What several tables expect of calls of the model.
import { modelAnswer } from './model-server.js';

/** The metrics of a call. */
export const callTokens = { prompt_tokens: 7, completion_tokens: 5, tokens: 12 };

/** The same where the client tells the details. */
export const detailedTokens = {
  ...callTokens,
  prompt_cached_tokens: 2,
  completion_reasoning_tokens: 1,
};

export const question = [{ role: 'user', content: 'Capital of France?' }];

/** As the conventions of OpenTelemetry have messages. */
export const questionParts = [
  { role: 'user', parts: [{ type: 'text', content: 'Capital of France?' }] },
];
export const answerParts = [
  {
    role: 'assistant',
    parts: [{ type: 'text', content: modelAnswer }],
    finish_reason: 'stop',
  },
];
