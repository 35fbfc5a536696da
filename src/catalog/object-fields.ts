// Composes the fields of an object from those that the server sets, those that the client sent, and defaults.
import type { JsonObject, JsonValue } from '../json/json.js';
import { parseJson } from '../json/parse.js';
import { membersOf } from '../json/tree.js';
import { resourceKinds } from '../schema/resources/table.js';
import { formatXactId } from '../schema/xact-id.js';
import type { TSchema } from 'typebox';
import { Check, Default } from 'typebox/value';
import type { ObjectFields, ObjectHeader } from './header.js';

/** The fields in a stored JSON text. */
export const fieldsOf = (body: string): ObjectFields =>
  new Map(membersOf(parseJson(body) as JsonObject));

/** Microseconds since 1970 as ISO 8601 text with six decimals. */
export function formatMicros(micros: bigint): string {
  const milliseconds = new Date(Number(micros / 1000n)).toISOString();
  return `${milliseconds.slice(0, -1)}${String(micros % 1000n).padStart(3, '0')}Z`;
}

const serverFields = (
  header: ObjectHeader,
  userId: string | null,
): ReadonlyMap<string, JsonValue> =>
  new Map<string, JsonValue>([
    ['id', header.id],
    ['_xact_id', header.xactId === null ? null : formatXactId(header.xactId)],
    ['org_id', header.orgId],
    ['project_id', header.projectId],
    ['name', header.name],
    ['created', formatMicros(header.created)],
    ['deleted_at', null],
    ['user_id', userId],
    ['public', header.public],
  ]);

/** The default value of a field. */
const defaultOf = (schema: TSchema) => (Default(schema, undefined) ?? null) as JsonValue;

/** A nullable field defaults to null; others are omitted. */
const isAnswered = (schema: TSchema, value: JsonValue) => value !== null || Check(schema, null);

/** @param set fields to which the server assigns other values than usual */
export function newObjectFields(
  header: ObjectHeader,
  userId: string | null,
  sent: ObjectFields,
  set: ObjectFields = new Map(),
): ObjectFields {
  const own = serverFields(header, userId);
  const { object, stored = object } = resourceKinds[header.kind];
  const { properties } = stored;
  const valueOf = (name: string) => (set.has(name) ? undefined : (own.get(name) ?? sent.get(name)));
  return new Map(
    Object.entries(properties)
      .map(
        ([name, schema]) =>
          [name, schema, set.get(name) ?? valueOf(name) ?? defaultOf(schema)] as const,
      )
      .filter(([, schema, value]) => isAnswered(schema, value))
      .map(([name, , value]) => [name, value]),
  );
}

/** The fields in the order of the answers of the kind. */
export function inAnswerOrder(header: ObjectHeader, fields: ObjectFields): ObjectFields {
  const { object, stored = object } = resourceKinds[header.kind];
  const names = Object.keys(stored.properties);
  return new Map(
    names.filter((name) => fields.has(name)).map((name) => [name, fields.get(name) ?? null]),
  );
}
