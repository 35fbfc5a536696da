import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import path from 'node:path';

import { sql } from '../../src/duckdb/sql.js';
import { Writer } from '../../src/duckdb/writer.js';
import { nextXactId } from '../../src/schema/xact-id.js';
import { shortXactId } from '../support/short-xact-id.js';
import { createNamed, createProject, listObjects, type StoredObject } from '../support/objects.js';
import { openServer } from '../support/hosted-server.js';
import { outcome, sharedServer } from '../support/start-server.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const versionOf = (prompt: StoredObject): string => String(prompt['_xact_id']);

const shortVersionOf = (prompt: StoredObject): string => shortXactId(BigInt(versionOf(prompt)));

const promptData = {
  prompt: { type: 'completion', content: 'Say {{word}}' },
  options: {
    model: 'm',
    position: '0|a',
    params: {
      use_cache: true,
      temperature: 0.5,
      top_p: 1,
      frequency_penalty: 0.1,
      presence_penalty: -0.1,
      max_tokens: 100,
      n: 2,
      response_format: { type: 'json_object' },
      tool_choice: 'auto',
      function_call: { name: 'f' },
      stop: ['END'],
      reasoning_effort: 'low',
    },
  },
  origin: { prompt_id: 'p', project_id: 'q', prompt_version: 'v' },
};

