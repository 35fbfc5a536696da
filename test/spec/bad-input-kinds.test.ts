// Bad input about objects of every kind, row by row of what the interface refuses; nothing of it is stored.
import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import {
  createDataset,
  createNamed,
  createProject,
  type StoredObject,
} from '../support/objects.js';
import { sharedServer } from '../support/start-server.js';

/** A value of a wrong type, what the sentence expects instead, and how it shows the value. */
const types = {
  name: ['', 'a non-empty string', '""'],
  text: [5, 'a string', '5'],
  uuid: ['x', 'a UUID', '"x"'],
  flag: ['yes', 'true, false', '"yes"'],
  object: [[], 'an object', 'an array'],
  list: ['x', 'an array', '"x"'],
} as const;

type Fields = Readonly<Record<string, keyof typeof types>>;

interface KindCase {
  readonly kind: string;
  readonly required: Fields;
  /** May be left out, and null. */
  readonly optional: Fields;
  /** Those of the fields that PATCH takes; null when there is no PATCH and no DELETE. */
  readonly patched: readonly string[] | null;
}

const cases: readonly KindCase[] = [
  {
    kind: 'project',
    required: { name: 'name' },
    optional: {
      description: 'text',
      settings: 'object',
      org_name: 'text',
      project_group_name: 'text',
    },
    patched: ['name', 'description', 'settings'],
  },
  {
    kind: 'experiment',
    required: { project_id: 'uuid' },
    optional: {
      name: 'name',
      description: 'text',
      repo_info: 'object',
      base_exp_id: 'uuid',
      dataset_id: 'uuid',
      dataset_version: 'text',
      public: 'flag',
      metadata: 'object',
      tags: 'list',
      parameters_id: 'text',
      parameters_version: 'text',
      internal_metadata: 'object',
      ensure_new: 'flag',
      org_name: 'text',
    },
    patched:
      'name description repo_info base_exp_id dataset_id dataset_version public metadata tags parameters_id parameters_version internal_metadata'.split(
        ' ',
      ),
  },
  {
    kind: 'dataset',
    required: { name: 'name' },
    optional: {
      project_id: 'uuid',
      description: 'text',
      metadata: 'object',
      tags: 'list',
      org_name: 'text',
    },
    patched: ['name', 'description', 'metadata', 'tags'],
  },
  {
    kind: 'dataset_snapshot',
    required: { dataset_id: 'uuid', name: 'name', xact_id: 'text' },
    optional: { description: 'text' },
    patched: ['name', 'description'],
  },
  {
    kind: 'prompt',
    required: { project_id: 'uuid', name: 'name', slug: 'name' },
    optional: {
      description: 'text',
      prompt_data: 'object',
      tags: 'list',
      function_type: 'text',
      org_name: 'text',
      environment_slugs: 'list',
    },
    patched: ['name', 'slug', 'description', 'prompt_data', 'tags', 'function_type'],
  },
  {
    kind: 'function',
    required: { project_id: 'uuid', name: 'name', slug: 'name', function_data: 'object' },
    optional: {
      description: 'text',
      prompt_data: 'object',
      tags: 'list',
      metadata: 'object',
      function_type: 'text',
      function_schema: 'object',
      origin: 'object',
      org_name: 'text',
    },
    patched: ['name', 'slug', 'description', 'prompt_data', 'tags', 'metadata', 'function_type'],
  },
  {
    kind: 'role',
    required: { name: 'name' },
    optional: {
      description: 'text',
      member_permissions: 'list',
      member_roles: 'list',
      org_name: 'text',
    },
    patched: ['name', 'description'],
  },
];

