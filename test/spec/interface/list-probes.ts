// Parameters of lists.
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { create, idOf, send, unique, type Client, type Json, type Probe } from './probe.js';

interface World {
  readonly projectId: string;
  readonly projectName: string;
  /** Three objects, in the order in which they were created. */
  readonly objects: readonly [Json, Json, Json];
}

async function objectIn(client: Client, kind: string, projectId: string): Promise<Json> {
  if (kind === 'dataset_snapshot') {
    const dataset = await create(client, 'dataset', { name: 'd', project_id: projectId });
    return create(client, kind, { dataset_id: idOf(dataset), xact_id: '1' });
  }
  const slug = kind === 'prompt' || kind === 'function' ? { slug: unique('slug') } : {};
  const data = kind === 'function' ? { function_data: { type: 'global' } } : {};
  const type = kind === 'function' ? { function_type: unique('type') } : {};
  const project = kind === 'project' || kind === 'role' ? {} : { project_id: projectId };
  return create(client, kind, { ...project, ...slug, ...data, ...type });
}

async function world(client: Client, kind: string): Promise<World> {
  const project = await create(client, 'project');
  const other = await create(client, 'project');
  await objectIn(client, kind, idOf(other));
  const object = () => objectIn(client, kind, idOf(project));
  return {
    projectId: idOf(project),
    projectName: project['name'] as string,
    objects: [await object(), await object(), await object()],
  };
}

/** What is asked for, and which of the objects are answered to it: indices, newest first. */
interface Selection {
  readonly query: Readonly<Record<string, string>>;
  /** Only the three objects; else the query itself has to say it. */
  readonly isNarrowed?: boolean;
  readonly found: readonly number[];
}

type Select = (world: World) => Selection;

const all = [2, 1, 0];

const common: Readonly<Record<string, Select>> = {
  limit: () => ({ query: { limit: '2' }, isNarrowed: true, found: [2, 1] }),
  starting_after: ({ objects }) => ({
    query: { starting_after: idOf(objects[2]) },
    isNarrowed: true,
    found: [1, 0],
  }),
  ending_before: ({ objects }) => ({
    query: { ending_before: idOf(objects[0]) },
    isNarrowed: true,
    found: [2, 1],
  }),
  ids: ({ objects }) => ({ query: { ids: idOf(objects[1]) }, found: [1] }),
  id: ({ objects }) => ({ query: { id: idOf(objects[1]) }, found: [1] }),
  org_name: () => ({ query: { org_name: 'of somebody else' }, isNarrowed: true, found: [] }),
  org_id: () => ({ query: { org_id: randomUUID() }, isNarrowed: true, found: [] }),
};

const nameOf = (object: Json): string => object['name'] as string;

const byName =
  (parameter: string): Select =>
  ({ objects }) => ({ query: { [parameter]: nameOf(objects[1]) }, found: [1] });

const byProject: Readonly<Record<string, Select>> = {
  project_name: ({ projectName }) => ({ query: { project_name: projectName }, found: all }),
  project_id: ({ projectId }) => ({ query: { project_id: projectId }, found: all }),
};

const bySlug: Select = ({ objects }) => ({
  query: { slug: objects[1]['slug'] as string },
  found: [1],
});

const byType: Select = ({ objects }) => ({
  query: { function_type: objects[1]['function_type'] as string },
  found: [1],
});

const byDataset: Select = ({ objects }) => ({
  query: { dataset_id: objects[1]['dataset_id'] as string },
  found: all,
});

const parametersOf = (kind: string): Readonly<Record<string, Select>> => ({
  ...common,
  [`${kind}_name`]: byName(`${kind}_name`),
  name: byName('name'),
  ...(['project', 'role', 'dataset_snapshot'].includes(kind) ? {} : byProject),
  ...(kind === 'prompt' || kind === 'function' ? { slug: bySlug } : {}),
  ...(kind === 'function' ? { function_type: byType } : {}),
  ...(kind === 'dataset_snapshot' ? { dataset_id: byDataset } : {}),
});

async function selects(client: Client, kind: string, select: Select): Promise<void> {
  const made = await world(client, kind);
  const { query, isNarrowed = false, found } = select(made);
  const search = new URLSearchParams(query);
  if (isNarrowed) for (const object of made.objects) search.append('ids', idOf(object));
  const { objects } = await send(client, `GET /v1/${kind}?${search.toString()}`);
  const ids = (objects as readonly Json[]).map(idOf);
  expect(ids).to.deep.equal(found.map((index) => idOf(made.objects[index]!)));
}

/** The first version of an object that has two. */
async function changed(client: Client, kind: string): Promise<Json> {
  const { objects } = await world(client, kind);
  const [first] = objects;
  await send(client, `PATCH /v1/${kind}/{id}`, { description: 'later' }, idOf(first));
  return first;
}

const versionProbes = (kind: string): readonly Probe[] => [
  {
    operation: `GET /v1/${kind}`,
    place: 'query',
    name: 'version',
    run: async (client) => {
      const first = await changed(client, kind);
      const search = `ids=${idOf(first)}&version=${first['_xact_id'] as string}`;
      expect((await send(client, `GET /v1/${kind}?${search}`))['objects']).to.deep.equal([first]);
    },
  },
  {
    operation: `GET /v1/${kind}/{id}`,
    place: 'query',
    name: 'version',
    run: async (client) => {
      const first = await changed(client, kind);
      const path = `GET /v1/${kind}/{id}?version=${first['_xact_id'] as string}`;
      expect(await send(client, path, undefined, idOf(first))).to.deep.equal(first);
    },
  },
];

const listed = [
  'project',
  'experiment',
  'dataset',
  'dataset_snapshot',
  'prompt',
  'function',
  'role',
];

export const listProbes: readonly Probe[] = [
  ...listed.flatMap((kind) =>
    Object.entries(parametersOf(kind)).map(([name, select]): Probe => ({
      operation: `GET /v1/${kind}`,
      place: 'query',
      name,
      run: (client) => selects(client, kind, select),
    })),
  ),
  ...['prompt', 'function'].flatMap(versionProbes),
];
