// @braintrust/api, the client that is generated from the interface.
import { Braintrust } from '@braintrust/api';
import { report } from './report.mjs';

const client = new Braintrust({
  baseURL: process.env.BRAINTRUST_API_URL,
  apiKey: process.env.BRAINTRUST_API_KEY,
});

const greeting = await client.topLevel.helloWorld();
const project = await client.project.create({ name: 'generated' });
const experiment = await client.experiment.create({ project_id: project.id, name: 'e' });
await client.experiment.insert(experiment.id, {
  events: [{ id: 'a', input: 1, scores: { exact: 1 } }],
});
const { events } = await client.experiment.fetch(experiment.id, { limit: 5 });
const summary = await client.experiment.summarize(experiment.id, { summarize_scores: true });
const dataset = await client.dataset.create({ project_id: project.id, name: 'd' });
await client.dataset.insert(dataset.id, { events: [{ id: 'r', input: 1, expected: 2 }] });
const prompt = await client.prompt.create({ project_id: project.id, name: 'p', slug: 'p' });
const listed = [];
for await (const { name } of client.project.list({ limit: 1 })) listed.push(name);
const refused = await client.project.retrieve('17').catch((error) => error);

report({ greeting, prompt, events, summary, listed, refused: refused.status });
