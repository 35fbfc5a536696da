// Applies the table in `mapping`: the attributes and events of a span become fields; all others become metadata.
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import type { JsonObject, JsonValue } from '../json/json.js';
import { objectInOrder } from '../json/ordered.js';
import { stringifyJson } from '../json/stringify.js';
import { isJsonObject, memberOf, membersOf, plainJson } from '../json/tree.js';
import { eventInserts } from '../schema/event.js';
import type { Attributes } from './attributes.js';
import { flattened } from './flattened.js';
import { divided, turnsOfEvents, turnsOfList, type Turn } from './gen-ai-events.js';
import { textParser } from './json-texts.js';
import { mapping } from './mapping.js';
import type { ReaderContext } from './readers.js';
import type { AttributeRule, MessageRule, ObjectField, Rule, Target, ValueField } from './rule.js';
import type { OtlpSpan, SpanEvent } from './span.js';

export interface MappedSpan {
  readonly values: ReadonlyMap<ValueField, JsonValue>;
  readonly objects: Readonly<Record<ObjectField, Map<string, JsonValue>>>;
  /** The events that became messages, each with its attributes that are not in its message. */
  readonly usedEvents: ReadonlyMap<SpanEvent, SpanEvent['attributes']>;
}

interface Mapping extends MappedSpan {
  /** With the attributes of events that count like its own. */
  readonly span: OtlpSpan & ReaderContext;
  readonly own: Attributes;
  readonly values: Map<ValueField, JsonValue>;
  readonly usedEvents: Map<SpanEvent, SpanEvent['attributes']>;
  /** The names of the attributes that became fields. */
  readonly used: Set<string>;
}

const schemas: Readonly<Record<string, TSchema>> = eventInserts.experiment.properties;

const fieldOf = (target: Target) => target.split('.', 1)[0] as Field;

type Field = ValueField | ObjectField;

const validators = new Map(
  mapping.flatMap((rule) => {
    const field = 'to' in rule ? fieldOf(rule.to) : 'input';
    return field in schemas ? [[field, Compile(schemas[field]!)] as const] : [];
  }),
);

/** Whether the field can hold the value; no value if events of the kind lack the field. */
const fits = (field: Field, value: JsonValue): boolean =>
  validators.get(field)?.Check(plainJson(value)) === true;

/** Names that other data of the object will use. */
const isReserved = ({ own }: Mapping, field: ObjectField, name: string): boolean =>
  field === 'metadata' ? own.has(name) : field === 'context' && name === 'otel';

const nothingReserved = () => false;

/** Returns false if some member was not stored because its name is in use. */
function placeMembers(
  target: Map<string, JsonValue>,
  members: JsonObject,
  isReserved: (name: string) => boolean,
): boolean {
  let areAllPlaced = true;
  for (const [name, value] of membersOf(members)) {
    const present = target.get(name);
    if (present === undefined && !isReserved(name)) target.set(name, value);
    else if (present !== undefined && isJsonObject(present) && isJsonObject(value)) {
      const merged = new Map(membersOf(present));
      areAllPlaced = placeMembers(merged, value, nothingReserved) && areAllPlaced;
      target.set(name, objectInOrder(merged));
    } else areAllPlaced = false;
  }
  return areAllPlaced;
}

const isObjectField = (mapping: Mapping, field: string): field is ObjectField =>
  Object.hasOwn(mapping.objects, field);

function placeValue(mapping: Mapping, field: ValueField, value: JsonValue): boolean {
  if (mapping.values.has(field) || !fits(field, value)) return false;
  mapping.values.set(field, value);
  return true;
}

/** The members that the field can hold, each on its own. */
const fittingMembers = (field: ObjectField, members: JsonObject): JsonObject =>
  objectInOrder(
    new Map(
      [...membersOf(members)].filter((member) => fits(field, objectInOrder(new Map([member])))),
    ),
  );

/** Stores a value at a target. Returns whether all of it was stored. */
function place(mapping: Mapping, target: Target, value: JsonValue): boolean {
  const field = fieldOf(target);
  if (!isObjectField(mapping, field)) return placeValue(mapping, field, value);
  const members =
    target === field ? value : objectInOrder(new Map([[target.slice(field.length + 1), value]]));
  if (!isJsonObject(members)) return false;
  const areAllFitting = fits(field, members);
  const fitting = areAllFitting ? members : fittingMembers(field, members);
  const areAllPlaced = placeMembers(mapping.objects[field], fitting, (name) =>
    isReserved(mapping, field, name),
  );
  return areAllFitting && areAllPlaced;
}

/** Places a message in front of those of the input. */
function placeFirst({ values }: Mapping, message: JsonValue): boolean {
  const list = values.get('input') ?? [];
  if (!Array.isArray(list) || !list.every(isJsonObject)) return false;
  const [first] = list as readonly JsonValue[];
  if (first === undefined || stringifyJson(first) !== stringifyJson(message))
    values.set('input', [message, ...(list as readonly JsonValue[])]);
  return true;
}

/** The content of a message, or of its only part. */
function textOf(message: JsonValue): JsonValue | undefined {
  if (!isJsonObject(message)) return undefined;
  const parts = memberOf(message, 'parts');
  const [only, ...others] = Array.isArray(parts) ? (parts as readonly JsonValue[]) : [message];
  return others.length === 0 && isJsonObject(only) ? memberOf(only, 'content') : undefined;
}

