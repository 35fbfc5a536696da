// The workloads of clients that send events as they happen, for all contenders that are servers.
import type { Attempt } from '../attempt.js';
import type { Contender, Ingester } from '../contenders/contender.js';
import type { GeneratedEvent } from '../generator/events.js';
import { median } from '../measure.js';
import { openBareHandler } from './bare-ingest.js';
import { measureIngest, type IngestRound } from './ingest.js';
import { sdkQueues, singleQueues, type Queues } from './requests.js';

export type WorkloadName = 'single' | 'sdk';

/** Medians over the rounds. */
export interface Ingest extends IngestRound {
  readonly contender: string;
  readonly workload: WorkloadName;
  readonly connections: number;
}

interface Workload {
  readonly name: WorkloadName;
  readonly connections: number;
  readonly queues: (events: readonly GeneratedEvent[], connections: number) => Queues;
}

const workloads: readonly Workload[] = [
  { name: 'single', connections: 64, queues: singleQueues },
  { name: 'sdk', connections: 16, queues: sdkQueues },
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

async function measureOnce({ open }: Sender, queues: Queues): Promise<IngestRound> {
  const ingester = await open(queues.length);
  try {
    return await measureIngest(ingester, queues);
  } finally {
    await ingester.close();
  }
}

const figures = ['requests', 'requestsPerSecond', 'p50Ms', 'p99Ms', 'maxMs'] as const;

const medians = (rounds: readonly IngestRound[]): IngestRound =>
  Object.fromEntries(
    figures.map((figure) => [figure, median(rounds.map((round) => round[figure]))]),
  ) as unknown as IngestRound;

async function measureRounds(
  senders: readonly Sender[],
  { name, connections, queues }: Workload,
  events: readonly GeneratedEvent[],
  rounds: number,
  attempt: Attempt,
): Promise<readonly Ingest[]> {
  const measured = new Map(senders.map((sender) => [sender, [] as IngestRound[]]));
  for (let round = 0; round < rounds; round++)
    for (const [sender, found] of measured) {
      const once = () => measureOnce(sender, queues(events, connections));
      const result = await attempt(`${name}, ${sender.name}`, once);
      if (result === null) measured.delete(sender);
      else found.push(result);
    }
  return [...measured].map(([{ name: contender }, found]) =>
    Object.assign({ contender, workload: name, connections }, medians(found)),
  );
}

/** Every round sends the same events to a new place of each contender, one contender after the other. */
export async function ingestAll(
  contenders: readonly Contender[],
  events: readonly GeneratedEvent[],
  rounds: number,
  attempt: Attempt,
): Promise<readonly Ingest[]> {
  const results: Ingest[] = [];
  for (const workload of workloads) {
    const senders = sendersOf(contenders, workload.name);
    results.push(...(await measureRounds(senders, workload, events, rounds, attempt)));
  }
  return results;
}
