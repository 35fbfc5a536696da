// Walking the list of every kind, both ways, while other clients create and delete.
import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { createNamed, createProject, listObjects, type StoredObject } from '../support/objects.js';
import { sharedServer } from '../support/start-server.js';

const kinds = ['project', 'experiment', 'dataset', 'prompt', 'role'] as const;

type Kind = (typeof kinds)[number];

interface Direction {
  readonly parameter: string;
  /** The objects of a page in the order of the walk. */
  readonly inOrder: <T>(objects: readonly T[]) => readonly T[];
}

const directions: Readonly<Record<string, Direction>> = {
  forward: { parameter: 'starting_after', inOrder: (objects) => objects },
  backward: { parameter: 'ending_before', inOrder: (objects) => objects.toReversed() },
};

const limits = [1, 4];

const objectsAtStart = 8;

/** A walk towards newer objects ends when no more are made. */
const createdMax = 5;

const idsOf = (objects: readonly StoredObject[]) => objects.map(({ id }) => id);

describe('a walk of a list beside creates and deletes', () => {
  const server = sharedServer();

  const create = (kind: Kind, project: StoredObject) =>
    createNamed(server(), kind, {
      ...(kind === 'project' || kind === 'role' ? {} : { project_id: project.id }),
      ...(kind === 'prompt' ? { slug: randomUUID() } : {}),
    });

  const remove = async (kind: Kind, id: string) =>
    (await server().request('DELETE', `/v1/${kind}/${id}`)).json();

  async function walk(kind: Kind, limit: number, { parameter, inOrder }: Direction): Promise<void> {
    const project = await createProject(server());
    const newestFirst: StoredObject[] = [];
    while (newestFirst.length < objectsAtStart) newestFirst.unshift(await create(kind, project));
    const [start, ...others] = idsOf(inOrder(newestFirst));
    // Roles are never deleted.
    const passing = new Set(kind === 'role' ? [] : others.filter((_, index) => index % 2 === 0));
    const kept = others.filter((id) => !passing.has(id));
    let created = 0;

    /** Deletes what the walk goes on from, else something that lies before or behind it. */
    const disturb = async (cursor: string) => {
      if (created++ < createdMax) await create(kind, project);
      const victim = passing.has(cursor) ? cursor : [...passing].at(created % 2 === 0 ? 0 : -1);
      if (victim === undefined) return;
      passing.delete(victim);
      await remove(kind, victim);
    };

    const seen: string[] = [];
    for (let cursor = start!; ; cursor = seen.at(-1)!) {
      const path = `/v1/${kind}?limit=${limit}&${parameter}=${cursor}`;
      const [page] = await Promise.all([listObjects(server(), path), disturb(cursor)]);
      expect(page.length).to.be.at.most(limit);
      if (page.length === 0) break;
      seen.push(...idsOf(inOrder(page)));
    }
    expect(new Set(seen).size, 'repeated').to.equal(seen.length);
    const stayed = new Set(kept);
    expect(seen.filter((id) => stayed.has(id))).to.deep.equal(kept);
  }

  for (const kind of kinds)
    for (const [name, direction] of Object.entries(directions))
      for (const limit of limits)
        it(`${kind} ${name} by ${limit} misses and repeats nothing`, () =>
          walk(kind, limit, direction));
});
