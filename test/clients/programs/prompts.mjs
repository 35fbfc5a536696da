// Prompts and parameters of the SDK: published, published again, loaded as they are and as they were.
import { loadParameters, loadPrompt, projects } from 'braintrust';
import { report } from './report.mjs';

const publish = async (content) => {
  const project = projects.create({ name: 'prompts' });
  project.prompts.create({
    name: 'Answer',
    slug: 'answer',
    model: 'small',
    messages: [{ role: 'user', content }],
  });
  await project.publish();
};

const load = async (version) => {
  const slug = { projectName: 'prompts', slug: 'answer' };
  const prompt = await loadPrompt({ ...slug, ...(version === undefined ? {} : { version }) });
  return { id: prompt.id, version: prompt.version, built: prompt.build({ name: 'Ada' }) };
};

await publish('Hello {{name}}');
const first = await load();
await publish('Goodbye {{name}}');
const second = await load();
const past = await load(first.version);
const byId = await loadPrompt({ id: first.id, version: first.version });

// As `braintrust push` does, which is no function of the package.
const post = async (path, body) => {
  const headers = { Authorization: `Bearer ${process.env.BRAINTRUST_API_KEY}` };
  const url = `${process.env.BRAINTRUST_API_URL}${path}`;
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  return answer.json();
};
const { project } = await post('/api/project/register', { project_name: 'prompts' });
const depth = { type: 'object', properties: { depth: { type: 'number', default: 3 } } };
await post('/insert-functions', {
  functions: [
    {
      project_id: project.id,
      name: 'Depth',
      slug: 'depth',
      description: '',
      function_type: 'parameters',
      function_data: { type: 'parameters', data: { depth: 3 }, __schema: depth },
      if_exists: 'replace',
    },
  ],
});
const loaded = await loadParameters({ projectName: 'prompts', slug: 'depth' });

report({
  parameters: { id: loaded.id, data: loaded.data },
  first,
  second,
  past,
  byId: byId.build({ name: 'Ada' }),
});
