// A project with everything in it, and what has to be the same in its copy.
import { randomUUID } from 'node:crypto';
import { download, find, uploaded } from './attachments.js';
import { createDataset, createExperiment, createProject, listObjects } from './objects.js';
import type { Json } from './client.js';
import type { TestServer } from './test-server.js';

const prompt = (content: string) => ({ prompt: { type: 'completion', content } });

/** Returns the name of the project. Its objects have names that differ in case alone, with slashes and accents. */
export async function fillProject(server: TestServer): Promise<string> {
  const fields = { description: 'all', settings: { comparison_key: 'input' } };
  const { id: project_id, name } = await createProject(server, {
    name: `a/ü ${randomUUID()}`,
    ...fields,
  });
  const dataset = await createDataset(server, { project_id, name: 'd/é', tags: ['t'] });
  await createDataset(server, { project_id, name: 'D/é' });
  const into = `dataset/${dataset.id}`;
  // Numbers that a double does not hold, and keys in an order that JavaScript would change.
  const exact = '{"events":[{"id":"a","input":{"10":1,"2":12345678901234567890123}},{"id":"b"}]}';
  const first = await server.write(`/v1/${into}/insert`, exact);
  await server.insert(into, [{ id: 'a', _object_delete: true }]);
  const key = await uploaded(server, 'bytes', { content_type: 'text/plain' });
  await server.insert(into, [
    { id: 'c', input: [{ type: 'braintrust_attachment', key, filename: 'f', content_type: '' }] },
  ]);
  const second = await server.insert(into, [{ id: 'b', expected: 'later' }]);
  await server.post('/v1/dataset_snapshot', { dataset_id: dataset.id, name: 's', xact_id: second });
  const versions = ['one', 'two', 'three'];
  for (const content of versions) {
    const sent = { project_id, name: content, slug: 'p', prompt_data: prompt(content) };
    await server.request('PUT', '/v1/prompt', sent).then((answer) => answer.json());
  }
  const [stored] = await listObjects(server, `/v1/prompt?project_id=${project_id}`);
  const renamed = { slug: 'renamed', description: 'x' };
  await server
    .request('PATCH', `/v1/prompt/${stored!.id}`, renamed)
    .then((answer) => answer.json());
  await server.post(`/v1/prompt/${stored!.id}/feedback`, {
    feedback: [{ id: stored!.id, comment: 'of a prompt' }],
  });
  await server.post('/v1/function', {
    project_id,
    name: 'f',
    slug: 'f',
    function_data: { type: 'parameters', x: 1 },
  });
  const [later, earlier] = [{ name: 'E' }, { name: 'e', metadata: { n: 1 } }];
  const pinned = { dataset_id: dataset.id, dataset_version: first };
  const base = await createExperiment(server, project_id, { ...earlier, ...pinned });
  await createExperiment(server, project_id, { ...later, base_exp_id: base.id });
  await server.insert(`experiment/${base.id}`, [
    { id: 'r', output: 1.5, scores: { s: 0.5 }, created: '2020-01-02T03:04:05.678901Z' },
    { id: 'k', output: 'text', _parent_id: 'r', tags: ['x', 'y'], dataset_record_id: 'a' },
  ]);
  await server.post(`/v1/experiment/${base.id}/feedback`, {
    feedback: [{ id: 'r', comment: 'good', source: 'app', scores: { human: 1 } }],
  });
  await server.insert(`project_logs/${project_id}`, [{ id: 'l', input: true, error: 'E' }]);
  return name;
}

const assigned = /^(id|created|_xact_id|user_id|org_id|project_id|dataset_id)$/;

/** Without what the server assigns. */
const portable = (value: Json): Json =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !assigned.test(name)));

/** Ids of spans are values of users, and stay. */
const ofServer =
  /"(?:_xact_id|_pagination_key|org_id|project_id|experiment_id|dataset_id)":"[^"]*",?/g;

const linesOf = (text: string): readonly string[] => text.replaceAll(ofServer, '').split('\n');

/** What a project holds, as text where digits and the order of keys count. */
export async function contentOf(server: TestServer, name: string) {
  const text = async (query: string, more: object = {}) => {
    const answer = await server.request('POST', '/query', { query, fmt: 'jsonl', ...more });
    if (answer.status !== 200) throw new Error(answer.text);
    return linesOf(answer.text);
  };
  const [project] = await listObjects(
    server,
    `/v1/project?project_name=${encodeURIComponent(name)}`,
  );
  const inProject = `project_id=${project!.id}`;
  const named = async (kind: string) => await listObjects(server, `/v1/${kind}?${inProject}`);
  const experiments = await named('experiment');
  const nameOf = new Map(
    [...experiments, ...(await named('dataset'))].map(({ id, name: said }) => [id, said]),
  );
  const eventsOf = async (source: string) => await text(`select: * | from: ${source} | sort: id`);
  const comments = async (kind: string, id: string) => {
    const listed = await server.get(`/v1/${kind}/${id}/feedback`);
    const entries = listed['comments'] as readonly Json[];
    return entries.map(({ event_id, comment, source }) => ({
      event: kind === 'prompt' ? null : event_id,
      comment,
      source,
    }));
  };
  const datasets = [];
  for (const { id, ...fields } of await named('dataset')) {
    const snapshots = await listObjects(server, `/v1/dataset_snapshot?dataset_id=${id}`);
    const pinned = [];
    for (const { name: said, xact_id: version } of snapshots)
      pinned.push([said, await text(`select: * | from: dataset('${id}') | sort: id`, { version })]);
    datasets.push([portable(fields), await eventsOf(`dataset('${id}')`), pinned]);
  }
  const evaluated = [];
  for (const experiment of experiments) {
    const { id, base_exp_id: base, dataset_id, dataset_version: version, ...fields } = experiment;
    evaluated.push({
      ...portable(fields),
      base: nameOf.get(String(base)) ?? null,
      dataset:
        version === null
          ? null
          : await text(`select: * | from: dataset('${String(dataset_id)}') | sort: id`, {
              version,
            }),
      events: await eventsOf(`experiment('${id}')`),
      comments: await comments('experiment', id),
    });
  }
  const promptText = `select: name, slug, description, prompt_data, function_data | from: project_functions('${project!.id}') | sort: _xact_id`;
  const [prompt_] = await named('prompt');
  const keys = (await text(`select: input | from: project('${project!.id}') | filter: id = 'c'`))
    .join('')
    .match(/"key":"([^"]*)"/);
  const attachment = keys === null ? null : await find(server, keys[1]!);
  return {
    project: { ...portable(project!), name: '' },
    datasets,
    evaluated,
    prompts: await text(promptText, { audit_log: true }),
    ofPrompt: prompt_ === undefined ? [] : await comments('prompt', prompt_.id),
    logs: await eventsOf(`project_logs('${project!.id}')`),
    attachment: attachment === null ? null : (await download(server, attachment.address)).text,
  };
}
