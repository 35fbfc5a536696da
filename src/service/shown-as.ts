// Answers that differ from what is stored: prompts as functions, and keys with their last use.
import type { ObjectHeader } from '../catalog/header.js';
import type { ObjectKind } from '../resource/definition.js';
import type { Services } from './context.js';

const promptAsFunction = ',"function_data":{"type":"prompt"}}';

function lastUsed({ accounts }: Services, id: string): string {
  const used = accounts.lastUseOf(id);
  return `,"last_used":${used === null ? 'null' : JSON.stringify(new Date(used).toISOString())}}`;
}

/** The JSON text of an object, which `body` is, as one of `kind`. */
export function shownAs(
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
