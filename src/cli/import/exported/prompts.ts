// Imports the versions of prompts and functions in their order, each as it was.
import { FunctionCreate } from '../../../schema/function.js';
import { PromptCreate } from '../../../schema/object.js';
import { textOf, type StoredObject } from '../../export/objects.js';
import { linesOf } from '../../export/files.js';
import { fieldsFor, sendObject, versionKey, type Target } from './target.js';

export const isPrompt = ({ kind }: StoredObject): boolean =>
  kind === 'prompt' || kind === 'function';

const creates = { prompt: PromptCreate, function: FunctionCreate };

interface Version {
  readonly id: string;
  readonly _xact_id: string;
}

/** The versions that the project has already, in their order. */
async function storedVersions({ client, projectId }: Target): Promise<readonly Version[]> {
  const query = `select: id, _xact_id | from: project_functions('${projectId}') | sort: _xact_id`;
  const answer = await client.send('POST', '/query', { query, fmt: 'jsonl', audit_log: true });
  const versions: Version[] = [];
  for await (const line of linesOf(answer)) versions.push(JSON.parse(line) as Version);
  return versions;
}

/** A PUT makes a version of what has the slug. A new slug is a change of the object. */
async function storeVersion(
  target: Target,
  { kind, object }: StoredObject,
  earlierSlug: string | null,
): Promise<Version> {
  const { client, projectId } = target;
  const schema = creates[kind as keyof typeof creates];
  const isRenamed = earlierSlug !== null && earlierSlug !== textOf(object, 'slug');
  const fields = fieldsFor(object, schema, { project_id: projectId });
  if (!isRenamed) {
    const stored = await sendObject(client, 'PUT', `/v1/${kind}`, fields);
    return { id: textOf(stored, 'id'), _xact_id: textOf(stored, '_xact_id') };
  }
  fields.delete('project_id');
  const address = `/v1/${kind}/${target.ids.get(textOf(object, 'id'))!}`;
  const stored = await sendObject(client, 'PATCH', address, fields);
  return { id: textOf(stored, 'id'), _xact_id: textOf(stored, '_xact_id') };
}

/** Goes on after the versions that an earlier run stored. */
export async function importPrompts(
  target: Target,
  versions: readonly StoredObject[],
): Promise<void> {
  const { journal, ids, versions: mapped } = target;
  const stored = journal.isResumed ? await storedVersions(target) : [];
  const slugs = new Map<string, string>();
  for (const [index, version] of versions.entries()) {
    const { object } = version;
    const id = textOf(object, 'id');
    const xactId = textOf(object, '_xact_id');
    const made = await journal.once(
      versionKey(id, xactId),
      async () => stored[index] ?? (await storeVersion(target, version, slugs.get(id) ?? null)),
    );
    ids.set(id, made.id);
    mapped.set(versionKey(id, xactId), made._xact_id);
    slugs.set(id, textOf(object, 'slug'));
  }
}
