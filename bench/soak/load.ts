// The load of the soak: clients that insert, merge and delete, that page through what is there, and that ask for much.
import { setTimeout as sleep } from 'node:timers/promises';
import type { SoakClient } from './client.js';

/** What was acknowledged to one inserting client. */
export interface Acknowledged {
  inserted: number;
  deleted: number;
  /** Of rows that were not deleted. */
  merged: number;
}

const pauseMs = 30;
const batchMax = 5;
const models = 7;

const event = (client: number, number: number) => ({
  id: `${client}-${number}`,
  input: `question ${number} ${'lorem ipsum '.repeat(20)}`,
  output: { answer: number, text: 'dolor sit '.repeat(20) },
  scores: { accuracy: (number % 10) / 10 },
  metadata: { model: `m${number % models}`, client },
});

/**
 * Inserts a few events, then merges one of the row before those and deletes one, in turn. An outcome that was not acknowledged
 * leaves the numbers as they are: its ids are used once.
 */
export async function insertInALoop(
  client: SoakClient,
  logs: string,
  number: number,
  isOver: () => boolean,
): Promise<Acknowledged> {
  const done: Acknowledged = { inserted: 0, deleted: 0, merged: 0 };
  let next = 0;
  for (let turn = 0; !isOver(); turn++) {
    const count = 1 + (turn % batchMax);
    const events = Array.from({ length: count }, () => event(number, next++));
    const [first] = events;
    const answer = await client.ask('insert', 'POST', `${logs}/insert`, { events });
    if (answer !== null) {
      done.inserted += count;
      if (turn % 4 === 1) {
        const merge = { id: first!.id, _is_merge: true, scores: { merged: 1 } };
        if ((await client.ask('merge', 'POST', `${logs}/insert`, { events: [merge] })) !== null)
          done.merged += 1;
      }
      if (turn % 4 === 3) {
        const removal = { id: first!.id, _object_delete: true };
        if ((await client.ask('delete', 'POST', `${logs}/insert`, { events: [removal] })) !== null)
          done.deleted += 1;
      }
    }
    await sleep(pauseMs);
  }
  return done;
}

const pagesMax = 20;

/** Follows the cursors of pages, and begins again with the newest rows. */
export async function fetchInALoop(
  client: SoakClient,
  logs: string,
  isOver: () => boolean,
): Promise<void> {
  while (!isOver()) {
    let cursor: string | null = null;
    for (let page = 0; page < pagesMax && !isOver(); page++) {
      const answer = (await client.ask('fetch', 'POST', `${logs}/fetch`, {
        limit: 50,
        cursor,
      })) as {
        readonly cursor?: string | null;
      } | null;
      cursor = answer?.cursor ?? null;
      if (cursor === null) break;
      await sleep(pauseMs);
    }
    await sleep(pauseMs);
  }
}

const heavyQueries = [
  'dimensions: metadata.model as model, metadata.client as client | measures: count(*) as n, avg(scores.accuracy) as a, count(scores.merged) as m | sort: n desc',
  "measures: count(*) as n | filter: input ILIKE '%question 77%'",
  'select: id, input, output | sort: scores.accuracy, id | limit: 500',
  'dimensions: output.answer % 1000 as a | measures: count(*) as n, percentile(scores.accuracy, 0.9) as p | sort: n desc | limit: 100',
];

export async function queryInALoop(
  client: SoakClient,
  source: string,
  number: number,
  isOver: () => boolean,
): Promise<void> {
  for (let turn = number; !isOver(); turn++) {
    const query = `${heavyQueries[turn % heavyQueries.length]} | from: ${source}`;
    await client.ask('query', 'POST', '/query', { query });
    await sleep(1000);
  }
}

/** Experiments that come, are filled, and go. */
export async function deleteInALoop(
  client: SoakClient,
  projectId: string,
  isOver: () => boolean,
): Promise<void> {
  for (let turn = 0; !isOver(); turn++) {
    const made = (await client.ask('create', 'POST', '/v1/experiment', {
      project_id: projectId,
      name: `experiment ${turn}`,
    })) as { readonly id: string } | null;
    if (made !== null) {
      const route = `/v1/experiment/${made.id}`;
      const events = Array.from({ length: 20 }, (_, row) => event(-1, row));
      await client.ask('insert', 'POST', `${route}/insert`, { events });
      await client.ask('remove', 'DELETE', route);
    }
    await sleep(2000);
  }
}
