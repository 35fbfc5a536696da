// The retention of an organisation and of a project.
import { useQuery } from '@tanstack/react-query';
import { readJson, send } from './request.js';

export interface DryRun {
  /** ISO 8601; null without retention. */
  readonly cutoff: string | null;
  readonly rows: number;
  readonly bytes: number;
}

interface WithSettings {
  readonly settings?: { readonly retention_days?: number | null } | null;
}

/** What the settings are of. */
export interface Subject {
  readonly kind: 'organization' | 'project';
  readonly id: string;
}

const pathOf = ({ kind, id }: Subject): string => `/v1/${kind}/${id}`;

const retentionKey = 'retention';

/** Null without days. */
export const useRetentionDays = (subject: Subject) =>
  useQuery({
    queryKey: [retentionKey, subject],
    queryFn: async ({ signal }) => {
      const { settings } = await readJson<WithSettings>(pathOf(subject), { signal });
      return settings?.retention_days ?? null;
    },
  });

/** @param days null for none */
export const setRetentionDays = (subject: Subject, days: number | null): Promise<Response> =>
  send(pathOf(subject), { method: 'PATCH', body: { settings: { retention_days: days } } });

/** What the next run removes from the project. */
export const useDryRun = (projectId: string) =>
  useQuery({
    queryKey: [retentionKey, 'dry run', projectId],
    queryFn: ({ signal }) => readJson<DryRun>(`/v1/project/${projectId}/retention`, { signal }),
  });

export const retentionKeys = [retentionKey];
