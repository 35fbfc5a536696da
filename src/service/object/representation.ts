// The JSON of objects in answers, if it differs from the stored text: prompts as functions, and keys with their last use.
import type { ObjectHeader } from '../../catalog/header.js';
import type { ObjectKind } from '../../schema/resources/definition.js';
import type { Services } from '../context.js';

const promptAsFunction = ',"function_data":{"type":"prompt"}}';

function lastUsed({ accounts }: Services, id: string): string {
  const used = accounts.lastUseOf(id);
  return `,"last_used":${used === null ? 'null' : JSON.stringify(new Date(used).toISOString())}}`;
}

/** Returns `body`, the stored JSON text of an object, as an object of `kind`. */
export function representationOf(
  services: Services,
  kind: ObjectKind,
  header: ObjectHeader,
  body: string,
): string {
  if (kind === 'function' && header.kind === 'prompt') return body.slice(0, -1) + promptAsFunction;
  return kind === 'api_key' || kind === 'service_token'
    ? body.slice(0, -1) + lastUsed(services, header.id)
    : body;
}
