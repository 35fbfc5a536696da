// Parameters of lists.
import { expect } from 'chai';
import { create, idOf, send, unique, type Client, type Json, type Probe } from './probe.js';

interface World {
  readonly projectId: string;
  readonly projectName: string;
  /** Three objects, in the order in which they were created. */
  readonly objects: readonly [Json, Json, Json];
}

async function objectIn(client: Client, kind: string, projectId: string): Promise<Json> {
  const slug = kind === 'prompt' ? { slug: unique('slug') } : {};
  const project = kind === 'project' || kind === 'role' ? {} : { project_id: projectId };
  return create(client, kind, { ...project, ...slug });
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

const parametersOf = (kind: string): Readonly<Record<string, Select>> => ({
  ...common,
  [`${kind}_name`]: byName(`${kind}_name`),
  name: byName('name'),
  ...(kind === 'project' || kind === 'role' ? {} : byProject),
  ...(kind === 'prompt' ? { slug: bySlug } : {}),
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

const versionProbe: Probe = {
  operation: 'GET /v1/prompt',
  place: 'query',
  name: 'version',
  run: async (client) => {
    const { objects } = await world(client, 'prompt');
    const [first] = objects;
    await send(client, 'PATCH /v1/prompt/{id}', { description: 'later' }, idOf(first));
    const listed = await send(
      client,
      `GET /v1/prompt?ids=${idOf(first)}&version=${first['_xact_id'] as string}`,
    );
    expect(listed['objects']).to.deep.equal([first]);
  },
};

export const listProbes: readonly Probe[] = [
  ...['project', 'experiment', 'dataset', 'prompt', 'role'].flatMap((kind) =>
    Object.entries(parametersOf(kind)).map(([name, select]): Probe => ({
      operation: `GET /v1/${kind}`,
      place: 'query',
      name,
      run: (client) => selects(client, kind, select),
    })),
  ),
  versionProbe,
];
