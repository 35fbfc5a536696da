// One answer of every operation, of objects that have something in every part.
import { pathOf } from '../support/attachments.js';
import type { TestServer } from '../support/start-server.js';
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
  role: { name: 'r' },
});

export async function answersOf(server: TestServer): Promise<Answered> {
  const client: Client = server;
  const answers = new Map<string, unknown>();
  const ask: Ask = async (operation, id = '', body) => {
    const answer = await send(client, operation, body, id);
    answers.set(operation, answer);
    return answer;
  };
  for (const path of ['/health', '/version', '/openapi.json']) await ask(`GET ${path}`);
  const project = await create(client, 'project');
  const projectId = idOf(project);
  const ids: Record<string, string> = { project: projectId };
  await askObjects(ask, 'project', { name: project['name'] }, projectId);
  for (const [kind, body] of Object.entries(bodies(projectId))) {
    ids[kind] = idOf(await send(client, `POST /v1/${kind}`, body));
    await askObjects(ask, kind, body, ids[kind]);
  }
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
  await ask('GET /v1/experiment/{id}/summarize?summarize_scores=true', ids['experiment']);
  await ask('GET /v1/dataset/{id}/summarize?summarize_data=true', ids['dataset']);
  await askAttachments(ask, 'of-answers');
  for (const kind of ['prompt', 'dataset', 'experiment', 'project']) {
    await ask(`DELETE /v1/${kind}/{id}`, ids[kind]);
  }
  return new Map(Array.from(answers, ([operation, answer]) => [operation.split('?')[0]!, answer]));
}
