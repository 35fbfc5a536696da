// Sends events in batches, several at once. A batch can be sent again, since every event has an id.
import { setTimeout as sleep } from 'node:timers/promises';
import { StatusError, UnreachableError, type Client } from '../connection.js';
import type { EventObjectKind } from '../../schema/event-row.js';
import type { MappedEvent } from './mapping.js';
import { RowError } from './row.js';

export interface Target {
  readonly client: Client;
  readonly kind: EventObjectKind;
  readonly id: string;
  /** Whether events that are there stay as they are. */
  readonly keepsStored: boolean;
}

export interface Counts {
  stored: number;
  skipped: number;
}

const requests = 6;
const batchRows = 1000;
const batchCharacters = 2 * 2 ** 20;

const attemptsMax = 12;
const pauseMax = 10;

/** Whether the server may take the request later, and after how many seconds. */
function pauseAfter(error: unknown, attempt: number): number | null {
  const growing = Math.min(pauseMax, 0.1 * 2 ** attempt);
  if (error instanceof UnreachableError) return growing;
  if (!(error instanceof StatusError) || ![429, 502, 503, 504].includes(error.status)) return null;
  return error.retryAfter ?? growing;
}

async function withRetries<T>(send: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1)
    try {
      return await send();
    } catch (error) {
      const pause = attempt < attemptsMax ? pauseAfter(error, attempt) : null;
      if (pause === null) throw error;
      await sleep(pause * 1000);
    }
}

async function* batchesOf(
  events: AsyncIterable<MappedEvent>,
): AsyncGenerator<readonly MappedEvent[]> {
  let batch: MappedEvent[] = [];
  let characters = 0;
  for await (const event of events) {
    if (
      batch.length === batchRows ||
      (characters + event.text.length > batchCharacters && batch.length > 0)
    ) {
      yield batch;
      batch = [];
      characters = 0;
    }
    batch.push(event);
    characters += event.text.length;
  }
  if (batch.length > 0) yield batch;
}

const literal = (text: string): string => `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`;

interface Ids {
  readonly data: readonly { readonly id: string }[];
}

export const storedIds = async (
  { client, kind, id }: Omit<Target, 'keepsStored'>,
  filter: string,
  limit: number,
): Promise<ReadonlySet<string>> => {
  const query = `select: id | from: ${kind}(${literal(id)})${filter} | limit: ${limit}`;
  const { data } = await withRetries(() => client.post<Ids>('/query', { query }));
  return new Set(data.map((row) => row.id));
};

/** Names the line of the event that the server refused. */
function atLine(error: unknown, batch: readonly MappedEvent[], unit: string): unknown {
  if (!(error instanceof StatusError) || error.status !== 400) return error;
  const [path = '', index] = /events\[(\d+)\]\.?/.exec(error.text) ?? [];
  const event = index === undefined ? undefined : batch[Number(index)];
  return event === undefined
    ? error
    : new RowError(`${unit} ${event.line}`, error.text.replace(path, '').replace(/^: /, ''));
}

/** Waits for all requests that were begun, then throws the first error. */
export async function sendEvents(
  target: Target,
  events: AsyncIterable<MappedEvent>,
  unit: string,
  counts: Counts,
  onRows: (count: number) => void,
): Promise<void> {
  const batches = batchesOf(events);
  const { client, kind, id, keepsStored } = target;
  const sendBatch = async (batch: readonly MappedEvent[]) => {
    const filter = () => ` | filter: id in [${batch.map((event) => literal(event.id)).join()}]`;
    const stored = keepsStored
      ? await storedIds(target, filter(), batch.length)
      : new Set<string>();
    const added = stored.size === 0 ? batch : batch.filter((event) => !stored.has(event.id));
    if (added.length > 0) {
      const body = `{"events":[${added.map(({ text }) => text).join()}]}`;
      await withRetries(async () => {
        const path = `/v1/${kind}/${id}/insert`;
        await (await client.sendBytes('POST', path, body, 'application/json')).text();
      }).catch((error: unknown) => {
        throw atLine(error, added, unit);
      });
    }
    counts.stored += added.length;
    counts.skipped += batch.length - added.length;
    onRows(batch.length);
  };
  let failed = false;
  const connection = async () => {
    try {
      for await (const batch of batches) {
        if (failed) return;
        await sendBatch(batch);
      }
    } catch (error) {
      failed = true;
      throw error;
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: requests }, connection));
  const failure = ended.find(({ status }) => status === 'rejected');
  if (failure?.status === 'rejected') throw failure.reason;
}
