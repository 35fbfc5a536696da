// The events of a table that other engines read, and what happens to them: inserts, merges, deletions, compaction, retention.
import { endOfJob } from './jobs.js';
import type { TestServer } from './test-server.js';

const batch = 2_000;

/** An event with a bit of everything: paths of several types, names that differ by case, exact numbers, empty and absent lists. */
const eventOf = (index: number, count: number) => ({
  id: `r${index}`,
  input: { question: `ü ${index}`, list: [index, null] },
  scores: { exact: (index % 10) / 10, ...(index % 7 === 0 ? { rare: 1 } : {}) },
  metadata: {
    model: `m${index % 3}`,
    kind: 'a',
    Kind: index,
    n: index % 2 === 0 ? index : String(index),
    // In the second half of the events alone.
    ...(index > count / 2 ? { late: index % 5 === 0, n: `text ${index}` } : {}),
  },
  metrics: { tokens: index },
  ...(index % 4 === 0 ? {} : { tags: index % 4 === 1 ? [] : ['a', `t${index % 5}`] }),
  created: new Date((index % 50 === 0 ? 1.5e12 : Date.now() - 1e9) + index * 1000.5).toISOString(),
});

const exactRow = '{"events":[{"id":"exact","metadata":{"big":12345678901234567890,"f":0.1000}}]}';

const some = (count: number, row: (index: number) => object) =>
  Array.from({ length: count }, (_, index) => row(index));

const merged = (index: number) => ({
  id: `r${3 * index}`,
  _is_merge: true,
  scores: { exact: 0.5 },
});

/** Inserts `count` events and one, changes some, and deletes some; answers how many are left. */
export async function fillTable(server: TestServer, project: string, count: number) {
  const insert = (list: readonly object[]) => server.insert(`project_logs/${project}`, list);
  for (let first = 0; first < count; first += batch) {
    await insert(some(Math.min(batch, count - first), (index) => eventOf(first + index, count)));
    if (first % (count / 2) === 0) await server.settle();
  }
  await server.request('POST', `/v1/project_logs/${project}/insert`, exactRow);
  await server.settle();
  const changes = Math.min(count / 40, batch);
  await insert(some(changes, merged));
  const deleted = Math.floor(changes / 2);
  await insert(some(deleted, (index) => ({ id: `r${3 * index + 1}`, _object_delete: true })));
  await server.settle();
  return count + 1 - deleted;
}

/** Removes the events of former years, by retention, and inserts one. */
export async function expireTable(server: TestServer, project: string): Promise<void> {
  await server.request('PATCH', `/v1/project/${project}`, { settings: { retention_days: 365 } });
  const { id: job } = await server.post(`/v1/project/${project}/retention`);
  await endOfJob(server, String(job));
  await server.insert(`project_logs/${project}`, [{ id: 'last', metadata: { model: 'm0' } }]);
  await server.settle();
}
