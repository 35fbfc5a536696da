// Schemas in OpenAPI 3.1. A schema with a title becomes a component.
import type { TSchema } from 'typebox';
import { anyKeyPattern } from '../schema/scalar.js';

type Keywords = Readonly<Record<string, unknown>>;

export type SchemaWriter = (schema: TSchema) => Keywords;

/** Keywords that the document omits. */
const inner = new Set(['expected', 'default', 'documented']);

/** Alternatives that are single values, as `enum`, which generators of clients know better. */
function withEnum(schema: Keywords): Keywords {
  const { anyOf, ...rest } = schema as { readonly anyOf?: readonly Keywords[] };
  if (anyOf?.every((each) => typeof each['const'] === 'string') !== true) return schema;
  return { ...rest, type: 'string', enum: anyOf.map((each) => each['const']) };
}

/** Without a format, generators of clients take 32 bits. */
const formats: Readonly<Record<string, Keywords>> = {
  number: { format: 'double' },
  integer: { format: 'int64' },
};

export function schemaWriter(): {
  readonly write: SchemaWriter;
  /** The components of the schemas written so far, by name. */
  readonly components: () => Readonly<Record<string, Keywords>>;
} {
  const components = new Map<string, Keywords>();

  const writeAll = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(writeAll);
    return typeof value === 'object' && value !== null ? write(value) : value;
  };

  const writeMember = ([keyword, value]: readonly [string, unknown]): readonly [
    string,
    unknown,
  ] => {
    if (keyword === 'patternProperties') {
      return [
        'additionalProperties',
        write((value as Record<string, TSchema>)[anyKeyPattern] ?? {}),
      ];
    }
    if (keyword !== 'properties') return [keyword, writeAll(value)];
    const properties = Object.entries(value as Record<string, TSchema>);
    return [keyword, Object.fromEntries(properties.map(([name, schema]) => [name, write(schema)]))];
  };

  /** `documented` has keywords that only the document has. */
  const writeKeywords = (schema: Keywords): Keywords => ({
    ...Object.fromEntries(
      Object.entries(withEnum(schema))
        .filter(([keyword]) => !inner.has(keyword))
        .map(writeMember),
    ),
    ...formats[String(schema['type'])],
    ...(schema['documented'] as Keywords | undefined),
  });

  /** An object schema is open unless it says otherwise. */
  const writeInline = (schema: Keywords): Keywords => {
    const isOpen = 'properties' in schema && !('additionalProperties' in schema);
    return { ...writeKeywords(schema), ...(isOpen ? { additionalProperties: true } : {}) };
  };

  function write(schema: TSchema): Keywords {
    const { title, description, ...rest } = schema as Keywords;
    if (typeof title !== 'string') return writeInline(schema as Keywords);
    if (!components.has(title)) components.set(title, writeKeywords(rest));
    const reference = { $ref: `#/components/schemas/${title}` };
    return description === undefined ? reference : { ...reference, description };
  }

  return { write, components: () => Object.fromEntries(components) };
}
