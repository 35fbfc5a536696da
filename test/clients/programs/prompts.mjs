// Prompts and parameters of the SDK: published, published again, loaded as they are and as they were.
import { loadPrompt, projects } from 'braintrust';
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

report({ first, second, past, byId: byId.build({ name: 'Ada' }) });
