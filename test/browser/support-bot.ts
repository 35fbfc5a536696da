// Traces of a made-up support bot: 600 of five spans over six days, with scores, errors and nested metadata.
import type { TestServer } from '../support/start-server.js';

const questions = ['Where is my order?', 'I want a refund.', 'How do I change my password?'];
const answers = ['It is on its way.', 'Your refund was issued.', 'Click on Forgot password.'];
const tiers = ['free', 'team', 'enterprise'];

export const traces = 600;

const parts = [
  { name: 'retrieve', type: 'function' },
  { name: 'chat', type: 'llm' },
  { name: 'lookup', type: 'tool' },
  { name: 'inner', type: 'function' },
];

function traceOf(index: number, now: number): readonly object[] {
  const id = `trace-${index}`;
  const start = now - ((index * 977) % (86_400 * 6));
  const created = new Date(start * 1000).toISOString();
  const seconds = 0.2 + ((index * 37) % 100) / 20;
  const isWrong = index % 25 === 0;
  const root = {
    id,
    span_id: id,
    root_span_id: id,
    created,
    input: { messages: [{ role: 'user', content: `${questions[index % 3]} (${index})` }] },
    output: isWrong ? null : answers[index % 3],
    error: isWrong ? 'TimeoutError: no answer in 30 s' : null,
    scores: isWrong ? {} : { helpful: ((index * 13) % 11) / 10 },
    metadata: { customer: { tier: tiers[index % 3], id: index }, k: index % 7 },
    metrics: { start, end: start + seconds },
    span_attributes: { name: 'answer', type: 'task' },
  };
  const spans = parts.map((span_attributes, part) => ({
    id: `${id}-${part}`,
    span_id: `${id}-${part}`,
    root_span_id: id,
    span_parents: [part === 3 ? `${id}-2` : id],
    created,
    input: { part },
    metrics: {
      start: start + part / 10,
      end: start + part / 10 + 0.1,
      tokens: part === 1 ? 100 : 0,
    },
    span_attributes,
  }));
  return [root, ...spans];
}

/** Traces of one request. */
const batch = 2_000;

/** Requests at a time. */
const connections = 3;

/** Makes the project `support-bot` with so many traces; its id. */
export async function loadTraces(server: TestServer, count: number): Promise<string> {
  const project = (await server.request('POST', '/v1/project', { name: 'support-bot' })).json();
  const id = String(project['id']);
  const now = Math.floor(Date.now() / 1000);
  let first = 0;
  const load = async () => {
    while (first < count) {
      const from = first;
      const length = Math.min(batch, count - from);
      first += length;
      const events = Array.from({ length }, (_, index) => traceOf(from + index, now)).flat();
      (await server.request('POST', `/v1/project_logs/${id}/insert`, { events })).json();
    }
  };
  await Promise.all(Array.from({ length: connections }, load));
  return id;
}

export const loadSupportBot = (server: TestServer): Promise<string> => loadTraces(server, traces);
