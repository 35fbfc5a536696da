// Erasure and retention over HTTP: what leaves, what stays, and what is told of it.
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { download, filesOf, find, uploaded } from '../support/attachments.js';
import { endOfJob, type Job } from '../support/jobs.js';
import { createDataset, createExperiment, createProject } from '../support/objects.js';
import { outcome, sharedServer, type Json } from '../support/start-server.js';
import { asking } from './access/asking.js';

const dayMs = 24 * 3_600_000;

const daysAgo = (days: number) => new Date(Date.now() - days * dayMs).toISOString();

const of = (user: string) => ({ metadata: { user } });

const naming = (id: string, key: string) => ({
  id,
  input: { type: 'braintrust_attachment', key, filename: 'f', content_type: 't' },
});

describe('removals', () => {
  const server = sharedServer();
  const { addAccount } = asking(server);

  async function purge(object: string, body: Json): Promise<Job> {
    const { id } = await server().post(`/v1/${object}/purge`, body);
    return endOfJob(server(), id as string);
  }

  const ids = async (object: string) =>
    (await server().events(object)).map(({ id }) => id as string).sort();

  const audit = async (objectId: string): Promise<readonly Json[]> =>
    (await server().get(`/v1/audit_log?object_id=${objectId}`))['objects'] as readonly Json[];

  const retention = (projectId: string) => server().get(`/v1/project/${projectId}/retention`);

  async function runRetention(projectId: string): Promise<Job> {
    const { id } = await server().post(`/v1/project/${projectId}/retention`);
    return endOfJob(server(), id as string);
  }

  it('take the answers with them that are kept for reads in parts', async () => {
    const { id } = await createProject(server());
    await server().insert(`project_logs/${id}`, [{ id: 'a', input: 'words of Ann' }]);
    const query = `select: input | from: project_logs('${id}')`;
    const { url } = await server().post('/query/download', { query });
    const head = { method: 'HEAD' };
    expect((await fetch(url as string, head)).status).to.equal(200);
    const kept = async () =>
      (await readdir(path.join(server().dir, 'tmp'))).filter((name) =>
        name.startsWith('download-'),
      );
    expect(await kept()).to.have.lengthOf(1);
    await purge(`project_logs/${id}`, { ids: ['a'] });
    expect(await kept()).to.deep.equal([]);
    const gone = await fetch(url as string);
    expect([gone.status, await gone.text()]).to.deep.equal([
      401,
      'token: the URL has expired: request another one',
    ]);
  });

  it('by retention are set by those alone who may delete', async () => {
    const { id } = await createProject(server());
    const { id: user, service_token: token } = await addAccount();
    const grant = (permission: string) =>
      server().post('/v1/acl', {
        object_type: 'project',
        object_id: id,
        user_id: user,
        permission,
      });
    const change = (settings: object) =>
      server().request('PATCH', `/v1/project/${id}`, { settings }, { key: token });
    await grant('update');
    await grant('read');
    expect((await change({ comparison_key: 'input' })).status).to.equal(200);
    expect(await outcome(change({ retention_days: 1 }))).to.deep.equal([
      403,
      'settings: this key may not delete the project, so it may not let its events expire',
    ]);
    await grant('delete');
    expect((await change({ retention_days: 1 })).status).to.equal(200);
  });

  describe('by a filter', () => {
    it('take all versions and the feedback of the events whose live row passes it, and nothing else', async () => {
      const { id } = await createProject(server());
      const object = `project_logs/${id}`;
      const before = await server().insert(object, [
        { id: 'ann', input: 'first words of Ann', ...of('ann') },
        { id: 'was-ann', input: 'of Bob now', ...of('ann') },
        { id: 'bob', input: 'words of Bob', ...of('bob') },
      ]);
      await server().insert(object, [
        { id: 'ann', input: 'last words of Ann', ...of('ann') },
        { id: 'was-ann', input: 'of Bob now', ...of('bob') },
      ]);
      await server().post(`/v1/${object}/feedback`, {
        feedback: [
          { id: 'ann', comment: 'a comment about Ann' },
          { id: 'bob', comment: 'a comment about Bob' },
        ],
      });
      const others = (await server().events(object)).filter((event) => event['id'] !== 'ann');
      const job = await purge(object, { filter: "metadata.user = 'ann'" });
      expect(job).to.deep.include({ kind: 'purge', state: 'done', rows: 4, error: null });
      expect(Date.parse(job.finished!)).to.be.at.least(Date.parse(job.started));
      expect(await server().events(object)).to.deep.equal(others);
      expect(
        (await server().events(object, `?version=${before}`)).map((row) => row['id']),
      ).to.have.members(['was-ann', 'bob']);
      const { comments, audit: entries } = await server().get(`/v1/${object}/feedback`);
      const about = [...(comments as Json[]), ...(entries as Json[])].map((e) => e['event_id']);
      expect(about).to.deep.equal(['bob', 'bob']);
    });

    it('leave an audit entry without content, and neither the filter nor a list on the disk', async () => {
      const { id } = await createProject(server());
      const object = `project_logs/${id}`;
      await server().insert(object, [{ id: 'e', metadata: { user: 'zebra-7' } }]);
      const job = await purge(object, { filter: "metadata.user = 'zebra-7'" });
      const [entry] = await audit(id);
      expect(entry).to.include({ action: 'purge', object_type: 'project', object_id: id });
      expect(entry!['object_name']).to.match(new RegExp(`: 1 row versions, job ${job.id}$`));
      expect(await readdir(path.join(server().dir, 'jobs'))).to.deep.equal([]);
      for (const name of await readdir(server().dir))
        if (name.startsWith('meta.duckdb'))
          expect((await readFile(path.join(server().dir, name))).includes('zebra-7')).to.equal(
            false,
          );
    });

    it('find what was inserted the moment before, and the entity tag changes', async () => {
      const { id } = await createProject(server());
      const { id: experiment } = await createExperiment(server(), id);
      const object = `experiment/${experiment}`;
      await server().insert(object, [
        { id: 'a', input: 1 },
        { id: 'b', input: 2 },
      ]);
      const page = await server().request('GET', `/v1/${object}/fetch`);
      await purge(object, { filter: 'input = 1' });
      const headers = { 'if-none-match': page.headers.get('etag')! };
      const again = await server().request('GET', `/v1/${object}/fetch`, undefined, { headers });
      expect(again.status).to.equal(200);
      expect(await ids(object)).to.deep.equal(['b']);
    });
  });

  describe('by ids', () => {
    for (const kind of ['project_logs', 'experiment', 'dataset'])
      it(`take these events of ${kind}, deleted ones too, and ignore unknown ids`, async () => {
        const { id: project_id } = await createProject(server());
        const id =
          kind === 'project_logs'
            ? project_id
            : kind === 'experiment'
              ? (await createExperiment(server(), project_id)).id
              : (await createDataset(server(), { project_id })).id;
        const object = `${kind}/${id}`;
        const before = await server().insert(object, [{ id: 'a' }, { id: 'b' }, { id: 'gone' }]);
        await server().insert(object, [{ id: 'gone', _object_delete: true }]);
        const job = await purge(object, { ids: ['a', 'gone', 'never'] });
        expect(job).to.include({ state: 'done', rows: 3 });
        expect(await ids(object)).to.deep.equal(['b']);
        expect(await server().events(object, `?version=${before}`)).to.have.length(1);
        expect(await purge(object, { ids: ['never'] })).to.include({ state: 'done', rows: 0 });
      });
  });

  describe('of attachments', () => {
    it('take the files that only the events named, and keep those that others name', async () => {
      const { id } = await createProject(server());
      const other = `project_logs/${(await createProject(server())).id}`;
      const object = `project_logs/${id}`;
      const [own, shared, elsewhere] = [
        await uploaded(server(), 'own'),
        await uploaded(server(), 'shared'),
        await uploaded(server(), 'elsewhere'),
      ];
      await server().insert(object, [
        naming('a', own),
        { ...naming('a2', shared), root_span_id: 'a' },
        naming('b', shared),
        naming('c', elsewhere),
      ]);
      await server().insert(other, [naming('d', elsewhere)]);
      const { address } = await find(server(), own);
      const count = (await filesOf(server().dir)).length;
      await purge(object, { ids: ['a', 'a2', 'c'] });
      expect(await filesOf(server().dir)).to.have.length(count - 1);
      expect((await download(server(), address)).status).to.equal(400);
      for (const [key, content] of [
        [shared, 'shared'],
        [elsewhere, 'elsewhere'],
      ] as const)
        expect((await download(server(), (await find(server(), key)).address)).text).to.equal(
          content,
        );
      await purge(object, { ids: ['b'] });
      expect(await filesOf(server().dir)).to.have.length(count - 2);
    });
  });

  describe('by retention', () => {
    it('take whole traces whose newest row is older, as the dry run said', async () => {
      const { id } = await createProject(server(), { settings: { retention_days: 3 } });
      const object = `project_logs/${id}`;
      const root_span_id = 'mixed';
      await server().insert(object, [
        { id: 'old', created: daysAgo(5) },
        { id: 'mixed', root_span_id, created: daysAgo(5) },
        { id: 'mixed-new', root_span_id, span_parents: ['mixed'], created: daysAgo(1) },
        { id: 'new', created: daysAgo(2) },
      ]);
      await server().insert(object, [{ id: 'old', created: daysAgo(4), input: 'again' }]);
      const dry = await retention(id);
      const hour = Math.floor(Date.now() / 3_600_000) * 3_600_000;
      expect(Date.parse(dry['cutoff'] as string)).to.be.closeTo(hour - 3 * dayMs, 3_600_000);
      expect(Date.parse(dry['cutoff'] as string) % 3_600_000).to.equal(0);
      expect(dry['rows']).to.equal(2);
      expect(await ids(object)).to.deep.equal(['mixed', 'mixed-new', 'new', 'old']);
      const job = await runRetention(id);
      expect(job).to.deep.include({ kind: 'retention', state: 'done', rows: 2, error: null });
      expect(await ids(object)).to.deep.equal(['mixed', 'mixed-new', 'new']);
      expect(await retention(id)).to.deep.include({ rows: 0, bytes: 0 });
      expect(await runRetention(id)).to.include({ state: 'done', rows: 0 });
      expect((await audit(id)).map(({ action }) => action)).to.include('retention');
      expect(await readdir(path.join(server().dir, 'jobs'))).to.deep.equal([]);
    });

    it('take experiments and datasets only if they are named, and then no logs', async () => {
      const { id } = await createProject(server(), { settings: { retention_days: 3 } });
      const { id: experiment } = await createExperiment(server(), id);
      const { id: dataset } = await createDataset(server(), { project_id: id });
      const objects = [`project_logs/${id}`, `experiment/${experiment}`, `dataset/${dataset}`];
      const fill = async () => {
        for (const each of objects) await server().insert(each, [{ id: 'e', created: daysAgo(5) }]);
      };
      const left = async () =>
        (await Promise.all(objects.map(async (each) => (await ids(each)).length))).join('');
      await fill();
      await runRetention(id);
      expect(await left()).to.equal('011');
      await fill();
      const settings = { retention_kinds: ['experiment', 'dataset'] };
      await server().request('PATCH', `/v1/project/${id}`, { settings });
      await runRetention(id);
      expect(await left()).to.equal('100');
    });

    it('take nothing without retention: the dry run says so', async () => {
      const { id } = await createProject(server());
      expect(await retention(id)).to.deep.equal({ cutoff: null, rows: 0, bytes: 0 });
    });

    it('follow the organisation where the project says nothing', async () => {
      const { id, org_id } = await createProject(server());
      const own = await createProject(server(), { settings: { retention_days: 9 } });
      const organisation = (settings: Json) =>
        server().request('PATCH', `/v1/organization/${String(org_id)}`, { settings });
      for (const project of [id, own.id])
        await server().insert(`project_logs/${project}`, [{ id: 'e', created: daysAgo(5) }]);
      expect((await organisation({ retention_days: 3 })).json()['settings']).to.deep.equal({
        retention_days: 3,
      });
      try {
        expect((await retention(id))['rows']).to.equal(1);
        expect((await retention(own.id))['rows']).to.equal(0);
        expect((await audit(String(org_id)))[0]).to.include({ action: 'update' });
      } finally {
        await organisation({ retention_days: null });
      }
      expect((await retention(id))['cutoff']).to.equal(null);
      const wrong = outcome(organisation({ retention_days: 0 }));
      expect(await wrong).to.deep.equal([
        400,
        'settings.retention_days: expected an integer from 1 to 36500 or null, got 0',
      ]);
    });
  });

  it('are counted by the metrics', async () => {
    const { id } = await createProject(server());
    const counted = async () => {
      const { text } = await server().request('GET', '/metrics');
      const found = /^evalstore_removed_rows_total\{kind="purge"\} (\d+)$/m.exec(text);
      expect(text).to.match(/^evalstore_removed_bytes_total\{kind="retention"\} \d+$/m);
      expect(text).to.match(/^evalstore_job_last_failure_timestamp_seconds\{kind="purge"\} 0$/m);
      return Number(found![1]);
    };
    const before = await counted();
    await server().insert(`project_logs/${id}`, [{ id: 'e' }]);
    await purge(`project_logs/${id}`, { ids: ['e'] });
    expect(await counted()).to.equal(before + 1);
  });
});
