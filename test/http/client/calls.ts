// One call of every operation by the client that is generated from the reference. Compiled by the test.
import assert from 'node:assert/strict';
import * as api from './client.js';

const name = (kind: string) => `generated client, ${kind}`;

async function projects(): Promise<string> {
  const { id } = await api.createProject({ name: name('project'), settings: { theme: 'dark' } });
  assert.equal((await api.putProject({ name: name('project') })).id, id);
  assert.equal((await api.getProject(id)).name, name('project'));
  assert.equal((await api.patchProject(id, { description: 'patched' })).description, 'patched');
  const { objects } = await api.listProjects({ limit: 1, projectName: name('project') });
  assert.equal(objects[0]?.id, id);
  return id;
}

async function projectLogs(projectId: string): Promise<void> {
  const { row_ids } = await api.insertProjectLogEvents(projectId, {
    events: [{ id: 'log', input: 'question', metrics: { tokens: 7, temperature: 'warm' } }],
  });
  assert.deepEqual(row_ids, ['log']);
  const { events, cursor } = await api.fetchProjectLogEvents(projectId, { limit: 5 });
  assert.equal(events[0]?.metrics?.tokens, 7);
  assert.equal(cursor, null);
  const found = await api.findProjectLogEvents(projectId, {
    filters: [{ type: 'path_lookup', path: ['input'], value: 'question' }],
  });
  assert.equal(found.events[0]?.log_id, 'g');
  const feedback = [{ id: 'log', scores: { human: 1 }, comment: 'good' }];
  assert.deepEqual(await api.giveProjectLogFeedback(projectId, { feedback }), {
    status: 'success',
  });
  const { comments } = await api.listProjectLogFeedback(projectId, { eventId: 'log' });
  assert.equal(comments[0]?.comment, 'good');
}

async function datasets(projectId: string): Promise<string> {
  const { id } = await api.createDataset({ project_id: projectId, name: name('dataset') });
  assert.equal((await api.putDataset({ project_id: projectId, name: name('dataset') })).id, id);
  assert.equal((await api.getDataset(id)).project_id, projectId);
  assert.deepEqual((await api.patchDataset(id, { tags: ['a'] })).tags, ['a']);
  assert.equal((await api.listDatasets({ ids: [id] })).objects.length, 1);
  await api.insertDatasetEvents(id, { events: [{ id: 'record', input: 1, expected: 2 }] });
  assert.equal((await api.fetchDatasetEvents(id, {})).events[0]?.id, 'record');
  assert.equal((await api.findDatasetEvents(id, {})).events[0]?.dataset_id, id);
  await api.giveDatasetFeedback(id, { feedback: [{ id: 'record', comment: 'fine' }] });
  assert.equal((await api.listDatasetFeedback(id, {})).comments[0]?.event_id, 'record');
  const summary = await api.summarizeDataset(id, { summarizeData: true });
  assert.equal(summary.data_summary?.total_records, 1);
  const versions = (await api.listDatasetVersions(id, {})).objects;
  assert.ok(versions.every(({ rows_written }) => rows_written === 1));
  return id;
}

async function experiments(projectId: string, datasetId: string): Promise<string> {
  const create = { project_id: projectId, name: name('experiment'), dataset_id: datasetId };
  const { id } = await api.createExperiment(create);
  assert.equal((await api.putExperiment(create)).id, id);
  assert.equal((await api.getExperiment(id)).dataset_id, datasetId);
  assert.equal((await api.patchExperiment(id, { public: true })).public, true);
  assert.equal((await api.listExperiments({ projectId })).objects[0]?.id, id);
  await api.insertExperimentEvents(id, { events: [{ id: 'event', scores: { exact: 1 } }] });
  assert.equal((await api.fetchExperimentEvents(id, {})).events[0]?.scores?.['exact'], 1);
  assert.equal((await api.findExperimentEvents(id, { limit: 0 })).events.length, 0);
  await api.giveExperimentFeedback(id, { feedback: [{ id: 'event', expected: 'a' }] });
  assert.deepEqual((await api.listExperimentFeedback(id, {})).audit[0]?.changes, { expected: 'a' });
  const summary = await api.summarizeExperiment(id, { summarizeScores: true });
  assert.equal(summary.scores?.['exact']?.score, 1);
  return id;
}

