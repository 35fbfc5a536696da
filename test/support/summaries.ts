// Short ways to put traces into experiments and to ask for their summaries.
import type { Json, RequestOptions, TestServer } from './start-server.js';

export type Summary = Readonly<Record<string, unknown>> & {
  readonly scores: Readonly<Record<string, Json>>;
  readonly score_stats: Readonly<Record<string, Json>>;
  readonly metrics: Readonly<Record<string, Json>>;
};

/** A score with its statistics. */
export const scoreIn = ({ scores, score_stats }: Summary, name: string): Json => ({
  ...scores[name],
  ...score_stats[name],
});

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
