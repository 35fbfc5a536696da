// Where the import of an export writes, and what it has written: the ids and versions there, by those of the export.
import type { JsonObject, JsonValue } from '../../../json/json.js';
import { parseJson } from '../../../json/parse.js';
import { stringifyJson } from '../../../json/stringify.js';
import { memberOf } from '../../../json/tree.js';
import type { Client } from '../../connection.js';
import type { Journal } from '../../export/journal.js';
import { textOf } from '../../export/objects.js';

export interface Target {
  readonly client: Client;
  readonly journal: Journal;
  readonly directory: string;
  readonly projectId: string;
  /** Ids on the server by ids of the export. */
  readonly ids: Map<string, string>;
  /** Versions on the server by `versionKey`. */
  readonly versions: Map<string, string>;
}

export const versionKey = (id: string, version: string): string => `${id}@${version}`;

/** Sends an object with exact numbers and in its order of keys; answers what is stored. */
export async function sendObject(
  client: Client,
  method: 'POST' | 'PUT' | 'PATCH',
  address: string,
  fields: ReadonlyMap<string, JsonValue>,
): Promise<JsonObject> {
  const text = stringifyJson(fields);
  const answer = await client.sendBytes(method, address, text, 'application/json');
  return parseJson(await answer.text(), address) as JsonObject;
}

/** The fields of an object that are not null and that the schema of a request has. */
export const fieldsFor = (
  object: JsonObject,
  { properties }: { readonly properties: object },
  changed: Readonly<Record<string, JsonValue>> = {},
): Map<string, JsonValue> =>
  new Map(
    Object.keys(properties).flatMap((name) => {
      const value = (name in changed ? changed[name] : memberOf(object, name)) ?? null;
      return value === null ? [] : [[name, value] as const];
    }),
  );

/** The id on the server of what a field names; null if the export does not have it. */
export function mappedId({ ids }: Target, object: JsonObject, field: string): string | null {
  const named = memberOf(object, field) ?? null;
  return named === null ? null : (ids.get(textOf(object, field)) ?? null);
}
