// Prompts as the rows of queries: as they are, as they were, and version by version.
import { expect } from 'chai';
import { outcome, sharedServer, type Json } from '../support/start-server.js';

const literal = (value: unknown) => ({ op: 'literal', value });
const ident = (...name: readonly string[]) => ({ op: 'ident', name });

const data = '{"options":{"model":"small","params":{"10":1,"9":12345678901234567890}}}';

describe('queries on prompts', () => {
  const server = sharedServer();
  let project: string;
  let prompt: string;
  let before2: string;

  const post = (body: unknown) => server().request('POST', '/btql', body);

  const ask = async (query: unknown, more: object = {}): Promise<readonly Json[]> =>
    (await post({ query, ...more })).json()['data'] as readonly Json[];

  const create = (path: string, body: object) => server().post(path, body);

  before(async () => {
    project = String((await create('/v1/project', { name: 'prompts' }))['id']);
    // As text: its keys keep their order, and its number all digits.
    const made = await server().post(
      '/v1/prompt',
      `{"project_id":"${project}","name":"Answer","slug":"answer","tags":["a"],"prompt_data":${data}}`,
    );
    prompt = String(made['id']);
    before2 = String(made['_xact_id']);
    await server().request('PATCH', `/v1/prompt/${prompt}`, { description: 'second' });
    await create('/v1/prompt', { project_id: project, name: 'Other', slug: 'other' });
    const gone = await create('/v1/prompt', { project_id: project, name: 'Gone', slug: 'gone' });
    await server().request('DELETE', `/v1/prompt/${String(gone['id'])}`);
  });

  const source = () => `project_prompts('${project}')`;

  it('show the prompts that there are, newest first', async () => {
    const rows = await ask(`select: name, description, slug | from: ${source()}`);
    expect(rows).to.deep.equal([
      { name: 'Other', description: null, slug: 'other' },
      { name: 'Answer', description: 'second', slug: 'answer' },
    ]);
  });

  it('show all fields as the prompt itself has them', async () => {
    const [row] = await ask(`SELECT * FROM ${source()} WHERE id = '${prompt}'`);
    const { text } = await server().request('GET', `/v1/prompt/${prompt}`);
    const { function_type, function_data, audit_data, _pagination_key, ...rest } = row ?? {};
    const stored = JSON.parse(text) as Json;
    const created = new Date(String(stored['created'])).toISOString();
    expect(rest).to.deep.equal({ ...stored, created });
    expect([function_type, function_data, audit_data]).to.deep.equal([
      null,
      { type: 'prompt' },
      { action: 'merge' },
    ]);
    expect(_pagination_key).to.match(/^p\d{29}$/);
    const answer = await post({
      query: `select: prompt_data | from: ${source()} | filter: slug = 'answer'`,
    });
    expect(answer.text).to.contain(data);
  });

  it('show every version when they are asked for, as clients ask for it', async () => {
    const query = {
      from: { op: 'function', name: ident('project_prompts'), args: [literal(project)] },
      select: [{ op: 'star' }],
      filter: { op: 'eq', left: ident('id'), right: literal(prompt) },
    };
    const more = { audit_log: true, use_columnstore: false, brainstore_realtime: true };
    const rows = await ask(query, more);
    expect(rows.map(({ description, audit_data }) => [description, audit_data])).to.deep.equal([
      ['second', { action: 'merge' }],
      [null, { action: 'upsert' }],
    ]);
    expect(rows[1]).to.include({ _xact_id: before2, id: prompt });
  });

  it('show the prompts as of a version', async () => {
    const query = `select: name, description | from: ${source()}`;
    expect(await ask(query, { version: before2 })).to.deep.equal([
      { name: 'Answer', description: null },
    ]);
  });

  it('cut long texts only, and neither ids nor slugs', async () => {
    const query = `select: id, project_id, slug, prompt_data | from: ${source()} | filter: slug = 'answer'`;
    expect(await ask(`${query} | preview_length: 5`)).to.deep.equal([
      { id: prompt, project_id: project, slug: 'answer', prompt_data: '{"opt' },
    ]);
  });

  it('round to any number of digits', async () => {
    const digits = `round(2.5, 1000) AS more, round(2.5, 10000000000) AS most`;
    const query = `SELECT ${digits} FROM project_functions('${project}') LIMIT 1`;
    expect(await ask(query)).to.deep.equal([{ more: 2.5, most: 2.5 }]);
  });

  it('filter functions, group, and page', async () => {
    const functions = `project_functions('${project}')`;
    expect(await ask(`SELECT * FROM ${functions} WHERE function_type = 'scorer'`)).to.deep.equal(
      [],
    );
    expect(
      await ask(`SELECT function_data.type AS type, count(*) AS n FROM ${functions} GROUP BY 1`),
    ).to.deep.equal([{ type: 'prompt', n: 2 }]);
    expect(
      await ask(
        `SELECT function_data.type AS "the type", count(*) AS n FROM ${functions} GROUP BY "the type"`,
      ),
    ).to.deep.equal([{ 'the type': 'prompt', n: 2 }]);
    const first = (await post({ query: `select: name | from: ${functions} | limit: 1` })).json();
    const next = `select: name | from: ${functions} | limit: 1 | cursor: '${String(first['cursor'])}'`;
    expect([first['data'], await ask(next)]).to.deep.equal([
      [{ name: 'Other' }],
      [{ name: 'Answer' }],
    ]);
  });

  it('search the texts of prompts, and neither their ids nor the names of their fields', async () => {
    for (const [words, names] of [
      ['answer', ['Answer']],
      ['second', ['Answer']],
      ['project_id', []],
      ['prompt_data', []],
      [project, []],
    ] as const) {
      const rows = await ask(`select: name | from: ${source()} | filter: search('${words}')`);
      expect(
        rows.map(({ name }) => name),
        words,
      ).to.deep.equal(names);
    }
  });

  it('show functions beside prompts, with the types that they were published with', async () => {
    const project_id = String((await create('/v1/project', { name: 'functions' }))['id']);
    const tool = {
      project_id,
      name: 'Tool',
      slug: 'tool',
      function_data: { type: 'remote', url: 'x' },
    };
    const published = [
      { project_id, name: 'Judge', slug: 'judge', function_type: 'scorer' },
      { ...tool, function_type: 'tool' },
      { ...tool, name: 'Grader', slug: 'grader', function_type: 'scorer' },
      { project_id, name: 'Plain', slug: 'plain' },
    ];
    await server().post('/insert-functions', { functions: published });
    const functions = `project_functions('${project_id}')`;
    const slugs = async (query: string, more?: object) =>
      (await ask(query, more)).map(({ slug }) => slug);
    const scorers = `SELECT * FROM ${functions} WHERE function_type = 'scorer'`;
    const [grader, judge] = await ask(scorers);
    expect(grader).to.deep.include({ slug: 'grader', function_data: tool.function_data });
    expect(judge).to.deep.include({ slug: 'judge', function_data: { type: 'prompt' } });
    expect(await slugs(`SELECT slug FROM ${functions} WHERE function_type IS NULL`)).to.deep.equal([
      'plain',
    ]);
    const both = `select: slug | from: project_prompts('${project_id}'), ${functions} | sort: slug`;
    expect(await slugs(both), 'each once').to.deep.equal(['grader', 'judge', 'plain', 'tool']);
    const prompts = `select: slug | from: project_prompts('${project_id}') | sort: slug`;
    expect(await slugs(prompts)).to.deep.equal(['judge', 'plain']);
    const id = String(grader?.['id']);
    await server().request('PATCH', `/v1/function/${id}`, { function_type: 'tool' });
    expect(await slugs(scorers)).to.deep.equal(['judge']);
    const version = String(grader?.['_xact_id']);
    expect(
      await slugs(`SELECT slug FROM ${functions} WHERE id = '${id}'`, { audit_log: true }),
    ).to.have.length(2);
    expect(await slugs(scorers, { version }), 'as it was').to.deep.equal(['grader', 'judge']);
    await server().request('DELETE', `/v1/function/${id}`);
    expect(await slugs(`SELECT slug FROM ${functions} WHERE function_type = 'tool'`)).to.deep.equal(
      ['tool'],
    );
  });

  it('are refused for a project that may not be read', async () => {
    expect(await outcome(post({ query: "SELECT * FROM project_prompts('none')" }))).to.deep.equal([
      400,
      'query line 1, column 31: no project with the id "none" that this key may use',
    ]);
  });

  it('show all fields of functions as the list has them', async () => {
    const project_id = String((await create('/v1/project', { name: 'parameters' }))['id']);
    const function_data = { type: 'parameters', data: { depth: 3 } };
    await create('/insert-functions', {
      functions: [
        { project_id, name: 'Depth', slug: 'depth', function_type: 'parameters', function_data },
      ],
    });
    const [row] = await ask(`SELECT * FROM project_functions('${project_id}')`);
    const listed = await server().get(`/v1/function?slug=depth`);
    const { created, ...stored } = (listed['objects'] as readonly Json[])[0] ?? {};
    expect(row).to.deep.include({ ...stored, prompt_data: null });
    expect(Date.parse(String(row?.['created']))).to.equal(Date.parse(String(created)));
  });

  it('show nothing of a project without prompts', async () => {
    const empty = String((await create('/v1/project', { name: 'none yet' }))['id']);
    expect(await ask(`select: * | from: project_prompts('${empty}')`)).to.deep.equal([]);
  });
});
