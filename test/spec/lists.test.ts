import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { createExperiment, createProject, listObjects, namesOf } from '../support/objects.js';
import type { StoredObject } from '../support/objects.js';
import { sharedServer } from '../support/start-server.js';

const names = ['seven', 'six', 'five', 'four', 'three', 'two', 'one'];

describe('lists', () => {
  const server = sharedServer();
  let project: StoredObject;
  /** Newest first, as lists answer them. */
  let newestFirst: StoredObject[];

  before(async () => {
    project = await createProject(server(), { name: 'listed' });
    newestFirst = [];
    for (const name of names.toReversed()) {
      newestFirst.unshift(await createExperiment(server(), project.id, { name }));
    }
    await createExperiment(server(), (await createProject(server())).id, { name: 'one' });
  });

  const list = (parameters: string) =>
    listObjects(server(), `/v1/experiment?project_id=${project.id}&${parameters}`);

  it('answer everything without a limit, newest first, as it was created', async () => {
    expect(await list('')).to.deep.equal(newestFirst);
  });

  it('answer the newest up to the limit', async () => {
    expect(namesOf(await list('limit=2'))).to.deep.equal(['seven', 'six']);
    expect(await list('limit=0')).to.deep.equal([]);
    expect(namesOf(await list('limit=100'))).to.deep.equal(names);
  });

  it('walk forward with starting_after, each object once', async () => {
    const seen: StoredObject[] = [];
    let page = await list('limit=3');
    while (page.length > 0) {
      seen.push(...page);
      page = await list(`limit=3&starting_after=${seen.at(-1)!.id}`);
    }
    expect(seen).to.deep.equal(newestFirst);
  });

  it('walk backward with ending_before, to the page immediately before', async () => {
    const seen: StoredObject[] = [];
    let page = await list(`limit=3&ending_before=${newestFirst.at(-1)!.id}`);
    expect(namesOf(page)).to.deep.equal(['four', 'three', 'two']);
    while (page.length > 0) {
      seen.unshift(...page);
      page = await list(`limit=3&ending_before=${seen[0]!.id}`);
    }
    expect(seen).to.deep.equal(newestFirst.slice(0, -1));
  });

  it('take a cursor that was deleted since', async () => {
    const own = await createProject(server());
    const made: StoredObject[] = [];
    for (const name of ['a', 'b', 'c']) {
      made.push(await createExperiment(server(), own.id, { name }));
    }
    const middle = made[1]!.id;
    await server().request('DELETE', `/v1/experiment/${middle}`);
    const path = `/v1/experiment?project_id=${own.id}`;
    const after = await listObjects(server(), `${path}&starting_after=${middle}`);
    const before = await listObjects(server(), `${path}&ending_before=${middle}`);
    expect([namesOf(after), namesOf(before)]).to.deep.equal([['a'], ['c']]);
  });

  it('filter by ids, repeated, separated by commas or under their other name', async () => {
    const [first, , third] = newestFirst;
    const wanted = `ids=${third!.id}&ids=${first!.id.toUpperCase()}&ids=${randomUUID()}`;
    expect(namesOf(await list(wanted))).to.deep.equal(['seven', 'five']);
    expect(namesOf(await list(wanted.replaceAll('&ids=', ',')))).to.deep.equal(['seven', 'five']);
    expect(namesOf(await list(`id=${third!.id}`))).to.deep.equal(['five']);
    expect(namesOf(await list(`${wanted}&limit=1`))).to.deep.equal(['seven']);
  });

  it('take 300 ids', async () => {
    const ids = Array.from({ length: 299 }, () => `ids=${randomUUID()}`);
    expect(namesOf(await list([...ids, `ids=${newestFirst[0]!.id}`].join('&')))).to.deep.equal([
      'seven',
    ]);
  });

  it('filter by exact names', async () => {
    expect(namesOf(await list('experiment_name=five'))).to.deep.equal(['five']);
    expect(namesOf(await list('name=five'))).to.deep.equal(['five']);
    expect(await list('experiment_name=fiv')).to.deep.equal([]);
    expect(await list('experiment_name=Five')).to.deep.equal([]);
    const everywhere = await listObjects(server(), '/v1/experiment?experiment_name=one');
    expect(everywhere).to.have.length(2);
    const inProject = '/v1/experiment?experiment_name=one&project_name=listed';
    expect(await listObjects(server(), inProject)).to.deep.equal([newestFirst.at(-1)]);
    const byName = await listObjects(server(), '/v1/project?project_name=listed');
    expect(byName).to.deep.equal([project]);
    expect(await listObjects(server(), '/v1/project?name=listed')).to.deep.equal([project]);
  });

  it('answer an empty list when nothing is found', async () => {
    for (const query of [
      `project_id=${randomUUID()}`,
      'project_name=nowhere',
      'experiment_name=nobody',
      `ids=${randomUUID()}`,
      'org_name=another',
    ]) {
      expect(await listObjects(server(), `/v1/experiment?${query}`), query).to.deep.equal([]);
    }
    expect(await listObjects(server(), '/v1/project?org_name=another')).to.deep.equal([]);
  });

  it('of another organisation are empty, though public experiments and the user may be read', async () => {
    const shown = await createExperiment(server(), project.id, { public: true });
    expect(await listObjects(server(), `/v1/experiment?ids=${shown.id}`)).to.deep.equal([shown]);
    const [user] = await listObjects(server(), '/v1/user');
    expect(user!.id).to.equal((await server().get('/ping'))['id']);
    for (const kind of ['experiment', 'user'])
      expect(await listObjects(server(), `/v1/${kind}?org_name=another`), kind).to.deep.equal([]);
    await server().request('DELETE', `/v1/experiment/${shown.id}`);
  });

  it('take the name of the own organisation, in any case', async () => {
    for (const name of ['evalstore', 'EVALSTORE'])
      expect(await list(`org_name=${name}`)).to.deep.equal(newestFirst);
  });

  it('put a renamed object where it was', async () => {
    const own = await createProject(server());
    const first = await createExperiment(server(), own.id, { name: 'a' });
    await createExperiment(server(), own.id, { name: 'b' });
    await server().request('PATCH', `/v1/experiment/${first.id}`, { name: 'c' });
    const listed = await listObjects(server(), `/v1/experiment?project_id=${own.id}`);
    expect(namesOf(listed)).to.deep.equal(['b', 'c']);
  });
});
