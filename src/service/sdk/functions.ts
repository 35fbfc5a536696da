// POST /insert-functions: publishes prompts and functions of the SDKs in one transaction.
import { checkedNames, type ObjectFields } from '../../catalog/header.js';
import type { ObjectWrite } from '../../catalog/catalog.js';
import { newObjectFields } from '../../catalog/object-fields.js';
import { badRequest, RequestError } from '../../errors.js';
import type { JsonObject } from '../../json/json.js';
import { isJsonObject, memberOf } from '../../json/tree.js';
import { requirePrincipal } from '../access/access.js';
import type { Caller, KeyCaller, Services } from '../context.js';
import { checkDraft, draftObject, type Draft } from '../object/draft.js';
import { nextVersion } from '../version.js';
import { withoutNulls } from '../object/objects.js';
import { jsonReply, type Reply } from '../reply.js';
import { withToolIds } from './tool-functions.js';

type Kind = 'prompt' | 'function';

function kindOf(sent: ObjectFields, path: string): Kind {
  const data = sent.get('function_data');
  const type = data !== undefined && isJsonObject(data) ? memberOf(data, 'type') : 'prompt';
  if (type === 'code')
    throw badRequest(`${path}.function_data: this server does not store code of functions`);
  return type === 'prompt' ? 'prompt' : 'function';
}

function refuseEnvironments(sent: ObjectFields, path: string): void {
  const environments = sent.get('environments');
  if (Array.isArray(environments) && environments.length > 0)
    throw badRequest(`${path}.environments: environments are not supported`);
}

/** Adds the path of an object to an error about one of its fields. */
function inside<T>(path: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof RequestError) || error.status !== 400) throw error;
    throw badRequest(`${path}.${error.message}`);
  }
}

interface Planned {
  readonly kind: Kind;
  readonly draft: Draft;
  readonly ifExists: string;
  readonly path: string;
}

function plan(services: Services, principal: KeyCaller, item: JsonObject, path: string): Planned {
  const sent = withToolIds(services, principal, withoutNulls(item), path);
  refuseEnvironments(sent, path);
  const kind = kindOf(sent, path);
  const draft = inside(path, () => draftObject(services, principal, kind, sent));
  const ifExists = (sent.get('if_exists') ?? 'replace') as string;
  const use = ifExists === 'replace' ? 'update' : 'read';
  checkDraft(services, principal, draft, services.catalog.objectWithKey(draft), use);
  return { kind, draft, path, ifExists };
}

const keyOf = ({ kind, draft }: Planned): string =>
  JSON.stringify([kind, draft.projectId, draft.slug]);

function refuseRepeated(planned: readonly Planned[]): void {
  const seen = new Set<string>();
  for (const each of planned) {
    const key = keyOf(each);
    if (seen.has(key))
      throw badRequest(
        `${each.path}.slug: ${JSON.stringify(each.draft.slug)} occurs more than once`,
      );
    seen.add(key);
  }
}

/** Returns null if the existing function stays. */
async function writeOf(services: Services, planned: Planned): Promise<ObjectWrite | null> {
  const { kind, draft, ifExists, path } = planned;
  const existing = services.catalog.objectWithKey(draft);
  if (existing !== undefined && ifExists === 'error')
    throw badRequest(`${path}.slug: ${JSON.stringify(draft.slug)} already exists`);
  if (existing !== undefined && ifExists === 'ignore') return null;
  inside(path, () => checkedNames(draft, existing ?? null));
  const xactId = await nextVersion(services, kind);
  if (existing === undefined) return { draft: { ...draft, xactId } };
  const header = { ...existing, name: draft.name, xactId };
  return { header, fields: newObjectFields(header, draft.userId, draft.fields) };
}

/**
 * Stores functions, all or none. A function whose slug is taken replaces the existing one, unless `if_exists` says otherwise.
 * @throws RequestError 400 for an invalid function
 */
export async function insertFunctions(
  services: Services,
  caller: Caller,
  request: JsonObject,
): Promise<Reply> {
  const principal = requirePrincipal(caller);
  const items = memberOf(request, 'functions') as readonly JsonObject[];
  return services.catalog.change(async (changes) => {
    const planned = items.map((item, index) =>
      plan(services, principal, item, `functions[${index}]`),
    );
    refuseRepeated(planned);
    const taken = planned.map(({ draft }) => services.catalog.objectWithKey(draft) !== undefined);
    const writes: ObjectWrite[] = [];
    for (const each of planned) {
      const write = await writeOf(services, each);
      if (write !== null) writes.push(write);
    }
    await changes.all(writes);
    const functions = planned.map(({ draft }, index) => ({
      id: services.catalog.objectWithKey(draft)?.id,
      project_id: draft.projectId,
      slug: draft.slug,
      found_existing: taken[index],
    }));
    return jsonReply(JSON.stringify({ functions }));
  }, principal);
}
