// Servers with random rows that are all buffered, all in segments, or half and half.
import { readdir } from 'node:fs/promises';
import * as fc from 'fast-check';
import { insertBody } from './model/arbitrary-event.js';
import { openConversation, pathOf, readReply, type Conversation } from './model/conversation.js';
import {
  fieldOf,
  latest,
  liveAt,
  stateAfter,
  store,
  type ModelObject,
} from './model/model-server.js';
import type { SentEvent } from './model/model-row.js';
import { textIn } from './model/tagged-json.js';
import { createDataset } from '../support/objects.js';
import { openServer } from '../support/hosted-server.js';
import type { TestServer } from '../support/start-server.js';
import { waitUntil } from '../support/wait-until.js';
import type { Field } from './candidate.js';
import { eventsOf } from './arbitrary-events.js';
import type { Request } from './arbitrary-query.js';
import { timestamp } from './timestamps.js';

export type StateName = 'buffer' | 'segments' | 'half';

export interface State {
  readonly name: StateName;
  readonly server: TestServer;
  readonly conversation: Conversation;
}

const rowsPerObject = 12;
const objectCount = 4;

/** Inserts that the server flushes when all of them, or the first half, have arrived. */
const flushRows: Readonly<Record<StateName, number>> = {
  buffer: 10_000,
  segments: rowsPerObject * objectCount,
  half: (rowsPerObject * objectCount) / 2 + 1,
};

/** Long answers, and searches for the first rows of an answer, are made of parts of a few rows. */
const chunks = { rows: 3, bytes: 2000, dividedRows: 1 };

export async function openState(name: StateName, seed: number): Promise<State> {
  const server = await openServer({
    environment: {
      EVALSTORE_LOG_LEVEL: 'warn',
      EVALSTORE_FLUSH_ROWS: String(flushRows[name]),
      EVALSTORE_QUERY_THREADS: '1',
    },
    tuning: name === 'half' ? {} : { chunks, segments: { narrowRowsMin: 1 } },
  });
  try {
    return { name, server, conversation: await load(server, name, seed) };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

async function load(server: TestServer, name: StateName, seed: number): Promise<Conversation> {
  const conversation = await withDataset(await openConversation(server, () => undefined));
  const events = conversation.objects.map((object, index) =>
    drawEvents(object, `o${index}`, seed + index),
  );
  for (const half of [0, 1]) {
    for (const [index, object] of conversation.objects.entries()) {
      const part = (events[index] ?? []).filter((_, place) => place % 2 === half);
      await insert(conversation, object, part);
    }
    if (name === 'half' && half === 0) {
      // One row more than half of them: it is replaced by itself.
      const [object] = conversation.objects;
      if (object !== undefined) await insert(conversation, object, (events[0] ?? []).slice(0, 1));
      await segmentsWritten(server);
    }
  }
  if (name === 'segments') await segmentsWritten(server);
  return conversation;
}

async function withDataset(conversation: Conversation): Promise<Conversation> {
  const { server, projectId, objects } = conversation;
  const { id } = await createDataset(server, { project_id: projectId });
  const orgId = objects[0]?.orgId ?? '';
  return {
    ...conversation,
    objects: [...objects, { kind: 'dataset', id, projectId, orgId, versions: [] }],
  };
}

const drawEvents = ({ kind }: ModelObject, prefix: string, seed: number): readonly SentEvent[] => {
  const [events = []] = fc.sample(eventsOf(prefix, rowsPerObject), { seed, numRuns: 1 });
  return kind === 'dataset' ? events.map(recordOf) : events;
};

const fieldsOfRecords = new Set(['input', 'expected', 'metadata', 'tags', 'error']);

/** With the fields that records of datasets have. */
const recordOf = (event: SentEvent): SentEvent => ({
  ...event,
  fields: Object.fromEntries(
    Object.entries(event.fields).filter(([name]) => fieldsOfRecords.has(name)),
  ),
});

async function insert(
  { server }: Conversation,
  object: ModelObject,
  events: readonly SentEvent[],
): Promise<void> {
  const answer = await server.request('POST', `${pathOf(object)}/insert`, insertBody(events));
  const { version } = readReply('insert', answer);
  store(
    object,
    stateAfter(
      object,
      events,
      events.map(({ id }) => id ?? ''),
    ),
    version,
  );
}

const segmentsWritten = ({ dir }: TestServer): Promise<void> =>
  waitUntil('segments', async () => {
    const files = await readdir(`${dir}/segments`, { recursive: true }).catch(() => []);
    return files.some((file) => file.endsWith('.parquet'));
  });

interface Source {
  readonly text: string;
  readonly objects: readonly ModelObject[];
}

const named = (experiments: readonly ModelObject[]): string =>
  `experiment(${experiments.map(({ id }) => `'${id}'`).join(', ')})`;

export function sourceOf({ objects, projectId }: Conversation, source: Request['source']): Source {
  const [logs = [], first = [], second = [], dataset = []] = objects.map((object) => [object]);
  const records = `dataset(${dataset[0]?.id ?? ''})`;
  switch (source) {
    case 'experiment':
      return { text: `experiment(${first[0]?.id ?? ''})`, objects: first };
    case 'experiments':
      return { text: named([...first, ...second]), objects: [...first, ...second] };
    case 'project_logs':
      return { text: `project_logs("${projectId}")`, objects: logs };
    case 'project':
      return { text: `project('${projectId}')`, objects };
    case 'dataset':
      return { text: records, objects: dataset };
    default:
      return {
        text: `${named(first)}, project_logs(${projectId}), ${records}`,
        objects: [...first, ...logs, ...dataset],
      };
  }
}

/** The rows of the source in the default order. */
export const rowsOf = ({ objects }: Source): readonly Field[] =>
  liveAt(objects, latest).map((row) => (name) => {
    const value = fieldOf(row, name);
    return name === 'created' ? timestamp(microsOf(textIn(value))) : value;
  });

/** Of seconds with six digits behind the point. */
const microsOf = (seconds: string): bigint => {
  const [whole = '', fraction = ''] = seconds.split('.');
  return BigInt(whole) * 1_000_000n + BigInt(fraction);
};
