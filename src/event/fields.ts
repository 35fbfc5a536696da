// One event of a request body -> its fields under their present names, each checked against its schema.
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { badRequest, type RequestError } from '../errors.js';
import type { JsonObject, JsonValue } from '../json/json.js';
import { isJsonObject, keysOf, memberOf, membersOf, plainJson } from '../json/tree.js';
import {
  eventInserts,
  type InsertField,
  isIgnoredEventField,
  oldEventNames,
} from '../schema/event.js';
import type { EventObjectKind } from '../schema/event-row.js';
import { expected, fieldError, shown } from './field-error.js';

/** Fields that the client did not send are missing. */
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

/**
 * The row without the fields that events of the kind do not have, and without former names of fields that are sent
 * under their present name, too.
 */
export function knownFields(kind: EventObjectKind, row: JsonObject): JsonObject {
  const rules = rulesByKind[kind];
  const known = [...membersOf(row)].filter(([name]) => {
    const rule = rules.get(name);
    return rule !== undefined && (rule.field === name || memberOf(row, rule.field) === undefined);
  });
  return row instanceof Map ? new Map(known) : Object.fromEntries(known);
}

/** `plain` says that the event holds no exact forms; `place` names it in errors (400). */
export function readFields(
  kind: EventObjectKind,
  event: JsonValue,
  plain: boolean,
  place: string,
): EventFields {
  if (!isJsonObject(event)) throw expected(place, 'an object', event);
  const rules = rulesByKind[kind];
  let isRenamed = event instanceof Map;
  for (const name of keysOf(event)) {
    const rule = rules.get(name);
    if (rule === undefined) {
      if (!isIgnoredEventField(name)) throw unknownField(name, place);
      continue;
    }
    const value = memberOf(event, name) ?? null;
    if (!rule.accepts(plain ? value : plainJson(value))) {
      throw fieldError(rule.schema, value, `${place}.${name}`);
    }
    isRenamed ||= rule.field !== name;
  }
  return isRenamed ? underPresentNames(rules, event, place) : (event as EventFields);
}

function underPresentNames(rules: FieldRules, event: JsonObject, place: string): EventFields {
  const fields: EventFields = {};
  for (const [name, value] of membersOf(event)) {
    const field = rules.get(name)?.field;
    if (field === undefined) continue;
    if (field !== name && memberOf(event, field) !== undefined) {
      throw badRequest(`${place}: ${name} is the old name of ${field}, send only one of them`);
    }
    fields[field] = value;
  }
  return fields;
}

function fieldRules(kind: EventObjectKind): FieldRules {
  const schemas = Object.entries(eventInserts[kind].properties) as [InsertField, TSchema][];
  const rules = new Map(schemas.map(([field, schema]) => [field as string, rule(field, schema)]));
  for (const [oldName, field] of Object.entries(oldEventNames[kind])) {
    const present = rules.get(field);
    if (present !== undefined) rules.set(oldName, present);
  }
  return rules;
}

function rule(field: InsertField, schema: TSchema): FieldRule {
  const validator = Compile(schema);
  return { field, schema, accepts: (value) => validator.Check(value) };
}

const unknownField = (name: string, place: string): RequestError =>
  badRequest(`${place}: unknown field ${shown(name)}`);
