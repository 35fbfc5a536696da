// Sends events in batches, several at once. A batch can be sent again, since every event has an id.
import { StatusError, type Client } from '../connection.js';
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

/** How events reach the target. */
export interface Receiver {
  /** The ids of those events that are there. */
  readonly stored: (target: Target, events: readonly MappedEvent[]) => Promise<ReadonlySet<string>>;
  /** @throws RefusedEvent for an event that the target cannot have */
  readonly send: (target: Target, events: readonly MappedEvent[]) => Promise<void>;
}

export class RefusedEvent extends Error {
  override readonly name = 'RefusedEvent';
  constructor(
    readonly event: MappedEvent,
    message: string,
  ) {
    super(message);
  }
}

export interface Counts {
  stored: number;
  skipped: number;
}

const requests = 6;
const batchRows = 1000;
const batchCharacters = 2 * 2 ** 20;

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

/** The rows of the target with these columns; `filter` is a part of a query. */
export async function storedRows<T>(
  { client, kind, id }: Omit<Target, 'keepsStored'>,
  select: string,
  filter: string,
  limit: number,
): Promise<readonly T[]> {
  const query = `select: ${select} | from: ${kind}(${literal(id)})${filter} | limit: ${limit}`;
  const { data } = await client.post<{ readonly data: readonly T[] }>('/query', { query });
  return data;
}

/** The event that the server refused, of an error that names its place. */
function refusedOf(error: unknown, events: readonly MappedEvent[]): unknown {
  if (!(error instanceof StatusError) || error.status !== 400) return error;
  const [path = '', index] = /events\[(\d+)\]\.?/.exec(error.text) ?? [];
  const event = index === undefined ? undefined : events[Number(index)];
  return event === undefined
    ? error
    : new RefusedEvent(event, error.text.replace(path, '').replace(/^: /, ''));
}

/** Inserts events as they are. */
export const inserts: Receiver = {
  stored: async (target, events) => {
    const filter = ` | filter: id in [${events.map((event) => literal(event.id)).join()}]`;
    const rows = await storedRows<{ id: string }>(target, 'id', filter, events.length);
    return new Set(rows.map(({ id }) => id));
  },
  send: async ({ client, kind, id }, events) => {
    const body = `{"events":[${events.map(({ text }) => text).join()}]}`;
    try {
      await (
        await client.sendBytes('POST', `/v1/${kind}/${id}/insert`, body, 'application/json')
      ).text();
    } catch (error) {
      throw refusedOf(error, events);
    }
  },
};

/** Waits for all requests that were begun, then throws the first error. */
export async function sendEvents(
  target: Target,
  receiver: Receiver,
  events: AsyncIterable<MappedEvent>,
  unit: string,
  counts: Counts,
  onRows: (count: number) => void,
): Promise<void> {
  const batches = batchesOf(events);
  const sendBatch = async (batch: readonly MappedEvent[]) => {
    const stored = target.keepsStored ? await receiver.stored(target, batch) : new Set<string>();
    const added = batch.filter((event) => !stored.has(event.id));
    if (added.length > 0)
      await receiver.send(target, added).catch((error: unknown) => {
        if (!(error instanceof RefusedEvent)) throw error;
        throw new RowError(`${unit} ${error.event.line}`, error.message);
      });
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
