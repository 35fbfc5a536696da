// The SQL types of columns in files, and those that the schema of events gives to paths of JSON.
import type { Step } from '../syntax/ast.js';

/** A column of JSON holds the text of any value. */
export type ColumnType =
  'BOOLEAN' | 'BIGINT' | 'DOUBLE' | 'VARCHAR' | 'TIMESTAMPTZ' | 'VARCHAR[]' | 'JSON';

interface ObjectType {
  /** The types of members by name. */
  readonly members?: Readonly<Record<string, ColumnType>>;
  /** The type of all other members. */
  readonly others?: ColumnType;
}

/** The JSON fields that hold nothing but objects and arrays. */
const objectTypes: Readonly<Record<string, ObjectType>> = {
  scores: { others: 'DOUBLE' },
  metrics: { others: 'DOUBLE' },
  span_attributes: { members: { name: 'VARCHAR', type: 'VARCHAR' } },
  context: {
    members: {
      caller_functionname: 'VARCHAR',
      caller_filename: 'VARCHAR',
      caller_lineno: 'BIGINT',
    },
  },
  metadata: {},
  origin: {},
  classifications: {},
  comments: {},
  audit: {},
};

const objectType = (field: string): ObjectType | null =>
  Object.hasOwn(objectTypes, field) ? (objectTypes[field] ?? null) : null;

/** The type of a path of JSON whatever its values are; null if it follows from them. */
export function typeOfPath(field: string, [name, ...below]: readonly Step[]): ColumnType | null {
  const type = objectType(field);
  if (type === null || below.length > 0) return null;
  if (name === undefined) return 'JSON';
  if (typeof name === 'number') return null;
  const { members = {}, others = null } = type;
  return Object.hasOwn(members, name) ? (members[name] ?? null) : others;
}

/** The type of all members of a field. */
export const typeOfMembers = (field: string): ColumnType | null =>
  objectType(field)?.others ?? null;
