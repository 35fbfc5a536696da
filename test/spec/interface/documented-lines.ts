// Parameters and body fields as an OpenAPI document names them.
import type { Line } from './probe.js';

export interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly minLength?: number;
  readonly required?: readonly string[];
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
}

interface Operation {
  readonly parameters: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: {
    readonly content: { readonly 'application/json'?: { readonly schema: Schema } };
  };
  readonly responses: Readonly<Record<string, unknown>>;
}

export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const isSchema = (schema: Schema | boolean | undefined): schema is Schema =>
  typeof schema === 'object';

function fieldsOf(document: OpenApiDocument, schema: Schema): readonly string[] {
  if (schema.$ref !== undefined) {
    const target = document.components.schemas[schema.$ref.split('/').at(-1)!];
    return fieldsOf(document, target!);
  }
  if (schema.anyOf !== undefined) return schema.anyOf.flatMap((part) => fieldsOf(document, part));
  const below = (step: string, inner: Schema) =>
    fieldsOf(document, inner).map((name) => `${step}${name.startsWith('[]') ? '' : '.'}${name}`);
  return [
    ...Object.keys(schema.properties ?? {}),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => below(name, inner)),
    ...(isSchema(schema.items) ? below('[]', schema.items) : []),
    ...(isSchema(schema.additionalProperties) ? below('*', schema.additionalProperties) : []),
  ];
}

export const operationsOf = ({ paths }: OpenApiDocument): ReadonlyMap<string, Operation> =>
  new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(
        ([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const,
      ),
    ),
  );

export const documentedLines = (document: OpenApiDocument): readonly Line[] =>
  Array.from(operationsOf(document), ([operation, { parameters, requestBody }]) => {
    const schema = requestBody?.content['application/json']?.schema;
    return [
      ...(['query', 'header'] as const).flatMap((place) =>
        parameters
          .filter(({ in: where }) => where === place)
          .map(({ name }): Line => ({ operation, place, name })),
      ),
      ...(schema === undefined ? [] : fieldsOf(document, schema)).map((name): Line => ({
        operation,
        place: 'body',
        name,
      })),
    ];
  }).flat();
