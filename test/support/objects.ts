// Makes objects for tests, each with a name of its own.
import { randomUUID } from 'node:crypto';
import type { TestServer } from './start-server.js';

export type StoredObject = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly name: string;
};

export const createExperiment = async (
  server: TestServer,
  projectId: string,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<StoredObject> =>
  (await server.post('/v1/experiment', { project_id: projectId, ...fields })) as StoredObject;

/** With a name of its own. */
export const createNamed = async (
  server: TestServer,
  kind: string,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<StoredObject> =>
  (await server.post(`/v1/${kind}`, {
    name: `${kind} ${randomUUID()}`,
    ...fields,
  })) as StoredObject;

export const createProject = (
  server: TestServer,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<StoredObject> => createNamed(server, 'project', fields);

export const createDataset = (
  server: TestServer,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<StoredObject> => createNamed(server, 'dataset', fields);

/** The objects of a list, in its order. */
export const listObjects = async (
  server: TestServer,
  path: string,
): Promise<readonly StoredObject[]> => (await server.get(path))['objects'] as StoredObject[];

export const namesOf = (objects: readonly StoredObject[]): readonly string[] =>
  objects.map(({ name }) => name);
