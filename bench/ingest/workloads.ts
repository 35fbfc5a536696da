// The workloads of clients that send events as they happen, for all contenders that are servers.
import type { Contender, Ingester } from '../contenders/contender.js';
import type { GeneratedEvent } from '../generator/events.js';
import { median } from '../measure.js';
import { openBareHandler } from './bare-ingest.js';
import { measureIngest, type IngestRound } from './ingest.js';
import { sdkRequests, singleRequests, type Request } from './requests.js';

export type WorkloadName = 'single' | 'sdk';

/** Medians over the rounds. */
export interface Ingest extends IngestRound {
  readonly contender: string;
  readonly workload: WorkloadName;
  readonly connections: number;
}

/** More spans than connections, so that a row is there before its merge is sent. */
const sdkLag = 64;

interface Workload {
  readonly name: WorkloadName;
  readonly connections: number;
  readonly requests: (events: readonly GeneratedEvent[]) => readonly Request[];
}

const workloads: readonly Workload[] = [
  { name: 'single', connections: 64, requests: singleRequests },
  { name: 'sdk', connections: 16, requests: (events) => sdkRequests(events, sdkLag) },
];

interface Sender {
  readonly name: string;
  readonly open: (connections: number) => Promise<Ingester>;
}

/** What HTTP and JSON alone cost takes part in the first workload. */
export const bareName = 'bare handler';

function sendersOf(contenders: readonly Contender[], workload: WorkloadName): readonly Sender[] {
  const senders = contenders.flatMap(({ name, openIngester }) =>
    openIngester === undefined ? [] : [{ name, open: openIngester }],
  );
  return workload === 'single' ? [...senders, { name: bareName, open: openBareHandler }] : senders;
}

async function measureOnce(
  { open }: Sender,
  requests: readonly Request[],
  connections: number,
): Promise<IngestRound> {
  const ingester = await open(connections);
  try {
    return await measureIngest(ingester, requests, connections);
  } finally {
    await ingester.close();
  }
}

const figures = ['requests', 'requestsPerSecond', 'p50Ms', 'p99Ms', 'maxMs'] as const;

const medians = (rounds: readonly IngestRound[]): IngestRound =>
  Object.fromEntries(
    figures.map((figure) => [figure, median(rounds.map((round) => round[figure]))]),
  ) as unknown as IngestRound;

/** Every round sends the same events to a new place of each contender, one contender after the other. */
export async function ingestAll(
  contenders: readonly Contender[],
  events: readonly GeneratedEvent[],
  rounds: number,
): Promise<readonly Ingest[]> {
  const results: Ingest[] = [];
  for (const { name, connections, requests: requestsOf } of workloads) {
    const requests = requestsOf(events);
    const senders = sendersOf(contenders, name);
    const measured = new Map(senders.map((sender) => [sender, [] as IngestRound[]]));
    for (let round = 0; round < rounds; round++)
      for (const [sender, found] of measured)
        found.push(await measureOnce(sender, requests, connections));
    for (const [{ name: contender }, found] of measured)
      results.push({ contender, workload: name, connections, ...medians(found) });
  }
  return results;
}
