// The server under attack: objects with buffered rows and rows in segments, and a private one that only its owner may read.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  createDataset,
  createExperiment,
  createNamed,
  createProject,
} from '../../support/objects.js';
import { addOrganisation, strangerKey } from '../../support/other-organisation.js';
import { startServer, type ServerProcess, type TestServer } from '../../support/start-server.js';

export type Sender = 'owner' | 'stranger' | 'anonymous' | 'wrong key' | 'broken header';

export interface Targets {
  readonly server: ServerProcess;
  /** Objects of all kinds that the owner works on. */
  readonly ids: readonly string[];
  /** Objects that may be deleted. */
  readonly victims: readonly string[];
  /** Objects that only other callers than the owner ask for. */
  readonly secrets: readonly string[];
  readonly cursors: readonly string[];
  readonly versions: readonly string[];
  readonly eventIds: readonly string[];
  /** Sources of queries. */
  readonly sources: readonly string[];
  close(): Promise<void>;
}

/** In every row that nobody but the owner may see. */
export const secretText = 'seen-by-its-owner-alone';

export const authorization = (sender: Sender, server: TestServer): string | null => {
  const headers: Readonly<Record<Sender, string | null>> = {
    owner: `Bearer ${server.key}`,
    stranger: `Bearer ${strangerKey}`,
    anonymous: null,
    'wrong key': `Bearer ${'x'.repeat(40)}`,
    'broken header': 'Basic Og==',
  };
  return headers[sender];
};

/** The server's JavaScript heap: it ends when more is in use. */
const heapMb = 384;

const rowsPerObject = 24;

const rows = (prefix: string, note: string) =>
  Array.from({ length: rowsPerObject }, (_, index) => ({
    id: `${prefix}${index}`,
    input: { question: index, note },
    output: index % 3 === 0 ? null : `answer ${index}`,
    scores: { accuracy: (index % 5) / 4 },
    metadata: { model: `m${index % 3}`, '\ufeffkey': index, big: 2 ** 53 },
    tags: ['a', `t${index % 4}`],
  }));

const records = (prefix: string, note: string) =>
  rows(prefix, note).map(({ id, input, metadata, tags }) => ({ id, input, metadata, tags }));

async function insert(
  server: TestServer,
  where: string,
  events: readonly object[],
): Promise<string> {
  const answer = await server.request('POST', `${where}/insert`, { events });
  answer.json();
  return answer.headers.get('x-evalstore-version')!;
}

async function cursorsOf(server: TestServer, paths: readonly string[], sources: readonly string[]) {
  const fetched = await Promise.all(paths.map((each) => server.get(`${each}/fetch?limit=3`)));
  const asked = await Promise.all(
    sources.map(async (source) => {
      const query = `select: id | from: ${source} | limit: 3`;
      return await server.post('/query', { query });
    }),
  );
  return [...fetched, ...asked].map(({ cursor }) => String(cursor));
}

/** The server takes rows of small numbers into segments, so that both kinds of storage are attacked. */
export async function openTargets(): Promise<Targets> {
  const dir = await mkdtemp(path.join(tmpdir(), 'evalstore-'));
  await (await startServer({ dir })).stop();
  await addOrganisation(dir);
  const environment = {
    EVALSTORE_LOG_LEVEL: 'warn',
    EVALSTORE_FLUSH_ROWS: '500',
    // Without a limit, garbage of hundreds of megabytes stays uncollected, and hides what is still in use.
    NODE_OPTIONS: `--max-old-space-size=${heapMb}`,
  };
  const server = await startServer({ dir, environment });
  const project = await createProject(server);
  const shown = await createExperiment(server, project.id, { name: 'shown', public: true });
  const own = await createExperiment(server, project.id, { name: 'own' });
  const dataset = await createDataset(server, { project_id: project.id });
  const prompt = await createNamed(server, 'prompt', { project_id: project.id, slug: 'prompt' });
  const role = await createNamed(server, 'role');
  const hidden = await createProject(server);
  const secret = await createExperiment(server, hidden.id, { name: 'secret' });
  const paths = [
    `/v1/project_logs/${project.id}`,
    `/v1/experiment/${shown.id}`,
    `/v1/experiment/${own.id}`,
    `/v1/dataset/${dataset.id}`,
  ];
  const versions = [
    await insert(server, paths[0]!, rows('log', 'l')),
    await insert(server, paths[1]!, rows('shown', 's')),
    await insert(server, paths[2]!, rows('own', 'o')),
    await insert(server, paths[3]!, records('record', 'r')),
    await insert(server, `/v1/project_logs/${hidden.id}`, rows('hidden', secretText)),
    await insert(server, `/v1/experiment/${secret.id}`, rows('secret', secretText)),
  ];
  const sources = [
    `project('${project.id}')`,
    `experiment('${shown.id}', '${own.id}')`,
    `project_logs('${project.id}') traces`,
    `dataset(${dataset.id})`,
    `audit_log('${String(project['org_id'])}')`,
  ];
  const victims = await Promise.all(
    Array.from({ length: 20 }, async () => (await createExperiment(server, project.id)).id),
  );
  return {
    server,
    ids: [project.id, shown.id, own.id, dataset.id, prompt.id, role.id],
    victims,
    secrets: [hidden.id, secret.id],
    cursors: await cursorsOf(server, paths, [sources[0]!, sources[1]!, sources[3]!]),
    versions,
    eventIds: ['log1', 'shown2', 'own3', 'record4', ''],
    sources,
    close: async () => {
      await server.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
