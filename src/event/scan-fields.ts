// The scanner's table of event fields, derived from their schemas.
import { Type, type TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { hashOf } from '../json/compact/name.js';
import { copyText, createText } from '../json/compact/text.js';
import type { Kind, Members } from '../json/compact/value.js';
import { eventInserts, deprecatedEventNames } from '../schema/event.js';
import { type JsonColumn, jsonColumns } from '../schema/event-columns.js';
import type { EventObjectKind } from '../schema/event-row.js';

export interface ScannedField {
  readonly name: string;
  readonly nameBytes: Buffer;
  /** The bit of the field, unique in its table; 0 for a field that can only be null, where a duplicate changes nothing. */
  readonly bit: number;
  readonly kind: Kind;
  /** The member rules of an object. */
  readonly members: Members | null;
  /** The index in `jsonColumns`; -1 for other fields. */
  readonly column: number;
  /** Whether the value matches the schema; called for fields that are not JSON columns. */
  readonly accepts: (value: unknown) => boolean;
}

export interface FieldTable {
  readonly byHash: ReadonlyMap<number, ScannedField>;
  /** Whether to ignore unknown fields; otherwise events with unknown fields are declined. */
  readonly ignoresOthers: boolean;
}

/** The JSON schema keywords in schemas of event fields. */
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

/** @throws Error for an unknown form of schema */
function kindOf(schema: Keywords): Kind {
  const types = (schema.anyOf ?? [schema]).map(({ type = '' }) => type).sort();
  const kind = kindsByType[types.join(' ')];
  if (kind === undefined) throw new Error(`a field of an event may be ${types.join(', ')}`);
  return kind;
}

const hashOfName = (name: string): number => {
  const bytes = Buffer.from(name);
  const text = createText();
  copyText(text, bytes, 0, bytes.length);
  return hashOf(text, 0, bytes.length);
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

/** `absent`: the scanner accepts only null. `never`: it accepts no value. The decoder reads events with other values. */
const absent = Type.Null();
const never = Type.Union([]);

/** Whether the scanner accepts at most null. */
const isNullAlone = (schema: TSchema): boolean => schema === absent || schema === never;

function fieldsByHash(
  schemas: Readonly<Record<string, TSchema>>,
): ReadonlyMap<number, ScannedField> {
  let bit = 1;
  const fields = Object.entries(schemas).map(([name, schema]) => {
    if (isNullAlone(schema)) return field(name, schema, 0);
    const own = bit;
    bit *= 2;
    return field(name, schema, own);
  });
  if (bit > 2 ** 31) throw new Error('an event has more fields than a number has bits');
  return new Map(fields.map((each) => [hashOfName(each.name), each]));
}

const insertTable = (kind: EventObjectKind): FieldTable => ({
  byHash: fieldsByHash({ ...eventInserts[kind].properties, _array_delete: absent }),
  ignoresOthers: false,
});

/** The table for inserts into one object. */
export const insertTables: Readonly<Record<EventObjectKind, FieldTable>> = {
  project_logs: insertTable('project_logs'),
  experiment: insertTable('experiment'),
  dataset: insertTable('dataset'),
};

const text = Type.Union([Type.String(), Type.Null()]);
/** The table for rows that name their object. Rows about another event are declined. */
export const rowTable: FieldTable = {
  byHash: fieldsByHash({
    ...eventInserts.experiment.properties,
    experiment_id: text,
    dataset_id: text,
    project_id: text,
    log_id: text,
    prompt_session_id: absent,
    datasetRecordId: absent,
    comment: absent,
    _audit_source: absent,
    _array_delete: absent,
    ...Object.fromEntries(
      Object.keys(deprecatedEventNames.experiment).map((name) => [name, never]),
    ),
  }),
  ignoresOthers: true,
};

const bitsOf = ({ byHash }: FieldTable, isMeant: (name: string) => boolean): number =>
  [...byHash.values()].reduce((bits, { name, bit }) => (isMeant(name) ? bits | bit : bits), 0);

const isFieldOf = (kind: EventObjectKind, name: string): boolean =>
  Object.hasOwn(eventInserts[kind].properties, name);

const otherFields = (kind: EventObjectKind): number =>
  bitsOf(rowTable, (name) => isFieldOf('experiment', name) && !isFieldOf(kind, name));

/** The bits of fields that events of the kind do not have, or have under another name. */
export const otherRowFields: Readonly<Record<EventObjectKind, number>> = {
  project_logs: otherFields('project_logs'),
  experiment: otherFields('experiment'),
  dataset: otherFields('dataset'),
};