async function prompts(projectId: string): Promise<string> {
  const create = { project_id: projectId, name: name('prompt'), slug: 'generated' };
  const { id } = await api.createPrompt(create);
  const replaced = await api.replacePrompt({
    ...create,
    prompt_data: { prompt: { content: 'c' } },
  });
  assert.equal(replaced.id, id);
  assert.equal((await api.getPrompt(id, {})).prompt_data?.prompt?.content, 'c');
  assert.equal((await api.patchPrompt(id, { description: 'patched' })).slug, 'generated');
  assert.equal((await api.listPrompts({ slug: 'generated' })).objects[0]?.id, id);
  await api.givePromptFeedback(id, { feedback: [{ id, comment: 'clear' }] });
  assert.equal((await api.listPromptFeedback(id, {})).comments[0]?.event_id, id);
  return id;
}

async function functions(projectId: string): Promise<string> {
  const create = {
    project_id: projectId,
    name: name('function'),
    slug: 'depth',
    function_data: { type: 'parameters' },
  };
  const { id } = await api.createFunction(create);
  assert.equal((await api.replaceFunction(create)).id, id);
  assert.equal((await api.getFunction(id, {})).function_data.type, 'parameters');
  assert.equal((await api.patchFunction(id, { description: 'patched' })).slug, 'depth');
  assert.equal((await api.listFunctions({ slug: 'depth' })).objects[0]?.id, id);
  return id;
}

async function snapshots(datasetId: string): Promise<void> {
  const create = { dataset_id: datasetId, name: name('snapshot'), xact_id: '1' };
  const { id } = await api.createDatasetSnapshot(create);
  assert.equal((await api.putDatasetSnapshot(create)).id, id);
  assert.equal((await api.getDatasetSnapshot(id)).xact_id, '1');
  assert.equal((await api.patchDatasetSnapshot(id, { description: 'p' })).description, 'p');
  assert.equal((await api.listDatasetSnapshots({ datasetId })).objects[0]?.id, id);
  assert.equal((await api.deleteDatasetSnapshot(id)).id, id);
  const registered = await api.registerDatasetSnapshot({
    dataset_id: datasetId,
    dataset_snapshot_name: 'registered',
    xact_id: await api.getTransactionId(),
  });
  const snapshot = registered.dataset_snapshot;
  assert.deepEqual(await api.findDatasetSnapshots({ dataset_id: datasetId }), [snapshot]);
  const version = snapshot.xact_id;
  assert.equal((await api.previewRestore(datasetId, { version })).rows_to_restore, 0);
  assert.equal((await api.restoreDataset(datasetId, { version })).xact_id, null);
  await api.renameDatasetSnapshot({ id: snapshot.id, name: 'renamed' });
  assert.equal((await api.removeDatasetSnapshot({ id: snapshot.id })).name, 'renamed');
}

async function asSdk(): Promise<void> {
  const [org] = (await api.logIn()).org_info;
  assert.equal((await api.ping()).org_id, org?.id);
  assert.equal(await api.greet(), 'Hello, World!');
  await api.createProjectForSdk({ name: name('project') });
  const { project } = await api.registerProject({ project_name: name('registered') });
  assert.equal((await api.getProjectName(project.id)).name, project.name);
  assert.deepEqual(await api.getProjectAsList({ id: project.id }), [project]);
  const named = { project_id: project.id, experiment_name: 'e' };
  const { experiment } = await api.registerExperiment(named);
  assert.deepEqual(await api.findExperiment(named), [experiment]);
  const other = await api.registerExperiment({ project_id: project.id });
  const base = await api.getBaseExperiment({ id: experiment.id });
  assert.equal(base.base_exp_id, other.experiment.id);
  const { dataset } = await api.registerDataset({ project_id: project.id, dataset_name: 'd' });
  assert.deepEqual(await api.findDataset({ id: dataset.id }), [dataset]);
  const [info] = await api.getObjectInfo({ object_type: 'dataset', object_ids: [dataset.id] });
  assert.equal(info?.object_name, 'd');
  const rows = [
    { id: 'a', experiment_id: experiment.id, scores: { s: 1 } },
    { id: 'b', dataset_id: dataset.id },
  ];
  assert.deepEqual((await api.storeLogs({ rows })).ids, ['a', 'b']);
  assert.equal((await api.compareExperiments(experiment.id)).scores['s']?.score, 1);
  assert.equal((await api.sumUpDataset(dataset.id)).total_records, 1);
  const item = { project_id: project.id, name: 'p', slug: 'p' };
  assert.equal((await api.insertFunctions({ functions: [item] })).functions[0]?.slug, 'p');
}

async function roles(): Promise<void> {
  const create = { name: name('role'), member_permissions: [{ permission: 'create' as const }] };
  const { id } = await api.createRole(create);
  assert.equal((await api.putRole(create)).id, id);
  assert.equal((await api.getRole(id)).member_permissions[0]?.permission, 'create');
  assert.equal((await api.listRoles({ roleName: name('role') })).objects[0]?.id, id);
  assert.equal((await api.patchRole(id, { description: 'patched' })).description, 'patched');
  await access(id);
  assert.ok((await api.deleteRole(id)).deleted_at);
}

