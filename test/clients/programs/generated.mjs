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
// Every kind of object: listed page by page, changed, read, deleted.
const kinds = {};
for (const [kind, id] of Object.entries({
  project: project.id,
  experiment: experiment.id,
  dataset: dataset.id,
  prompt: prompt.id,
})) {
  const changed = await client[kind].update(id, { description: 'changed', name: `${kind} 2` });
  const read = await client[kind].retrieve(id);
  kinds[kind] = { changed: changed.name, read: read.name };
}
for (let index = 0; index < 5; index++)
  await client.experiment.create({ project_id: project.id, name: `page ${index}` });
const pages = [];
for await (const { name } of client.experiment.list({ project_name: 'project 2', limit: 2 }))
  pages.push(name);
const ids = [
  experiment.id,
  (await client.experiment.list({ experiment_name: 'page 3' })).objects[0].id,
];
const byIds = (await client.experiment.list({ ids })).objects.map(({ name }) => name);

// Events: a merge, feedback, a filter, a version, a deletion.
await client.experiment.insert(experiment.id, {
  events: [{ id: 'a', _is_merge: true, output: 2, metadata: { model: 'small' } }],
});
await client.experiment.feedback(experiment.id, {
  feedback: [{ id: 'a', scores: { human: 0.5 }, comment: 'fine', source: 'api' }],
});
await client.experiment.insert(experiment.id, { events: [{ id: 'b', input: 2 }] });
const filtered = await client.experiment.fetchPost(experiment.id, {
  filters: [{ type: 'path_lookup', path: ['metadata', 'model'], value: 'small' }],
});
const records = await client.dataset.fetch(dataset.id);
const datasetSummary = await client.dataset.summarize(dataset.id, { summarize_data: true });
await client.project.logs.insert(project.id, { events: [{ id: 'l', input: 'logged' }] });
const logs = await client.project.logs.fetch(project.id, { limit: 1 });
await client.prompt.delete(prompt.id);
const gone = await client.prompt.retrieve(prompt.id).catch((error) => error);

// Access: PUT replaces a group, and finds an ACL by what it grants.
const group = await client.group.create({ name: 'reviewers', description: 'first' });
const replacedGroup = await client.group.replace({ name: 'reviewers', description: 'second' });
const changedGroup = await client.group.update(group.id, { member_groups: [] });
const role = await client.role.create({ name: 'readers', member_permissions: ['read'] });
const inheriting = await client.role.create({ name: 'inheriting' });
const changedRole = await client.role.update(inheriting.id, {
  member_permissions: ['update'],
  member_roles: [role.id],
});
const grant = { object_type: 'group', object_id: group.id, group_id: group.id, permission: 'read' };
const acl = await client.acl.create(grant);
const replacedAcl = await client.acl.replace(grant);

const refused = await client.project.retrieve('17').catch((error) => error);

report({
  access: {
    group: [group.id === replacedGroup.id, replacedGroup.description],
    acl: replacedAcl.id === acl.id,
    members: changedGroup.member_groups,
    created: role.member_permissions,
    changed: [changedRole.member_permissions, changedRole.member_roles.length],
  },
  kinds,
  pages,
  byIds,
  filtered: filtered.events,
  records: records.events,
  datasetSummary,
  logs: logs.events,
  gone: gone.status,
  greeting,
  prompt,
  events,
  summary,
  listed,
  refused: refused.status,
});