describe('prompts', () => {
  const server = sharedServer();
  const directory = temporaryDirectory();
  let project: StoredObject;

  before(async () => {
    project = await createProject(server(), { name: 'of prompts' });
  });

  const request = (method: string, path: string, body?: unknown) =>
    outcome(server().request(method, path, body));
  const send = async (method: string, path: string, body?: unknown) =>
    (await server().request(method, path, body)).json() as StoredObject;
  const create = (fields: object = {}) =>
    createNamed(server(), 'prompt', { project_id: project.id, slug: randomUUID(), ...fields });
  const put = (fields: object) =>
    send('PUT', '/v1/prompt', { project_id: project.id, name: 'put', ...fields });
  const patch = (id: string, body?: unknown) => send('PATCH', `/v1/prompt/${id}`, body);
  const read = (id: string) => send('GET', `/v1/prompt/${id}`);
  const list = (query: string) => listObjects(server(), `/v1/prompt?${query}`);

  describe('create', () => {
    it('answers every field, and keeps what is sent', async () => {
      const sent = { name: 'full', slug: 'full', description: 'd', prompt_data: promptData };
      const metadata = { owner: { team: 'support' } };
      const made = await create({ ...sent, tags: ['t'], metadata });
      expect(Object.keys(made)).to.deep.equal([
        'id',
        '_xact_id',
        'project_id',
        'log_id',
        'org_id',
        'name',
        'slug',
        'description',
        'created',
        'prompt_data',
        'tags',
        'metadata',
      ]);
      expect(made).to.deep.include({ ...sent, tags: ['t'], log_id: 'p', metadata });
      expect(made).to.include({ project_id: project.id, org_id: project['org_id'] });
      expect(versionOf(made)).to.match(/^\d{19}$/);
      expect(await read(made.id)).to.deep.equal(made);
    });

    it('takes null for what may be left out', async () => {
      const nulls = { description: null, prompt_data: null, tags: null, metadata: null };
      expect(await create(nulls)).to.deep.include(nulls);
    });

    it('on a taken slug answers the existing prompt unmodified', async () => {
      const made = await create({ slug: 'taken' });
      const body = { project_id: project.id, name: 'other', slug: 'taken', tags: ['t'] };
      const again = await server().request('POST', '/v1/prompt', body);
      expect(again.headers.get('x-bt-found-existing')).to.equal('true');
      expect(again.json()).to.deep.equal(made);
    });

    it('takes a taken name, and the same slug in another project', async () => {
      const made = await create({ name: 'same', slug: 'here' });
      expect((await create({ name: 'same' })).id).not.to.equal(made.id);
      const other = await createProject(server());
      expect((await create({ slug: 'here', project_id: other.id })).id).not.to.equal(made.id);
    });
  });

  describe('PUT', () => {
    it('makes a prompt whose slug is free', async () => {
      const made = await put({ slug: 'free', tags: ['t'] });
      expect(made).to.deep.include({ slug: 'free', tags: ['t'] });
      expect(await read(made.id)).to.deep.equal(made);
    });

    it('gives an existing prompt the fields of the body alone, under the same id', async () => {
      const made = await create({ slug: 'put', description: 'd', prompt_data: promptData });
      const later = await create();
      const replaced = await put({ slug: 'put', tags: ['t'] });
      expect(replaced).to.deep.equal({
        ...made,
        _xact_id: versionOf(replaced),
        name: 'put',
        description: null,
        prompt_data: null,
        tags: ['t'],
      });
      expect(BigInt(versionOf(replaced)) > BigInt(versionOf(later))).to.equal(true);
      expect(await read(made.id)).to.deep.equal(replaced);
      expect(await list('slug=put')).to.deep.equal([replaced]);
      const both = `ids=${made.id}&ids=${later.id}`;
      expect(await list(both)).to.deep.equal([later, replaced]);
    });
  });

  describe('PATCH', () => {
    it('changes the given fields, merges prompt_data, keeps created and the place in lists', async () => {
      const made = await create({ prompt_data: promptData });
      const later = await create();
      const patched = await patch(made.id, {
        name: 'patched',
        description: 'new',
        prompt_data: { options: { params: { temperature: 1, stop: [] } } },
        tags: ['t'],
      });
      const params = { ...promptData.options.params, temperature: 1, stop: [] };
      expect(patched).to.deep.equal({
        ...made,
        _xact_id: versionOf(patched),
        name: 'patched',
        description: 'new',
        prompt_data: { ...promptData, options: { ...promptData.options, params } },
        tags: ['t'],
      });
      expect(await list(`ids=${made.id}&ids=${later.id}`)).to.deep.equal([later, patched]);
    });

    it('of nothing makes no version', async () => {
      const made = await create({ description: 'kept' });
      expect(await patch(made.id)).to.deep.equal(made);
      expect(await patch(made.id, { name: null, description: null })).to.deep.equal(made);
    });

    it('does not take project_id', async () => {
      const { id } = await create();
      const body = { project_id: randomUUID() };
      expect(await request('PATCH', `/v1/prompt/${id}`, body)).to.deep.equal([
        400,
        'unknown field "project_id" in the request body',
      ]);
    });

    it('loses nothing when many change one prompt at once', async () => {
      const { id } = await create();
      const keys = Array.from({ length: 10 }, (_, index) => `k${index}`);
      const made = await Promise.all(keys.map((key) => patch(id, { prompt_data: { [key]: 1 } })));
      expect((await read(id))['prompt_data']).to.have.all.keys(keys);
      expect(new Set(made.map(versionOf)).size).to.equal(keys.length);
    });
  });

  describe('DELETE', () => {
    it('answers the prompt as it was, takes it out of reach and frees its slug', async () => {
      const made = await create({ slug: 'deleted' });
      const path = `/v1/prompt/${made.id}`;
      expect(await send('DELETE', path)).to.deep.equal(made);
      const refusal = `no prompt with the id "${made.id}" that this key may use`;
      expect(await request('GET', path)).to.deep.equal([403, refusal]);
      expect(await request('PATCH', path, {})).to.deep.equal([403, refusal]);
      expect(await request('DELETE', path)).to.deep.equal([400, refusal]);
      expect(await list('slug=deleted')).to.deep.equal([]);
      const again = await create({ slug: 'deleted' });
      expect(again.id).not.to.equal(made.id);
      expect(await list('slug=deleted')).to.deep.equal([again]);
    });
  });

  describe('lists', () => {
    it('filter by name, slug and project, newest first', async () => {
      const own = await createProject(server(), { name: 'listing' });
      const older = await create({ project_id: own.id, name: 'older', slug: 'listed' });
      const newer = await create({ project_id: own.id, name: 'newer' });
      await create({ name: 'older', slug: 'listed' });
      expect(await list('project_name=listing')).to.deep.equal([newer, older]);
      expect(await list(`project_id=${own.id}`)).to.deep.equal([newer, older]);
      expect(await list('project_name=listing&prompt_name=older')).to.deep.equal([older]);
      expect(await list('project_name=listing&name=newer')).to.deep.equal([newer]);
      expect(await list(`project_id=${own.id}&slug=listed`)).to.deep.equal([older]);
      expect(await list('slug=listed')).to.have.length(2);
      expect(await list('slug=liste')).to.deep.equal([]);
    });
  });

  describe('versions', () => {
    it('are all listed after ten changes, in both spellings', async () => {
      const versions = [await create({ slug: 'ten', prompt_data: { step: 0 } })];
      const { id } = versions[0]!;
      for (let step = 1; step <= 10; step++)
        versions.push(await patch(id, { name: `step ${step}`, prompt_data: { step } }));
      for (const version of versions) {
        expect(await list(`slug=ten&version=${versionOf(version)}`)).to.deep.equal([version]);
        expect(await list(`slug=ten&version=${shortVersionOf(version)}`)).to.deep.equal([version]);
      }
      expect(await list('slug=ten')).to.deep.equal([versions.at(-1)]);
      expect(await list(`slug=ten&version=${'9'.repeat(19)}`)).to.deep.equal([versions.at(-1)]);
    });

    it('grow with every write of any prompt', async () => {
      const made: StoredObject[] = [];
      for (let step = 0; step < 20; step++) made.push(await create());
      const ids = made.map(versionOf);
      expect(ids.toSorted()).to.deep.equal(ids);
      expect(new Set(ids).size).to.equal(ids.length);
    });

    it('are in one order with the writes of events', async () => {
      const versions: string[] = [];
      for (let step = 0; step < 20; step++) {
        const path = `/v1/project_logs/${project.id}/insert`;
        const inserted = await server().request('POST', path, { events: [{ id: 'a' }] });
        versions.push(inserted.headers.get('x-evalstore-version')!, versionOf(await create()));
      }
      expect(versions.toSorted()).to.deep.equal(versions);
      expect(new Set(versions).size).to.equal(versions.length);
    });

    it('stay in that order when the server starts again, also when the clock stepped back', async () => {
      const first = await openServer({ dir: directory() });
      const { id } = await first.post('/v1/project', { name: 'p' });
      await first.request('POST', '/v1/prompt', { project_id: id, name: 'n', slug: 's' });
      await first.stop();
      const writer = await Writer.open(path.join(first.dir, 'meta.duckdb'), {
        memoryMb: 64,
        threads: 1,
      });
      const tomorrow = (86_400n << 16n) + nextXactId(0n, Date.now() / 1000);
      await writer.transaction((connection) =>
        connection.run(sql`UPDATE object_version SET xact_id = ${tomorrow}`),
      );
      await writer.close();
      const again = await openServer({ dir: first.dir });
      const target = `/v1/project_logs/${String(id)}/insert`;
      const inserted = await again.request('POST', target, { events: [{ id: 'a' }] });
      await again.stop();
      expect(inserted.headers.get('x-evalstore-version')).to.equal(String(tomorrow + 1n));
    });

    it('show nothing before the prompt was made, and what was deleted since', async () => {
      const [before, made] = [await create(), await create({ slug: 'passing' })];
      const changed = await patch(made.id, { description: 'second' });
      await send('DELETE', `/v1/prompt/${made.id}`);
      const after = await create({ slug: 'passing' });
      const at = (prompt: StoredObject) => list(`slug=passing&version=${versionOf(prompt)}`);
      expect(await at(before)).to.deep.equal([]);
      expect(await at(made)).to.deep.equal([made]);
      expect(await at(changed)).to.deep.equal([changed]);
      expect(await at(after)).to.deep.equal([after]);
      const gone = BigInt(versionOf(after)) - 1n;
      expect(await list(`slug=passing&version=${gone}`)).to.deep.equal([]);
    });

    it('filter by the name of the time, and are walked page by page', async () => {
      const own = await createProject(server());
      const made = [];
      for (const name of ['a', 'b', 'c']) made.unshift(await create({ project_id: own.id, name }));
      const version = versionOf(made[0]!);
      for (const { id } of made) await patch(id, { name: 'renamed' });
      const at = (query: string) => list(`project_id=${own.id}&version=${version}&${query}`);
      expect(await at('')).to.deep.equal(made);
      expect(await at('prompt_name=a')).to.deep.equal([made[2]]);
      expect(await at('prompt_name=renamed')).to.deep.equal([]);
      expect(await at(`limit=1&starting_after=${made[0]!.id}`)).to.deep.equal([made[1]]);
      expect(await at(`limit=1&ending_before=${made[2]!.id}`)).to.deep.equal([made[1]]);
    });

    it('must be spelt as transaction ids are', async () => {
      expect(await request('GET', '/v1/prompt?version=latest')).to.deep.equal([
        400,
        'version: expected a transaction id of 19 digits or its short form of 16 hex digits, got "latest"',
      ]);
      expect(await request('GET', '/v1/experiment?version=1')).to.deep.equal([
        400,
        'unknown query parameter "version"',
      ]);
    });
  });
});
