// Pages of a project log, near its end and deep in it -> how long each takes.
import type { EvalstoreClient } from './contenders/evalstore-client.js';
import { median } from './measure.js';
import type { PageResult } from './results.js';

/** A server, and the project whose log is read. */
export interface PageSource {
  readonly projectId: string;
  readonly client: () => EvalstoreClient;
}

const tracesPerPage = 100;
const deepPage = 1000;
/** A small log has no page 1,000: then the page at this share of it. */
const deepestShare = 0.75;
/** After the deepest `root_span_id` of a transaction in descending order. */
const beforeAllTraces = '';

interface Transaction {
  readonly xact: string;
  readonly traces: number;
}

/** The deepest place that has at most that many traces before it; nothing is walked, so that large logs are quick. */
async function placeAfter(evalstore: PageSource, share: (traces: number) => number) {
  const query = `from: project_logs('${evalstore.projectId}') | dimensions: _xact_id as xact
    measures: count(is_root ? 1 : null) as traces`;
  const answer = await evalstore.client().post('/query', JSON.stringify({ query }));
  const transactions = (answer as { data: readonly Transaction[] }).data.toSorted((a, b) =>
    a.xact < b.xact ? 1 : -1,
  );
  const wanted = share(transactions.reduce((sum, { traces }) => sum + traces, 0));
  const version = transactions[0]?.xact;
  let tracesBefore = 0;
  let place: object = {};
  for (const { xact, traces } of transactions) {
    if (tracesBefore + traces > wanted) break;
    tracesBefore += traces;
    place = { version, max_xact_id: xact, max_root_span_id: beforeAllTraces };
  }
  return { tracesBefore, place };
}

async function timePage(
  evalstore: PageSource,
  place: object,
  tracesBefore: number,
  rounds: number,
): Promise<PageResult> {
  const path = `/v1/project_logs/${evalstore.projectId}/fetch`;
  const milliseconds: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const start = performance.now();
    await evalstore.client().post(path, JSON.stringify({ limit: tracesPerPage, ...place }));
    if (round > 0) milliseconds.push(performance.now() - start);
  }
  return { tracesBefore, milliseconds, median: median(milliseconds) };
}

export async function measurePages(
  evalstore: PageSource,
  rounds: number,
): Promise<readonly PageResult[]> {
  const { tracesBefore, place } = await placeAfter(evalstore, (traces) =>
    Math.min(deepPage * tracesPerPage, Math.floor(traces * deepestShare)),
  );
  return [
    await timePage(evalstore, {}, 0, rounds),
    await timePage(evalstore, place, tracesBefore, rounds),
  ];
}
