// Applies the table in `mapping`: the attributes and events of a span become fields; all others become metadata.
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import type { JsonObject, JsonValue } from '../json/json.js';
import { objectInOrder } from '../json/ordered.js';
import { isJsonObject, membersOf, plainJson } from '../json/tree.js';
import { eventInserts } from '../schema/event.js';
import { flattened } from './flattened.js';
import { messagesOfEvents } from './gen-ai-events.js';
import { textParser } from './json-texts.js';
import {
  mapping,
  type AttributeRule,
  type EventRule,
  type ObjectField,
  type Rule,
  type Target,
  type ValueField,
} from './mapping.js';
import type { ReaderContext } from './readers.js';
import type { OtlpSpan, SpanEvent } from './span.js';

export interface MappedSpan {
  readonly values: ReadonlyMap<ValueField, JsonValue>;
  readonly objects: Readonly<Record<ObjectField, Map<string, JsonValue>>>;
  /** The events that became messages, each with its attributes that are not in its message. */
  readonly usedEvents: ReadonlyMap<SpanEvent, SpanEvent['attributes']>;
}

interface Mapping extends MappedSpan {
  readonly span: OtlpSpan & ReaderContext;
  readonly values: Map<ValueField, JsonValue>;
  readonly usedEvents: Map<SpanEvent, SpanEvent['attributes']>;
  /** The names of the attributes that became fields. */
  readonly used: Set<string>;
}

const schemas: Readonly<Record<string, TSchema>> = eventInserts.experiment.properties;

const fieldOf = (target: Target) => target.split('.', 1)[0] as ValueField | ObjectField;

/** The rules for fields that events of the kind have. */
const rules: readonly Rule[] = mapping.filter(({ to }) => fieldOf(to) in schemas);

const validators = new Map(
  [...new Set(rules.map(({ to }) => fieldOf(to)))].map((field) => [
    field,
    Compile(schemas[field]!),
  ]),
);

const fits = (field: ValueField | ObjectField, value: JsonValue): boolean =>
  validators.get(field)?.Check(plainJson(value)) === true;

/** Names that other data of the object will use. */
const isReserved = ({ span }: Mapping, field: ObjectField, name: string): boolean =>
  field === 'metadata' ? span.attributes.has(name) : field === 'context' && name === 'otel';

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

/** Stores a value at a target. Returns whether all of it was stored. */
function place(mapping: Mapping, target: Target, value: JsonValue): boolean {
  const field = fieldOf(target);
  if (!isObjectField(mapping, field)) {
    if (mapping.values.has(field) || !fits(field, value)) return false;
    mapping.values.set(field, value);
    return true;
  }
  const members =
    target === field ? value : objectInOrder(new Map([[target.slice(field.length + 1), value]]));
  return (
    isJsonObject(members) &&
    fits(field, members) &&
    placeMembers(mapping.objects[field], members, (name) => isReserved(mapping, field, name))
  );
}

/** Reads the value of an attribute and stores it. */
function placeAttribute(
  mapping: Mapping,
  { read, keeps, to }: AttributeRule,
  name: string,
  target = to,
): void {
  const { span } = mapping;
  const value = span.attributes.get(name);
  if (value === undefined || mapping.used.has(name)) return;
  const placed = read(value, span);
  if (placed === undefined || !place(mapping, target, placed)) return;
  if (keeps?.(value, span) !== true) mapping.used.add(name);
}

/** Stores all attributes below a name as one value. */
function placeTree(mapping: Mapping, { from, to, read }: AttributeRule): void {
  const { span } = mapping;
  const tree = flattened(span.attributes, from.slice(0, -1));
  if (tree === null) return;
  const value = read(tree.value, span);
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

function placeEvents(mapping: Mapping, { events: roles, to }: EventRule): void {
  const { messages, events } = messagesOfEvents(mapping.span.events, roles, mapping.span);
  if (messages.length === 0 || !place(mapping, to, messages)) return;
  for (const [event, left] of events) mapping.usedEvents.set(event, left);
}

function apply(mapping: Mapping, rule: Rule): void {
  if ('events' in rule) placeEvents(mapping, rule);
  else if (rule.when?.(mapping.span.attributes) === false) return;
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

function addOthers({ span, used, objects }: Mapping): void {
  const preserves = span.attributes.get(preserving) === true;
  for (const [name, value] of span.attributes)
    if (preserves || !used.has(name)) objects.metadata.set(name, value);
}

export function mapSpan(span: OtlpSpan): MappedSpan {
  const mapping: Mapping = {
    span: { ...span, parseText: textParser() },
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
  for (const rule of rules) apply(mapping, rule);
  addTokens(mapping.objects.metrics);
  addOthers(mapping);
  return mapping;
}
