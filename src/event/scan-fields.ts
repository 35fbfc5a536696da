// What the scanner has to know of the fields of an event: taken from their schemas, so that it checks what they say.
import { Type, type TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { hashOf } from '../json/compact/name.js';
import { createText } from '../json/compact/text.js';
import type { Kind, Members } from '../json/compact/value.js';
import { eventInserts, oldEventNames } from '../schema/event.js';
import { type JsonColumn, jsonColumns } from '../schema/event-columns.js';
import type { EventObjectKind } from '../schema/event-row.js';

export interface ScannedField {
  readonly name: string;
  readonly nameBytes: Buffer;
  /** One bit, its own in its table. */
  readonly bit: number;
  readonly kind: Kind;
  /** Of an object with members that are checked. */
  readonly members: Members | null;
  /** Place in `jsonColumns`; -1 for other fields. */
  readonly column: number;
  /** Whether the value fits the schema; asked for fields that are no JSON columns. */
  readonly accepts: (value: unknown) => boolean;
}

export interface FieldTable {
  readonly byHash: ReadonlyMap<number, ScannedField>;
  /** Fields that are not in the table are left out; else they need the decoder. */
  readonly ignoresOthers: boolean;
}

/** The keywords of JSON schema that the fields of events use. */
interface Keywords {
  readonly type?: string;
  readonly anyOf?: readonly Keywords[];
  readonly properties?: Readonly<Record<string, Keywords>>;
  readonly additionalProperties?: Keywords;
}

const kindsByType: Readonly<Record<string, Kind>> = {
  '': 'any',
  null: 'null',
  'array null': 'any',
  'boolean null': 'boolean',
  'boolean null number': 'score',
  'integer null': 'integer',
  'null number': 'number',
  'null object': 'object',
  'null string': 'string',
};

/** @throws Error for a schema of a form that no field had when the scanner was written */
function kindOf(schema: Keywords): Kind {
  const types = (schema.anyOf ?? [schema]).map(({ type = '' }) => type).sort();
  const kind = kindsByType[types.join(' ')];
  if (kind === undefined) throw new Error(`a field of an event may be ${types.join(', ')}`);
  return kind;
}

const hashOfName = (name: string): number => {
  const text = createText(name.length);
  return hashOf(text, 0, text.bytes.write(name));
};

function membersOf(schema: Keywords): Members | null {
  const object = schema.anyOf?.find(({ type }) => type === 'object');
  if (object === undefined) return null;
  const { properties = {}, additionalProperties = {} } = object;
  const known = new Map(
    Object.entries(properties).map(([name, member]) => [hashOfName(name), kindOf(member)]),
  );
  const others = kindOf(additionalProperties);
  return known.size === 0 && others === 'any' ? null : { known, others };
}

function field(name: string, schema: TSchema, bit: number): ScannedField {
  const validator = Compile(schema);
  return {
    name,
    nameBytes: Buffer.from(name),
    bit,
    kind: kindOf(schema),
    members: membersOf(schema),
    column: jsonColumns.indexOf(name as JsonColumn),
    accepts: (value) => validator.Check(value),
  };
}

function fieldsByHash(
  schemas: Readonly<Record<string, TSchema>>,
): ReadonlyMap<number, ScannedField> {
  const fields = Object.entries(schemas).map(([name, schema], place) =>
    field(name, schema, 2 ** place),
  );
  if (fields.length > 31) throw new Error('an event has more fields than a number has bits');
  return new Map(fields.map((each) => [hashOfName(each.name), each]));
}

const insertTable = (kind: EventObjectKind): FieldTable => ({
  byHash: fieldsByHash(eventInserts[kind].properties),
  ignoresOthers: false,
});

/** Of the body of an insert into one object. */
export const insertTables: Readonly<Record<EventObjectKind, FieldTable>> = {
  project_logs: insertTable('project_logs'),
  experiment: insertTable('experiment'),
  dataset: insertTable('dataset'),
};

const text = Type.Union([Type.String(), Type.Null()]);
const absent = Type.Null();
const never = Type.Union([]);

/** Of rows that name their object. Rows that say something about another event need the decoder. */
export const rowTable: FieldTable = {
  byHash: fieldsByHash({
    ...eventInserts.experiment.properties,
    experiment_id: text,
    dataset_id: text,
    project_id: text,
    log_id: text,
    prompt_session_id: absent,
    comment: absent,
    _audit_source: absent,
    _array_delete: absent,
    ...Object.fromEntries(Object.keys(oldEventNames.experiment).map((name) => [name, never])),
  }),
  ignoresOthers: true,
};

const bitsOf = ({ byHash }: FieldTable, isMeant: (name: string) => boolean): number =>
  [...byHash.values()].reduce((bits, { name, bit }) => (isMeant(name) ? bits | bit : bits), 0);

const isFieldOf = (kind: EventObjectKind, name: string): boolean =>
  Object.hasOwn(eventInserts[kind].properties, name);

const otherFields = (kind: EventObjectKind): number =>
  bitsOf(rowTable, (name) => isFieldOf('experiment', name) && !isFieldOf(kind, name));

/** Bits of the fields that events of a kind do not have, or have under another name. */
export const otherRowFields: Readonly<Record<EventObjectKind, number>> = {
  project_logs: otherFields('project_logs'),
  experiment: otherFields('experiment'),
  dataset: otherFields('dataset'),
};