async function access(roleId: string): Promise<void> {
  const [organization] = (await api.listOrganizations({})).objects;
  const orgId = organization?.id ?? '';
  assert.equal((await api.getOrganization(orgId)).id, orgId);
  assert.equal((await api.patchOrganization(orgId, { api_url: 'http://a' })).api_url, 'http://a');
  const invite_users = { emails: ['a@example.com'], service_accounts: [{ name: 'robot' }] };
  const { added_users } = await api.patchOrganizationMembers({ invite_users });
  const [user, robot] = added_users.map(({ id }) => id);
  assert.equal((await api.listUsers({ email: 'a@example.com' })).objects[0]?.id, user);
  assert.equal((await api.getUser(user ?? '')).email, 'a@example.com');
  const group = await api.createGroup({ name: name('group'), member_users: [user ?? ''] });
  assert.equal((await api.getGroup(group.id)).id, group.id);
  assert.equal((await api.patchGroup(group.id, { description: 'd' })).description, 'd');
  assert.equal((await api.listGroups({ groupName: name('group') })).objects[0]?.id, group.id);
  assert.deepEqual((await api.replaceGroup({ name: name('group') })).member_users, []);
  const object = { object_type: 'organization' as const, object_id: orgId };
  const acl = await api.createAcl({ ...object, group_id: group.id, role_id: roleId });
  assert.equal((await api.getAcl(acl.id)).role_id, roleId);
  assert.deepEqual(await api.putAcl({ ...object, group_id: group.id, role_id: roleId }), acl);
  const listed = await api.listAcls(object.object_type, object.object_id, {});
  assert.ok(listed.objects.some(({ id }) => id === acl.id));
  assert.ok((await api.listAllAcls({ groupId: group.id })).objects.some(({ id }) => id === acl.id));
  const added = { ...object, user_id: user ?? '', permission: 'read' as const };
  assert.equal((await api.updateAcls({ add_acls: [added] })).added_acls.length, 1);
  assert.equal((await api.deleteAclByContent(added)).user_id, user);
  assert.equal((await api.deleteAcl(acl.id)).id, acl.id);
  assert.ok((await api.deleteGroup(group.id)).deleted_at);
  const key = await api.createApiKey({ name: name('key') });
  assert.equal((await api.listApiKeys({ apiKeyName: name('key') })).objects[0]?.id, key.id);
  assert.equal((await api.getApiKey(key.id)).preview_name, `es-***${key.key.slice(-4)}`);
  assert.equal((await api.deleteApiKey(key.id)).id, key.id);
  const { objects } = await api.listAuditLog({ objectId: key.id, limit: 1 });
  assert.equal(objects[0]?.action, 'delete');
  const account = { name: name('token'), service_account_id: robot ?? '' };
  const token = await api.createServiceToken(account);
  const tokens = await api.listServiceTokens({ serviceTokenName: name('token') });
  assert.equal(tokens.objects[0]?.id, token.id);
  assert.equal((await api.getServiceToken(token.id)).service_account_id, robot);
  assert.equal((await api.deleteServiceToken(token.id)).id, token.id);
}

async function allAtOnce(projectId: string, experimentId: string): Promise<void> {
  const rows = await api.insertEvents({
    project_logs: { [projectId]: { events: [{ id: 'second log' }] } },
    experiment: { [experimentId]: { events: [{ id: 'second event' }] } },
  });
  assert.deepEqual(rows.experiment?.[experimentId]?.row_ids, ['second event']);
  const answer = await api.runQuery({
    query: `measures: count(1) as n | from: experiment('${experimentId}')`,
  });
  assert.ok(typeof answer === 'object');
  assert.deepEqual(answer.data, [{ n: 2 }]);
  const same = await api.runQueryByOtherName({
    query: `select: id | from: experiment('${experimentId}') | limit: 1`,
  });
  assert.ok(typeof same === 'object' && same.data.length === 1);
  const own = await api.runExperimentQuery(experimentId, {
    query: `select: id | from: experiment('${experimentId}') | limit: 1`,
  });
  assert.ok(typeof own === 'object' && own.data.length === 1);
  const { url } = await api.offerDownload({
    query: `select: id | from: experiment('${experimentId}') | limit: 1`,
  });
  const { objects: running } = await api.listQueries();
  assert.ok(running.every(({ state }) => state === 'running' || state === 'waiting'));
  await assert.rejects(api.cancelQuery(experimentId), /400/);
  const saved = await api.download(tokenOf(url));
  assert.ok(typeof saved === 'object' && saved.data.length === 1);
}

