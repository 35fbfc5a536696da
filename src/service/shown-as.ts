// Prompts as functions: what lists and reads of functions show of them.
import type { ObjectHeader } from '../catalog/header.js';
import type { ObjectKind } from '../resource/definition.js';

const promptAsFunction = ',"function_data":{"type":"prompt"}}';

/** The JSON text of an object, which `body` is, as one of `kind`. */
export const shownAs = (kind: ObjectKind, header: ObjectHeader, body: string): string =>
  kind === 'function' && header.kind === 'prompt' ? body.slice(0, -1) + promptAsFunction : body;
