// Parameters and body fields of fetches.
import { expect } from 'chai';
import { eventObject, insert, rowsOf, type Client, type Json, type Probe } from './probe.js';

interface World {
  readonly client: Client;
  readonly path: string;
  /** Versions of the writes of the rows a, b and c, each a trace of its own. */
  readonly versions: readonly string[];
  readonly rows: readonly Json[];
}

async function world(client: Client, kind: string): Promise<World> {
  const id = await eventObject(client, kind);
  const versions: string[] = [];
  for (const row of ['a', 'b', 'c']) {
    versions.push(await insert(client, kind, id, { id: row, input: `is ${row}` }));
  }
  return {
    client,
    path: `/v1/${kind}/${id}/fetch`,
    versions,
    rows: await rowsOf(client, kind, id),
  };
}

/** What to ask for, and the ids of the rows that answer it. */
type Question = (world: World) => Promise<readonly [Json, readonly string[]]>;

const lastRow = ({ rows }: World): Json => ({
  max_xact_id: rows[0]!['_xact_id'],
  max_root_span_id: rows[0]!['root_span_id'],
});

const afterLastRow: Question = (world) => Promise.resolve([lastRow(world), ['b', 'a']]);

const questions: Readonly<Record<string, Question>> = {
  limit: () => Promise.resolve([{ limit: 1 }, ['c']]),
  cursor: async ({ client, path }) => {
    const { cursor } = await client.get(`${path}?limit=1`);
    return [{ limit: 1, cursor }, ['b']];
  },
  max_xact_id: afterLastRow,
  max_root_span_id: afterLastRow,
  version: ({ versions }) => Promise.resolve([{ version: versions[1] }, ['b', 'a']]),
};

const byFilter: Question = () =>
  Promise.resolve([{ filters: [{ type: 'path_lookup', path: ['input'], value: 'is a' }] }, ['a']]);

function answer({ client, path }: World, method: string, asked: Json) {
  if (method === 'POST') return client.request('POST', path, asked);
  const search = new URLSearchParams(asked as Record<string, string>).toString();
  return client.request('GET', `${path}?${search}`);
}

async function finds(
  client: Client,
  kind: string,
  method: string,
  question: Question,
): Promise<void> {
  const made = await world(client, kind);
  const [asked, ids] = await question(made);
  const { events } = (await answer(made, method, asked)).json();
  expect((events as readonly Json[]).map(({ id }) => id)).to.deep.equal(ids);
}

const probes = (kind: string, method: 'GET' | 'POST'): readonly Probe[] => {
  const filters = ['filters', 'filters[].type', 'filters[].path', 'filters[].value'];
  const named = method === 'POST' ? filters.map((name) => [name, byFilter] as const) : [];
  return [...Object.entries(questions), ...named].map(([name, question]) => ({
    operation: `${method} /v1/${kind}/{id}/fetch`,
    place: method === 'GET' ? 'query' : 'body',
    name,
    run: (client) => finds(client, kind, method, question),
  }));
};

export const fetchProbes: readonly Probe[] = ['project_logs', 'experiment', 'dataset'].flatMap(
  (kind) => probes(kind, 'GET').concat(probes(kind, 'POST')),
);
