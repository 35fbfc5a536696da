// One answer of every operation, of objects that have something in every part.
import { pathOf } from '../../support/attachments.js';
import type { TestServer } from '../../support/start-server.js';
import { create, idOf, send, type Client, type Json } from './probe.js';

/** Bodies of 200s by operation. */
export type Answered = ReadonlyMap<string, unknown>;

type Ask = (operation: string, id?: string, body?: unknown) => Promise<Json>;

async function askObjects(ask: Ask, kind: string, body: Json, id: string): Promise<void> {
  await ask(`POST /v1/${kind}`, '', body);
  await ask(`PUT /v1/${kind}`, '', body);
  await ask(`GET /v1/${kind}`);
  await ask(`GET /v1/${kind}/{id}`, id);
  if (kind !== 'role') await ask(`PATCH /v1/${kind}/{id}`, id, { description: 'changed' });
}

async function askEvents(ask: Ask, kind: string, id: string): Promise<void> {
  const scores = kind === 'dataset' ? {} : { scores: { exact: 1 }, metrics: { tokens: 1 } };
  await ask(`POST /v1/${kind}/{id}/insert`, id, { events: [{ id: 'e', input: 1, ...scores }] });
  await ask(`GET /v1/${kind}/{id}/fetch`, id);
  await ask(`POST /v1/${kind}/{id}/fetch`, id, {});
}

async function askFeedback(ask: Ask, kind: string, id: string, eventId: string): Promise<void> {
  await ask(`POST /v1/${kind}/{id}/feedback`, id, { feedback: [{ id: eventId, comment: 'c' }] });
  await ask(`GET /v1/${kind}/{id}/feedback`, id);
}

/** The content is JSON, so that it is read like every other answer. */
async function askAttachments(ask: Ask, key: string): Promise<void> {
  const said = { key, filename: 'a.json', content_type: 'application/json' };
  const { signedUrl } = await ask('POST /attachment', '', said);
  await ask(`PUT ${pathOf(signedUrl)}`, '', 'null');
  await ask('POST /attachment/status', '', { key, status: { upload_status: 'done' } });
  const { downloadUrl } = await ask(`GET /attachment?key=${key}`);
  await ask(`GET ${pathOf(downloadUrl)}`);
}

const bodies = (projectId: string): Readonly<Record<string, Json>> => ({
  experiment: { name: 'e', project_id: projectId, repo_info: { commit: 'c' } },
  dataset: { name: 'd', project_id: projectId },
  prompt: { name: 'p', project_id: projectId, slug: 's' },
  function: {
    name: 'f',
    project_id: projectId,
    slug: 'f',
    function_data: { type: 'parameters' },
  },
  role: { name: 'r' },
});

type Ids = Readonly<Record<string, string>>;

async function askAsSdk(
  client: Client,
  ask: Ask,
  ids: Ids,
  answered: (operation: string, answer: unknown) => void,
): Promise<void> {
  const project_id = ids['project']!;
  const experiment_id = ids['experiment']!;
  const dataset_id = ids['dataset']!;
  for (const path of ['/v1', '/xact-id'])
    answered(`GET ${path}`, (await client.request('GET', path)).text);
  await ask('GET /ping');
  await ask(`GET /api/project?id=${project_id}`);
  await ask(`GET /experiment-comparison2?experiment_id=${experiment_id}`);
  await ask(`GET /dataset-summary?dataset_id=${dataset_id}`);
  const row = { id: 'logged', project_id };
  const fn = { project_id, name: 'g', slug: 'g' };
  const bodies: Readonly<Record<string, Json | undefined>> = {
    '/api/apikey/login': undefined,
    '/api/self/get_object_info': { object_type: 'dataset', object_ids: [dataset_id] },
    '/api/project/register': { project_name: 'registered' },
    '/api/project/get': { id: project_id },
    '/api/experiment/register': { project_id },
    '/api/experiment/get': { project_id, experiment_name: 'e' },
    '/api/base_experiment/get_id': { id: experiment_id },
    '/api/dataset/register': { project_id, dataset_name: 'd' },
    '/logs3': { rows: [row] },
    '/insert-functions': { functions: [fn] },
    '/api/dataset_snapshot/register': {
      dataset_id,
      dataset_snapshot_name: 'registered',
      xact_id: '1',
    },
    '/api/dataset_snapshot/get': { dataset_id },
  };
  for (const [path, body] of Object.entries(bodies)) await ask(`POST ${path}`, '', body);
  const [{ id }] = await snapshots(client, dataset_id);
  await ask('POST /api/dataset_snapshot/patch_id', '', { id, description: 'd' });
  await ask('POST /api/dataset_snapshot/delete_id', '', { id });
  await ask('POST /v1/dataset/{id}/restore/preview', dataset_id, { version: '1' });
  await ask('POST /v1/dataset/{id}/restore', dataset_id, { version: '1' });
}