/** The output may be there already: the result that the answer at the end has. Another answer stays among the messages. */
function placeConversation(mapping: Mapping, list: readonly JsonObject[]): boolean {
  const turns = turnsOfList(list, messageRule, mapping.span);
  const { input, output } = divided(turns);
  const result = mapping.values.get('output');
  const isInOutput =
    result === undefined
      ? output.length > 0 && placeValue(mapping, 'output', messagesOf(output))
      : output.length === 1 && textOf(output[0]!.message) === result;
  return placeValue(mapping, 'input', messagesOf(isInOutput ? input : turns));
}

const messagesOf = (turns: readonly Turn<unknown>[]): readonly JsonValue[] =>
  turns.map(({ message }) => message);

/** Places a value by its rule. Returns whether all of it was stored. */
function placeByRule(
  mapping: Mapping,
  { to, isFirst }: AttributeRule,
  target: Target,
  value: JsonValue,
) {
  if (to === 'conversation') return placeConversation(mapping, value as readonly JsonObject[]);
  return isFirst === true ? placeFirst(mapping, value) : place(mapping, target, value);
}

/** Reads the value of an attribute and stores it. */
function placeAttribute(
  mapping: Mapping,
  rule: AttributeRule,
  name: string,
  target = rule.to,
): void {
  const { reader, keeps } = rule;
  const { span } = mapping;
  const value = span.attributes.get(name);
  if (value === undefined || mapping.used.has(name)) return;
  const placed = reader.read(value, span);
  if (placed === undefined || !placeByRule(mapping, rule, target, placed)) return;
  if (keeps?.(value, span) !== true) mapping.used.add(name);
}

/** Stores all attributes below a name as one value. */
function placeTree(mapping: Mapping, { from, to, reader }: AttributeRule): void {
  const { span } = mapping;
  const tree = flattened(span.attributes, from.slice(0, -1));
  if (tree === null) return;
  const value = reader.read(tree.value, span);
  if (value === undefined || !place(mapping, to, value)) return;
  for (const name of tree.names) mapping.used.add(name);
}

function placeEach(mapping: Mapping, rule: AttributeRule): void {
  const prefix = rule.from.slice(0, -1);
  const target = rule.to.slice(0, -1);
  for (const name of mapping.span.attributes.keys())
    if (name.startsWith(prefix) && name.length > prefix.length)
      placeAttribute(mapping, rule, name, `${target}${name.slice(prefix.length)}` as Target);
}

function placeEvents(mapping: Mapping, rule: MessageRule): void {
  const conversation = divided(turnsOfEvents(mapping.span.events, rule, mapping.span));
  for (const field of ['input', 'output'] as const) {
    const turns = conversation[field];
    if (turns.length === 0 || !placeValue(mapping, field, messagesOf(turns))) continue;
    for (const { source } of turns) mapping.usedEvents.set(source.event, source.left);
  }
}

function apply(mapping: Mapping, rule: Rule): void {
  if ('messages' in rule) placeEvents(mapping, rule);
  else if ('event' in rule || rule.when?.test(mapping.span.attributes) === false) return;
  else if (!rule.from.endsWith('.*')) placeAttribute(mapping, rule, rule.from);
  else if (rule.to.endsWith('.*')) placeEach(mapping, rule);
  else placeTree(mapping, rule);
}

/** Adds the total number of tokens if the span lacks it. */
function addTokens(metrics: Map<string, JsonValue>): void {
  const counts = ['prompt_tokens', 'completion_tokens'].map((name) => metrics.get(name));
  const numbers = counts.filter((count) => typeof count === 'number');
  if (numbers.length > 0 && !metrics.has('tokens'))
    metrics.set(
      'tokens',
      numbers.reduce((sum, count) => sum + count, 0),
    );
}

const preserving = 'braintrust.otel.preserve_attributes';

function addOthers({ own, used, objects }: Mapping): void {
  const preserves = own.get(preserving) === true;
  for (const [name, value] of own)
    if (preserves || !used.has(name)) objects.metadata.set(name, value);
}

const isDetail = ({ name }: SpanEvent, rules: readonly Rule[]): boolean =>
  rules.some((rule) => 'event' in rule && rule.event === name);

/** The attributes of an event that did not become fields. */
const unusedOf = ({ attributes }: SpanEvent, { own, used }: Mapping): Attributes =>
  new Map([...attributes].filter(([name]) => own.has(name) || !used.has(name)));

/** The rules for all messages come last, since messages may come by several of the others. */
const inOrder = (rules: readonly Rule[]): readonly Rule[] => [
  ...rules.filter((rule) => !('isFirst' in rule)),
  ...rules.filter((rule) => 'isFirst' in rule),
];

const messageRule = mapping.find((rule) => 'messages' in rule)!;

const ordered = inOrder(mapping);

/** @param rules the mapping, or a part of it */
export function mapSpan(span: OtlpSpan, rules?: readonly Rule[]): MappedSpan {
  const details = span.events.filter((event) => isDetail(event, rules ?? mapping));
  const attributes =
    details.length === 0
      ? span.attributes
      : new Map([...details.flatMap((event) => [...event.attributes]), ...span.attributes]);
  const mapped: Mapping = {
    span: { ...span, attributes, parseText: textParser() },
    own: span.attributes,
    values: new Map(),
    objects: {
      metadata: new Map(),
      metrics: new Map(),
      scores: new Map(),
      span_attributes: new Map(),
      context: new Map(),
    },
    usedEvents: new Map(),
    used: new Set(),
  };
  for (const rule of rules === undefined ? ordered : inOrder(rules)) apply(mapped, rule);
  for (const event of details) mapped.usedEvents.set(event, unusedOf(event, mapped));
  addTokens(mapped.objects.metrics);
  addOthers(mapped);
  return mapped;
}
