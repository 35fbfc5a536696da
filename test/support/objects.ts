// Makes objects for tests, each with a name of its own.
import { randomUUID } from 'node:crypto';
import type { TestServer } from './start-server.js';

export type StoredObject = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly name: string;
};

export const createProject = async (
  server: TestServer,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<StoredObject> =>
  (
    await server.request('POST', '/v1/project', { name: `project ${randomUUID()}`, ...fields })
  ).json() as StoredObject;

export const createExperiment = async (
  server: TestServer,
  projectId: string,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<StoredObject> =>
  (
    await server.request('POST', '/v1/experiment', { project_id: projectId, ...fields })
  ).json() as StoredObject;

export const createDataset = async (
  server: TestServer,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<StoredObject> =>
  (
    await server.request('POST', '/v1/dataset', { name: `dataset ${randomUUID()}`, ...fields })
  ).json() as StoredObject;

/** The objects of a list, in its order. */
export const listObjects = async (
  server: TestServer,
  path: string,
): Promise<readonly StoredObject[]> =>
  (await server.request('GET', path)).json()['objects'] as StoredObject[];

export const namesOf = (objects: readonly StoredObject[]): readonly string[] =>
  objects.map(({ name }) => name);
