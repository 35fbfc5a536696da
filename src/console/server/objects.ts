// Reads projects and the objects in them.
import { useQuery } from '@tanstack/react-query';
import { elementsOf, membersOf } from '../json/scan.js';
import { readJson, readText } from './request.js';

export type ObjectKind = 'project' | 'experiment' | 'dataset' | 'prompt';

/** The query key of a list of objects. What is read about its objects has keys that begin with it. */
export const listKey = (kind: ObjectKind, projectId: string | null = null) => [kind, projectId];

export interface NamedObject {
  readonly id: string;
  readonly name: string;
  readonly created: string;
  readonly description?: string | null;
}

export interface Project extends NamedObject {
  readonly org_id: string;
}

export interface Experiment extends NamedObject {
  readonly project_id: string;
  readonly base_exp_id: string | null;
  readonly dataset_id: string | null;
  readonly commit: string | null;
  readonly public: boolean;
}

export interface ListedExperiment extends Experiment {
  /** JSON texts by name. */
  readonly metadata: Readonly<Record<string, string>>;
}

export interface Identity {
  readonly id: string;
  readonly org_id: string;
  readonly org_name: string;
}

export const useIdentity = () =>
  useQuery({ queryKey: ['identity'], queryFn: () => readJson<Identity>('/ping') });

export const listOf = async <T>(path: string, signal: AbortSignal): Promise<readonly T[]> =>
  (await readJson<{ objects: readonly T[] }>(path, { signal })).objects;

/** The refresh interval of lists, in milliseconds. */
export const listRefreshMs = 10_000;

const projects = {
  queryKey: listKey('project'),
  queryFn: ({ signal }: { signal: AbortSignal }) => listOf<Project>('/v1/project', signal),
};

export const useProjects = (refetchInterval: number | false = listRefreshMs) =>
  useQuery({ ...projects, refetchInterval });

/** Requests them before the screen that needs them is loaded. */
export const usePrefetchedProjects = (isWanted: boolean) =>
  useQuery({ ...projects, enabled: isWanted, notifyOnChangeProps: [] });

const pathOf = (kind: ObjectKind, { id }: Project): string =>
  `/v1/${kind}?project_id=${encodeURIComponent(id)}`;

const inProject = <T>(kind: 'dataset' | 'prompt', project: Project) => ({
  queryKey: listKey(kind, project.id),
  queryFn: ({ signal }: { signal: AbortSignal }) => listOf<T>(pathOf(kind, project), signal),
  refetchInterval: listRefreshMs,
});

/** @param raw JSON text */
function listedExperiment(raw: string): ListedExperiment {
  const metadata = membersOf(raw).get('metadata') ?? 'null';
  return {
    ...(JSON.parse(raw) as Experiment),
    metadata: metadata === 'null' ? {} : Object.fromEntries(membersOf(metadata)),
  };
}

export const useExperiments = (project: Project) =>
  useQuery({
    queryKey: listKey('experiment', project.id),
    queryFn: async ({ signal }) => {
      const answer = await readText(pathOf('experiment', project), { signal });
      return elementsOf(membersOf(answer).get('objects') ?? '[]').map(listedExperiment);
    },
    refetchInterval: listRefreshMs,
  });

/** Null if the project has none. */
export const useNewestExperiment = (project: Project, isWanted: boolean) =>
  useQuery({
    queryKey: [...listKey('experiment', project.id), 'newest'],
    queryFn: async ({ signal }) => {
      const search = new URLSearchParams({ project_id: project.id, limit: '1' });
      const path = `/v1/experiment?${search.toString()}`;
      const [newest = null] = await listOf<Experiment>(path, signal);
      return newest;
    },
    enabled: isWanted,
  });

export const useDatasets = (project: Project) =>
  useQuery(inProject<NamedObject>('dataset', project));

export const useNamedPrompts = (project: Project) =>
  useQuery(inProject<NamedObject & { readonly slug: string }>('prompt', project));

/** Finds an object by its name in the URL, or by its id, since browsers resolve the names `.` and `..`. */
export const named = <T extends NamedObject>(
  objects: readonly T[],
  nameOrId: string,
): T | undefined =>
  objects.find(({ name }) => name === nameOrId) ?? objects.find(({ id }) => id === nameOrId);

/** Returns the dataset that has the name already, if there is one. */
export const createDataset = (project: Project, name: string): Promise<NamedObject> =>
  readJson('/v1/dataset', { method: 'POST', body: { project_id: project.id, name: name.trim() } });
