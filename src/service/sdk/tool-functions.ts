// The tools of a published prompt. SDKs name functions by slug when they publish, and load only prompts that name them by id.
import type { ObjectFields, ObjectHeader } from '../../catalog/header.js';
import { badRequest } from '../../errors.js';
import type { JsonValue } from '../../json/json.js';
import { objectInOrder } from '../../json/ordered.js';
import { isJsonObject, memberOf, membersOf } from '../../json/tree.js';
import { can, reachable } from '../access/access.js';
import type { KeyCaller, Services } from '../context.js';

/** The function or prompt with the slug that the caller may read. */
function functionBySlug(
  services: Services,
  caller: KeyCaller,
  projectId: string,
  slug: string,
): ObjectHeader | undefined {
  const project = reachable(services, 'project', projectId);
  if (project === undefined) return undefined;
  const { id, orgId } = project;
  return (['function', 'prompt'] as const)
    .map((kind) => services.catalog.objectWithKey({ kind, orgId, projectId: id, name: '', slug }))
    .find((found) => found !== undefined && can(services, caller, 'read', found));
}

function toolById(services: Services, caller: KeyCaller, tool: JsonValue, path: string): JsonValue {
  if (!isJsonObject(tool) || memberOf(tool, 'type') !== 'slug') return tool;
  const [projectId, slug] = [memberOf(tool, 'project_id'), memberOf(tool, 'slug')];
  const found =
    typeof projectId === 'string' && typeof slug === 'string'
      ? functionBySlug(services, caller, projectId, slug)
      : undefined;
  if (found === undefined)
    throw badRequest(
      `${path}: no function with the slug ${JSON.stringify(slug ?? null)} that this key may use`,
    );
  return { type: 'function', id: found.id };
}

/**
 * The fields of a function with the ids of its tools.
 * @throws RequestError 400 for an unknown slug
 */
export function withToolIds(
  services: Services,
  caller: KeyCaller,
  sent: ObjectFields,
  path: string,
): ObjectFields {
  const prompt = sent.get('prompt_data') ?? null;
  const tools = isJsonObject(prompt) ? memberOf(prompt, 'tool_functions') : null;
  if (!isJsonObject(prompt) || !Array.isArray(tools)) return sent;
  const byId = (tools as readonly JsonValue[]).map((tool, index) =>
    toolById(services, caller, tool, `${path}.prompt_data.tool_functions[${index}]`),
  );
  const known = objectInOrder(new Map([...membersOf(prompt), ['tool_functions', byId]]));
  return new Map([...sent, ['prompt_data', known]]);
}