async function removals(projectId: string, experimentId: string, datasetId: string): Promise<void> {
  const { id } = await api.purgeProjectLogEvents(projectId, { ids: ['unknown'] });
  const { kind } = await api.getJob(id);
  assert.equal(kind, 'purge');
  await api.purgeExperimentEvents(experimentId, { filter: "metadata.user = 'nobody'" });
  await api.purgeDatasetEvents(datasetId, { ids: ['unknown'] });
  assert.deepEqual(await api.previewRetention(projectId), { cutoff: null, rows: 0, bytes: 0 });
  await api.patchProject(projectId, { settings: { retention_days: 30, other: true } });
  const { cutoff } = await api.previewRetention(projectId);
  assert.ok(cutoff !== null);
  assert.ok((await api.runRetention(projectId)).id);
}

async function tables(projectId: string): Promise<void> {
  assert.notDeepEqual((await api.getCatalogConfig()).overrides, {});
  const { namespace, properties } = await api.getNamespace(projectId);
  assert.equal(properties.project_id, projectId);
  const { namespaces } = await api.listNamespaces();
  assert.ok(namespaces.some(([each]) => each === namespace[0]));
  // The server has no bucket.
  assert.deepEqual((await api.listTables(projectId)).identifiers, []);
  await assert.rejects(api.loadTable(projectId), /404/);
  assert.equal(await api.reportMetrics(projectId, new Blob(['{}'])), null);
}

const tokenOf = (address: string): { readonly token: string } => ({
  token: new URL(address).searchParams.get('token') ?? '',
});

async function attachments(experimentId: string): Promise<void> {
  const key = name('attachment').replaceAll(' ', '-');
  const said = { key, filename: 'a.txt', content_type: 'text/plain' };
  const { signedUrl } = await api.announceAttachment(said);
  assert.equal(await api.uploadAttachment(new Blob(['content']), tokenOf(signedUrl)), null);
  assert.equal(await api.reportAttachment({ key, status: { upload_status: 'done' } }), null);
  const { downloadUrl, status } = await api.getAttachment({ key });
  assert.equal(status.upload_status, 'done');
  assert.equal(await api.downloadAttachment(tokenOf(downloadUrl)), 'content');
  await api.insertExperimentEvents(experimentId, {
    events: [{ input: { type: 'braintrust_attachment', key } }],
  });
  const named = await api.getExperimentAttachment(experimentId, key);
  assert.equal(named.status.upload_status, 'done');
}

async function server(): Promise<void> {
  assert.equal((await api.getHealth()).status, 'ok');
  assert.equal((await api.getReadiness()).status, 'ready');
  assert.notEqual((await api.signIn()).session, '');
  assert.equal((await api.signOut()).status, 'ok');
  assert.match((await api.getVersion()).version, /^\d+\.\d+\.\d+/);
  assert.equal((await api.getStatus()).queries?.waiting, 0);
  assert.match(await api.getMetrics(), /^evalstore_buffered_rows \d+$/m);
  assert.equal((await api.getOpenApi())['openapi'], '3.1.0');
}

async function spans(projectId: string): Promise<void> {
  const span = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), name: 'span' };
  const body = { resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] };
  const parent = { xBtParent: `project_id:${projectId}` };
  assert.deepEqual(await api.exportSpans(body, parent), {});
  assert.deepEqual(await api.exportSpansByOtherPath(body, parent), {});
}

/** @param call sends the requests, as `fetch` does */
export async function callEverything(
  url: string,
  key: string,
  call: typeof globalThis.fetch,
): Promise<void> {
  Object.assign(api.defaults, {
    baseUrl: url,
    headers: { Authorization: `Bearer ${key}` },
    fetch: call,
  });
  await server();
  const projectId = await projects();
  await projectLogs(projectId);
  const datasetId = await datasets(projectId);
  const experimentId = await experiments(projectId, datasetId);
  const promptId = await prompts(projectId);
  const functionId = await functions(projectId);
  await snapshots(datasetId);
  await roles();
  await asSdk();
  await allAtOnce(projectId, experimentId);
  await spans(projectId);
  await attachments(experimentId);
  await removals(projectId, experimentId, datasetId);
  await tables(projectId);
  assert.equal((await api.deletePrompt(promptId)).id, promptId);
  assert.equal((await api.deleteFunction(functionId)).id, functionId);
  assert.notEqual((await api.deleteExperiment(experimentId)).deleted_at, null);
  assert.notEqual((await api.deleteDataset(datasetId)).deleted_at, null);
  assert.notEqual((await api.deleteProject(projectId)).deleted_at, null);
}
