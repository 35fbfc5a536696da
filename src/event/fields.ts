// Reads the fields of an event under their current names, and validates each against its schema.
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { badRequest, type RequestError } from '../errors.js';
import type { JsonObject, JsonValue } from '../json/json.js';
import { isJsonObject, keysOf, memberOf, membersOf, plainJson } from '../json/tree.js';
import {
  eventInserts,
  type InsertField,
  isIgnoredEventField,
  deprecatedEventNames,
} from '../schema/event.js';
import type { EventObjectKind } from '../schema/event-row.js';
import { expected, fieldError, jsonForError } from './field-error.js';

/** Fields that were not sent are absent. */
export type EventFields = Partial<Record<InsertField, JsonValue>>;

interface FieldRule {
  readonly field: InsertField;
  readonly schema: TSchema;
  readonly accepts: (value: unknown) => boolean;
}

type FieldRules = ReadonlyMap<string, FieldRule>;

const rulesByKind: Readonly<Record<EventObjectKind, FieldRules>> = {
  project_logs: fieldRules('project_logs'),
  experiment: fieldRules('experiment'),
  dataset: fieldRules('dataset'),
};

export const isEventField = (kind: EventObjectKind, name: string): boolean =>
  rulesByKind[kind].has(name);

/**
 * Removes fields that events of the kind do not have, and deprecated names of fields that are also sent under their current name.
 */
export function knownFields(kind: EventObjectKind, row: JsonObject): JsonObject {
  const rules = rulesByKind[kind];
  const known = [...membersOf(row)].filter(([name]) => {
    const rule = rules.get(name);
    return rule !== undefined && (rule.field === name || memberOf(row, rule.field) === undefined);
  });
  return row instanceof Map ? new Map(known) : Object.fromEntries(known);
}

/** `plain` means that no value needs the exact form. @throws RequestError 400 that names `path` */
export function readFields(
  kind: EventObjectKind,
  event: JsonValue,
  plain: boolean,
  path: string,
): EventFields {
  if (!isJsonObject(event)) throw expected(path, 'an object', event);
  const rules = rulesByKind[kind];
  let isRenamed = event instanceof Map;
  for (const name of keysOf(event)) {
    const rule = rules.get(name);
    if (rule === undefined) {
      if (!isIgnoredEventField(name)) throw unknownField(name, path);
      continue;
    }
    const value = memberOf(event, name) ?? null;
    if (!rule.accepts(plain ? value : plainJson(value))) {
      throw fieldError(rule.schema, value, `${path}.${name}`);
    }
    isRenamed ||= rule.field !== name;
  }
  return isRenamed ? underCurrentNames(rules, event, path) : (event as EventFields);
}

function underCurrentNames(rules: FieldRules, event: JsonObject, path: string): EventFields {
  const fields: EventFields = {};
  for (const [name, value] of membersOf(event)) {
    const field = rules.get(name)?.field;
    if (field === undefined) continue;
    if (field !== name && memberOf(event, field) !== undefined) {
      throw badRequest(
        `${path}: ${name} is the deprecated name of ${field}, send only one of them`,
      );
    }
    fields[field] = value;
  }
  return fields;
}

function fieldRules(kind: EventObjectKind): FieldRules {
  const schemas = Object.entries(eventInserts[kind].properties) as [InsertField, TSchema][];
  const rules = new Map(schemas.map(([field, schema]) => [field as string, rule(field, schema)]));
  for (const [oldName, field] of Object.entries(deprecatedEventNames[kind])) {
    const present = rules.get(field);
    if (present !== undefined) rules.set(oldName, present);
  }
  return rules;
}

function rule(field: InsertField, schema: TSchema): FieldRule {
  const validator = Compile(schema);
  return { field, schema, accepts: (value) => validator.Check(value) };
}

const unknownField = (name: string, path: string): RequestError =>
  badRequest(`${path}: unknown field ${jsonForError(name)}`);
