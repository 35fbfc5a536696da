// Functions as the SDKs publish and load them, beside prompts.
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { createNamed, createProject, listObjects } from '../../support/objects.js';
import { outcome, sharedServer, type Json } from '../../support/start-server.js';

const slugsOf = (objects: readonly Json[]) => objects.map(({ slug }) => slug);

const bySlug = (project_id: string, slug: string) => ({ type: 'slug', project_id, slug });

describe('functions', () => {
  const server = sharedServer();
  let project_id: string;

  beforeEach(async () => {
    project_id = (await createProject(server())).id;
  });

  const publish = (...functions: readonly Json[]) => {
    const items = functions.map((item) => Object.assign({ project_id, name: 'named' }, item));
    return server().request('POST', '/insert-functions', { functions: items });
  };

  const list = (search = '') =>
    listObjects(server(), `/v1/function?project_id=${project_id}${search}`);

  const parameters = {
    slug: 'depth',
    function_type: 'parameters',
    function_data: { type: 'parameters', data: { depth: 1 }, __schema: { type: 'object' } },
  };
  const prompt = {
    slug: 'answer',
    function_data: { type: 'prompt' },
    prompt_data: { prompt: { type: 'chat', messages: [{ role: 'user', content: 'Hi' }] } },
  };

  it('of type prompt are prompts, and prompts are shown as functions', async () => {
    expect((await publish(prompt, parameters)).status).to.equal(200);
    const [found] = await listObjects(server(), `/v1/prompt?project_id=${project_id}`);
    expect(found).to.deep.include({ slug: 'answer', prompt_data: prompt.prompt_data });
    expect(found, 'as older clients know it').not.to.have.any.keys(
      'function_data',
      'function_type',
    );
    expect(slugsOf(await list())).to.deep.equal(['depth', 'answer']);
    const shown = await server().request('GET', `/v1/function/${found!.id}`);
    expect(shown.json()).to.deep.equal({ ...found, function_data: { type: 'prompt' } });
    const [stored] = await list('&function_type=parameters');
    expect(stored).to.deep.include(parameters);
  });

  it('are listed in pages together with prompts', async () => {
    await publish(parameters, prompt, { ...parameters, slug: 'c' }, { ...prompt, slug: 'd' });
    const all = await list();
    expect(slugsOf(all)).to.deep.equal(['d', 'c', 'answer', 'depth']);
    expect(await list(`&limit=2&starting_after=${all[0]!.id}`)).to.deep.equal(all.slice(1, 3));
    expect(await list(`&limit=2&ending_before=${all[3]!.id}`)).to.deep.equal(all.slice(1, 3));
    const ids = `&ids=${all[1]!.id}&ids=${all[2]!.id}`;
    expect(await list(ids)).to.deep.equal(all.slice(1, 3));
    expect(await list(`${ids}&function_type=parameters`)).to.deep.equal([all[1]]);
  });

  it('are replaced when their slug is taken, under the same id', async () => {
    const [first] = (await publish(prompt)).json()['functions'] as readonly Json[];
    const changed = { ...prompt, description: 'changed' };
    const [second] = (await publish(changed)).json()['functions'] as readonly Json[];
    expect(second).to.deep.equal({ ...first, found_existing: true });
    expect((await list())[0]).to.include({ description: 'changed' });
  });

  it('stay, or are refused, when their slug is taken and the request says so', async () => {
    await publish({ ...parameters, description: 'first' });
    await publish({ ...parameters, description: 'second', if_exists: 'ignore' });
    expect((await list())[0]).to.include({ description: 'first' });
    expect(await outcome(publish(prompt, { ...parameters, if_exists: 'error' }))).to.deep.equal([
      400,
      'functions[1].slug: "depth" already exists',
    ]);
    expect(slugsOf(await list()), 'nothing of the request').to.deep.equal(['depth']);
  });

  it('are listed by the type that they had at a version', async () => {
    await publish(parameters, { ...prompt, function_type: 'scorer' });
    const [scorer] = await list('&function_type=scorer');
    const { id, _xact_id: version } = scorer!;
    await server().request('PATCH', `/v1/function/${id}`, { function_type: 'tool' });
    await server().request('PATCH', `/v1/prompt/${id}`, { function_type: 'tool' });
    const past = (type: string) => list(`&function_type=${type}&version=${String(version)}`);
    expect(await past('scorer')).to.deep.equal([scorer]);
    expect(await past('tool')).to.deep.equal([]);
    await server().request('DELETE', `/v1/prompt/${id}`);
    expect(await past('scorer')).to.deep.equal([scorer]);
    expect(await list('&function_type=tool')).to.deep.equal([]);
  });

  it('are read as of an earlier version, prompts, too', async () => {
    await publish(prompt, parameters);
    for (const kind of ['prompt', 'function']) {
      const [before] = await listObjects(server(), `/v1/${kind}?project_id=${project_id}`);
      const { id, _xact_id: version } = before!;
      await server().request('PATCH', `/v1/${kind}/${id}`, { description: 'later' });
      const past = await server().request('GET', `/v1/${kind}/${id}?version=${String(version)}`);
      expect(past.json(), kind).to.deep.equal(before);
      expect(await outcome(server().request('GET', `/v1/${kind}/${id}?version=1`))).to.deep.equal([
        400,
        `version: the ${kind} "${id}" did not exist as of "1"`,
      ]);
      const bad = await server().request('GET', `/v1/${kind}/${id}?version=x`);
      expect([bad.status, bad.text.slice(0, 35)]).to.deep.equal([
        400,
        'version: expected a transaction id ',
      ]);
    }
  });

  it('are not read by environment, and neither are prompts', async () => {
    await publish(prompt, parameters);
    for (const kind of ['prompt', 'function']) {
      const [{ id } = {}] = await listObjects(server(), `/v1/${kind}?project_id=${project_id}`);
      for (const path of [
        `/v1/${kind}?slug=answer&environment=live`,
        `/v1/${kind}/${id}?environment=live`,
      ]) {
        expect(await outcome(server().request('GET', path)), path).to.deep.equal([
          400,
          "environment: environments are not supported: ask for a version with 'version', or leave it out for the latest",
        ]);
      }
    }
    expect(await outcome(server().request('GET', '/v1/project?environment=live'))).to.deep.equal([
      400,
      'unknown query parameter "environment"',
    ]);
  });

  it('are named by id in prompts that name them by slug', async () => {
    await publish(parameters, { ...prompt, slug: 'tool' });
    const [tool, depth] = await list();
    const globalTool = { type: 'global', name: 'search' };
    const withTools = (...tool_functions: readonly unknown[]) => ({
      ...prompt,
      prompt_data: { ...prompt.prompt_data, tool_functions },
    });
    await publish(withTools(globalTool, bySlug(project_id, 'depth'), bySlug(project_id, 'tool')));
    const [stored] = await list('&slug=answer');
    expect(stored!['prompt_data']).to.deep.equal({
      ...prompt.prompt_data,
      tool_functions: [
        globalTool,
        { type: 'function', id: depth!.id },
        { type: 'function', id: tool!.id },
      ],
    });
    for (const [unknown, slug] of [
      [bySlug(project_id, 'nothing'), '"nothing"'],
      [bySlug(randomUUID(), 'tool'), '"tool"'],
      [{ type: 'slug' }, 'null'],
    ] as const) {
      const refused = await publish(withTools(globalTool, unknown));
      expect([refused.status, refused.text]).to.deep.equal([
        400,
        `functions[0].prompt_data.tool_functions[1]: no function with the slug ${slug} that this key may use`,
      ]);
    }
  });

  it('leave their slug free when they are deleted', async () => {
    const [made] = (await publish(parameters)).json()['functions'] as readonly Json[];
    await server().request('DELETE', `/v1/function/${String(made!['id'])}`);
    expect(await list()).to.deep.equal([]);
    const [again] = (await publish(parameters)).json()['functions'] as readonly Json[];
    expect(again?.['id']).not.to.equal(made?.['id']);
  });

  it('of type prompt are deleted as functions, but not changed', async () => {
    await publish(prompt);
    const [found] = await list();
    const patched = await server().request('PATCH', `/v1/function/${found!.id}`, { tags: ['t'] });
    expect([patched.status, patched.text]).to.deep.equal([
      403,
      `no function with the id "${found!.id}" that this key may use`,
    ]);
    const deleted = await server().request('DELETE', `/v1/function/${found!.id}`);
    expect([deleted.status, deleted.json()]).to.deep.equal([200, found]);
    expect(await listObjects(server(), `/v1/prompt?project_id=${project_id}`)).to.deep.equal([]);
  });

  it('and prompts are filtered by their type', async () => {
    await createNamed(server(), 'prompt', { project_id, slug: 's', function_type: 'scorer' });
    expect(await list('&function_type=scorer')).to.have.length(1);
    expect(await list('&function_type=tool')).to.deep.equal([]);
  });
});