for (const { kind, required, optional, patched } of cases)
  describe(`bad input: ${kind}`, () => {
    const server = sharedServer({ environment: { EVALSTORE_BODY_LIMIT_MB: '1' } });
    const path = `/v1/${kind}`;
    let project: StoredObject;
    let dataset: StoredObject;
    let object: StoredObject;
    let deleted: StoredObject | null;

    /** A body that would be accepted. */
    const good = () => ({
      name: `${kind} ${randomUUID()}`,
      ...('project_id' in { ...required, ...optional } ? { project_id: project.id } : {}),
      ...('slug' in required ? { slug: randomUUID() } : {}),
      ...('function_data' in required ? { function_data: { type: 'parameters' } } : {}),
      ...('xact_id' in required ? { dataset_id: dataset.id, xact_id: '1' } : {}),
    });

    const list = async () => (await server().request('GET', path)).text;

    const refusal = async (method: string, target: string, body?: unknown) => {
      const answer = await server().request(method, target, body);
      expect(answer.headers.get('content-type')).to.match(/^text\/plain/);
      return [answer.status, answer.text] as const;
    };

    let listed: string;

    before(async () => {
      project = await createProject(server());
      dataset = await createDataset(server(), { project_id: project.id });
      object = await createNamed(server(), kind, good());
      deleted = patched === null ? null : await createNamed(server(), kind, good());
      if (deleted !== null) await server().request('DELETE', `${path}/${deleted.id}`);
      listed = await list();
    });

    const sending: readonly (readonly [string, () => string])[] = [
      ['POST', () => path],
      ['PUT', () => path],
      ...(patched === null ? [] : [['PATCH', () => `${path}/${object.id}`] as const]),
    ];
    for (const [method, target] of sending) {
      const isPatch = method === 'PATCH';

      it(`${method} refuses what is no JSON object`, async () => {
        for (const [body, text] of [
          ['{"name": ', /^request body is not valid JSON at line 1/],
          ['{"name": NaN}', /^request body is not valid JSON at line 1/],
          ['[]', /^request body: expected an object, got an array$/],
          ['"x"', /^request body: expected an object, got "x"$/],
          ['null', /^request body: expected an object, got null$/],
          ...(isPatch ? [] : [['', /^request body: expected an object, got nothing$/] as const]),
        ] as const) {
          const [status, answer] = await refusal(method, target(), body);
          expect(status, body).to.equal(400);
          expect(answer).to.match(text);
        }
      });

      it(`${method} refuses fields of a wrong type`, async () => {
        const fields = Object.entries({ ...required, ...optional }).filter(
          ([name]) => !isPatch || patched?.includes(name),
        );
        for (const [name, type] of fields) {
          const [value, expected, got] = types[type];
          const nullable = isPatch || name in optional ? ' or null' : '';
          const body = { ...(isPatch ? {} : good()), [name]: value };
          expect(await refusal(method, target(), body)).to.deep.equal([
            400,
            `${name}: expected ${expected}${nullable}, got ${got}`,
          ]);
        }
      });

      it(`${method} refuses unknown fields`, async () => {
        const isIgnored = kind === 'project' && isPatch;
        const unknown = ['id', 'created', 'deleted_at', 'nam', '__proto__', ''].concat(
          isIgnored ? [] : 'user_id',
        );
        const fixed = ['project_id', 'org_id', 'slug', 'org_name', 'ensure_new'];
        const others = isPatch ? fixed.filter((name) => patched?.includes(name) !== true) : [];
        for (const name of [...unknown, ...others]) {
          const body = JSON.stringify(isPatch ? {} : good()).replace('{', `{"${name}":1,`);
          expect(await refusal(method, target(), body.replace(',}', '}'))).to.deep.equal([
            400,
            `unknown field ${JSON.stringify(name)} in the request body`,
          ]);
        }
      });

      it(`${method} takes no query parameters`, async () => {
        expect(await refusal(method, `${target()}?limit=1`, good())).to.deep.equal([
          400,
          'unknown query parameter "limit"',
        ]);
      });

      it(`${method} refuses a body over the limit`, async () => {
        const body = { ...good(), description: 'x'.repeat(2 ** 20) };
        expect(await refusal(method, target(), body)).to.deep.equal([
          413,
          'the request body is larger than the limit of 1 MB',
        ]);
      });
    }

    for (const method of ['POST', 'PUT']) {
      it(`${method} refuses a body without a required field`, async () => {
        for (const name of Object.keys(required)) {
          const body = Object.fromEntries(Object.entries(good()).filter(([key]) => key !== name));
          expect(await refusal(method, path, body)).to.deep.equal([
            400,
            `field "${name}" is missing in the request body`,
          ]);
          const [status, text] = await refusal(method, path, { ...body, [name]: null });
          expect(status).to.equal(400);
          expect(text).to.match(new RegExp(`^${name}: expected .*, got null$`));
        }
      });

      it(`${method} refuses what the body refers to and is not there`, async () => {
        const missing = randomUUID();
        const types = { ...required, ...optional };
        for (const [name] of Object.entries(types).filter(([, type]) => type === 'uuid')) {
          const [status, text] = await refusal(method, path, { ...good(), [name]: missing });
          expect(status).to.equal(400);
          expect(text).to.match(
            new RegExp(`^${name}: no \\w+ with the id "${missing}" that this key may use$`),
          );
        }
        if ('org_name' in types)
          expect(await refusal(method, path, { ...good(), org_name: 'another' })).to.deep.equal([
            400,
            'org_name: this key does not belong to an organisation named "another"',
          ]);
      });
    }

    const wrongLists: readonly (readonly [string, string])[] = [
      ['limit=-1', 'limit: expected an integer of at least 0, got -1'],
      ['limit=many', 'limit: expected an integer of at least 0, got "many"'],
      ['limit=1&limit=2', 'limit: the query parameter is given more than once'],
      ['starting_after=x', 'starting_after: expected a UUID, got "x"'],
      ['ending_before=x', 'ending_before: expected a UUID, got "x"'],
      ['ids=x', 'ids[0]: expected a UUID, got "x"'],
      [`id=${randomUUID()}&ids=x`, 'ids[1]: expected a UUID, got "x"'],
      [`name=a&${kind}_name=b`, `${kind}_name: the query parameter is given more than once`],
      ['cursor=x', 'unknown query parameter "cursor"'],
    ];
    for (const [query, text] of wrongLists)
      it(`a list refuses ${query.replace(/[\da-f-]{36}/, 'ID')}`, async () => {
        expect(await refusal('GET', `${path}?${query}`)).to.deep.equal([400, text]);
      });

    it('a list refuses cursors of nothing and of other kinds, and two at once', async () => {
      const foreign = kind === 'project' ? randomUUID() : project.id;
      for (const parameter of ['starting_after', 'ending_before'])
        for (const id of [randomUUID(), foreign])
          expect(await refusal('GET', `${path}?${parameter}=${id}`)).to.deep.equal([
            400,
            `${parameter}: no ${kind} has had the id "${id}"`,
          ]);
      const both = `starting_after=${object.id}&ending_before=${object.id}`;
      expect(await refusal('GET', `${path}?${both}`)).to.deep.equal([
        400,
        'starting_after and ending_before cannot be given together',
      ]);
    });

    const byId = ['GET', ...(patched === null ? [] : ['PATCH', 'DELETE'])];
    for (const method of byId) {
      it(`${method} by id refuses what is no UUID, and parameters`, async () => {
        expect(await refusal(method, `${path}/17`)).to.deep.equal([
          400,
          'id: expected a UUID, got "17"',
        ]);
        expect(await refusal(method, `${path}/${object.id}?x=1`)).to.deep.equal([
          400,
          'unknown query parameter "x"',
        ]);
      });

      it(`${method} by id says the same of the absent, the deleted and another kind`, async () => {
        const foreign = kind === 'project' ? [] : [project.id];
        for (const id of [randomUUID(), ...foreign, ...(deleted === null ? [] : [deleted.id])])
          expect(await refusal(method, `${path}/${id}`)).to.deep.equal([
            method === 'DELETE' ? 400 : 403,
            `no ${kind} with the id "${id}" that this key may use`,
          ]);
      });
    }

    it('has no other routes and methods', async () => {
      const under = `${path}/${object.id}/nothing`;
      expect(await refusal('GET', under)).to.deep.equal([404, `no route ${under}`]);
      for (const [method, target, allowed] of [
        ['DELETE', path, 'HEAD, GET, POST, PUT'],
        ['PATCH', path, 'HEAD, GET, POST, PUT'],
        ['POST', `${path}/${object.id}`, ['HEAD', ...byId].join(', ')],
        ['PUT', `${path}/${object.id}`, ['HEAD', ...byId].join(', ')],
      ] as const) {
        const answer = await server().request(method, target);
        expect([answer.status, answer.headers.get('allow')]).to.deep.equal([405, allowed]);
        expect(answer.text).to.equal(`${target} takes ${allowed}, not ${method}`);
      }
    });

    it('stores and changes nothing in all that', async () => {
      expect(await list()).to.equal(listed);
    });
  });
