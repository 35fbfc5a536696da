// Short ways to put traces into experiments and to ask for their summaries.
import { expect } from 'chai';
import type { RequestOptions, TestServer } from './start-server.js';

type Entry = Readonly<Record<string, unknown>>;
export type Summary = Readonly<Record<string, unknown>> & {
  readonly scores: Readonly<Record<string, Entry>>;
  readonly metrics: Readonly<Record<string, Entry>>;
};

export const insertEvents = async (server: TestServer, id: string, events: readonly object[]) => {
  const answer = await server.request('POST', `/v1/experiment/${id}/insert`, { events });
  expect(answer.status, answer.text).to.equal(200);
};

export const askSummary = (
  server: TestServer,
  id: string,
  query: string,
  options?: RequestOptions,
) => server.request('GET', `/v1/experiment/${id}/summarize?${query}`, undefined, options);

export const summarize = async (
  server: TestServer,
  id: string,
  query = '',
  options?: RequestOptions,
): Promise<Summary> =>
  (await askSummary(server, id, `summarize_scores=true${query}`, options)).json() as Summary;

export const trace = (span: string, input: unknown, fields: object = {}) => ({
  id: span,
  span_id: span,
  input,
  ...fields,
});

export const scored = (span: string, input: unknown, accuracy: number | null) =>
  trace(span, input, { scores: { accuracy } });