const snapshots = async (client: Client, dataset_id: string) =>
  (await send(client, 'POST /api/dataset_snapshot/get', { dataset_id })) as unknown as readonly [
    Json,
  ];

export async function answersOf(server: TestServer): Promise<Answered> {
  const client: Client = server;
  const answers = new Map<string, unknown>();
  const ask: Ask = async (operation, id = '', body) => {
    const answer = await send(client, operation, body, id);
    answers.set(operation, answer);
    return answer;
  };
  for (const path of ['/health', '/version', '/status', '/openapi.json']) await ask(`GET ${path}`);
  for (const method of ['POST', 'DELETE']) await ask(`${method} /app/session`);
  const project = await create(client, 'project');
  const projectId = idOf(project);
  const ids: Record<string, string> = { project: projectId };
  await askObjects(ask, 'project', { name: project['name'] }, projectId);
  for (const [kind, body] of Object.entries(bodies(projectId))) {
    ids[kind] = idOf(await send(client, `POST /v1/${kind}`, body));
    await askObjects(ask, kind, body, ids[kind]);
  }
  const snapshot = { name: 's', dataset_id: ids['dataset']!, xact_id: '1' };
  ids['dataset_snapshot'] = idOf(await send(client, 'POST /v1/dataset_snapshot', snapshot));
  await askObjects(ask, 'dataset_snapshot', snapshot, ids['dataset_snapshot']);
  await create(client, 'experiment', { project_id: projectId });
  const objects = {
    project_logs: projectId,
    experiment: ids['experiment']!,
    dataset: ids['dataset']!,
  };
  for (const [kind, id] of Object.entries(objects)) {
    await askEvents(ask, kind, id);
    await askFeedback(ask, kind, id, 'e');
  }
  await askFeedback(ask, 'prompt', ids['prompt']!, ids['prompt']!);
  await ask('POST /v1/insert', '', { dataset: { [ids['dataset']!]: { events: [{}] } } });
  const query = `select: * | from: experiment('${ids['experiment']}')`;
  await ask('POST /query', '', { query });
  await ask('POST /btql', '', { query });
  await ask('POST /v1/experiment/{id}/query', ids['experiment'], { query });
  const { url } = await ask('POST /query/download', '', { query });
  await ask(`GET ${pathOf(url)}`);
  for (const path of ['/otel/v1/traces', '/v1/traces']) {
    const headers = { 'Content-Type': 'application/json' };
    answers.set(`POST ${path}`, (await client.request('POST', path, {}, { headers })).json());
  }
  await ask('GET /v1/experiment/{id}/summarize?summarize_scores=true', ids['experiment']);
  await ask('GET /v1/dataset/{id}/versions', ids['dataset']);
  await ask('GET /v1/dataset/{id}/summarize?summarize_data=true', ids['dataset']);
  await askAttachments(ask, 'of-answers');
  await askAsSdk(client, ask, ids, (operation, answer) => answers.set(operation, answer));
  for (const kind of [
    'prompt',
    'function',
    'dataset_snapshot',
    'dataset',
    'experiment',
    'project',
  ]) {
    await ask(`DELETE /v1/${kind}/{id}`, ids[kind]);
  }
  return new Map(Array.from(answers, ([operation, answer]) => [operation.split('?')[0]!, answer]));
}
