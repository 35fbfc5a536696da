// Reads prompts and their versions with queries.
import { useQuery } from '@tanstack/react-query';
import { indented } from '../../json/lines.js';
import { plainText, type RawRow } from '../../json/scan.js';
import { quoted, textOf } from '../../server/clauses.js';
import { useMemberNames, userName, type AuditEntry } from '../../server/access.js';
import { listKey, listOf, type NamedObject, type Project } from '../../server/objects.js';
import { rawRowsOf } from '../../server/query.js';
import { send } from '../../server/request.js';
import { timeOfVersion } from '../../kit/version-time.js';

const refreshMs = 10_000;

/** The content of a version of a prompt. */
const content = ['name', 'description', 'prompt_data', 'tags', 'metadata'] as const;

const listed = 'id, slug, name, description, created, _xact_id';

/** The query for the newest versions first. @param filter a condition; undefined for all prompts */
const query = ({ id }: Project, select: string, filter?: string): string =>
  textOf({
    select,
    from: `project_prompts(${quoted(id)})`,
    ...(filter === undefined ? {} : { filter }),
    sort: '_xact_id desc',
    preview_length: '-1',
  });

export const usePrompts = (project: Project) =>
  useQuery({
    queryKey: [...listKey('prompt', project.id), 'rows'],
    queryFn: ({ signal }) => rawRowsOf(query(project, listed), { signal }),
    refetchInterval: refreshMs,
  });

/** The id of the prompt with the slug; without one, the slug, which can be an id. */
async function idOf(project: Project, slug: string, signal: AbortSignal): Promise<string> {
  const search = new URLSearchParams({ project_id: project.id, slug });
  const [found] = await listOf<NamedObject>(`/v1/prompt?${search.toString()}`, signal);
  return found?.id ?? slug;
}

/** All versions of the prompts that the condition selects, newest first. */
const versionsWhere = (project: Project, select: string, filter: string, signal: AbortSignal) =>
  rawRowsOf(query(project, select, filter), { signal, allVersions: true });

const versionsById = (project: Project, id: string, signal: AbortSignal) =>
  versionsWhere(
    project,
    `${listed}, function_type, prompt_data, tags, metadata`,
    `id = ${quoted(id)}`,
    signal,
  );

/**
 * All versions of a prompt, newest first.
 * @param slug the slug, the id, or a slug that no prompt has any more: then the prompt that had it last
 */
export const useVersions = (project: Project, slug: string) =>
  useQuery({
    queryKey: [...listKey('prompt', project.id), 'versions', slug],
    queryFn: async ({ signal }) => {
      const found = await versionsById(project, await idOf(project, slug, signal), signal);
      if (found.rows.length > 0) return found;
      // Reads the versions of all prompts, which the queries above do not.
      const former = await versionsWhere(project, 'id', `slug = ${quoted(slug)}`, signal);
      const [last] = former.rows;
      return last === undefined ? found : versionsById(project, field(last, 'id'), signal);
    },
    refetchInterval: refreshMs,
  });

/**
 * The authors of all versions of a prompt, newest first; null unless the key may read the audit log, which has one entry per
 * version.
 */
export function useAuthors(
  project: Project,
  versions: readonly RawRow[],
): readonly string[] | null {
  const names = useMemberNames();
  const id = field(versions[0]!, 'id');
  const entries = useQuery({
    queryKey: [...listKey('prompt', project.id), 'authors', id, versions.length],
    queryFn: ({ signal }) =>
      listOf<AuditEntry>(
        `/v1/audit_log?object_type=prompt&object_id=${encodeURIComponent(id)}`,
        signal,
      ),
  }).data;
  // The two are read at different moments, and only the latest entries are listed.
  if (entries?.length !== versions.length) return null;
  return entries.map(({ user_id }) => userName(names, user_id));
}

export const field = (row: RawRow, name: string): string => {
  const raw = row.get(name) ?? 'null';
  return raw === 'null' ? '' : plainText(raw);
};

export const versionOf = (row: RawRow): string => field(row, '_xact_id');

/** The time of the version in milliseconds since 1970. */
export const writtenAt = (row: RawRow): number => timeOfVersion(versionOf(row));

const members = (row: RawRow, names: readonly string[]): string =>
  names.map((name) => `${JSON.stringify(name)}:${row.get(name) ?? 'null'}`).join(',');

/** The content as one JSON object with the stored values. */
export const contentOf = (row: RawRow): string => `{${members(row, content)}}`;

export const contentText = (row: RawRow): string => indented(contentOf(row));

/** URL parameters of the logs that show the traces with a span that used any version of the prompt. */
export const logsParameters = (row: RawRow): string =>
  new URLSearchParams({
    in: 'span',
    f: `metadata.prompt.id = ${quoted(field(row, 'id'))}`,
  }).toString();

/**
 * Restores an earlier version as a new one. The prompt keeps its slug, by which the server finds it: the slug of the earlier
 * version can be that of another prompt by now.
 */
export async function restore(project: Project, newest: RawRow, earlier: RawRow): Promise<void> {
  const kept = `"project_id":${JSON.stringify(project.id)},${members(newest, ['slug'])}`;
  const text = `{${kept},${members(earlier, ['function_type', ...content])}}`;
  await send('/v1/prompt', { method: 'PUT', text });
}
