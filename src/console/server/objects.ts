// Objects of the server as the console reads them: projects and what is in them.
import { useQuery } from '@tanstack/react-query';
import { readJson } from './request.js';

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
  readonly metadata: Readonly<Record<string, unknown>> | null;
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

/** How often lists are read again while they are shown, in milliseconds. */
export const listRefreshMs = 10_000;

export const useProjects = (refetchInterval: number | false = listRefreshMs) =>
  useQuery({
    queryKey: ['projects'],
    queryFn: ({ signal }) => listOf<Project>('/v1/project', signal),
    refetchInterval,
  });

const inProject = <T>(kind: 'experiment' | 'dataset', project: Project) => ({
  queryKey: [kind, project.id],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    listOf<T>(`/v1/${kind}?project_id=${encodeURIComponent(project.id)}`, signal),
  refetchInterval: listRefreshMs,
});

export const useExperiments = (project: Project) =>
  useQuery(inProject<Experiment>('experiment', project));

export const useDatasets = (project: Project) =>
  useQuery(inProject<NamedObject>('dataset', project));

/** By its name in an address, or by its id: browsers change the names `.` and `..`. */
export const named = <T extends NamedObject>(
  objects: readonly T[],
  nameOrId: string,
): T | undefined =>
  objects.find(({ name }) => name === nameOrId) ?? objects.find(({ id }) => id === nameOrId);
