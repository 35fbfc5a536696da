// The operations as an OpenAPI 3.1 document.
import { Type, type TObject, type TSchema } from 'typebox';
import { Uuid, described } from '../schema/scalar.js';
import { answerHeaders } from './answer-headers.js';
import { schemaWriter, type SchemaWriter } from './openapi-schemas.js';
import { documentedPath, type About, type DocumentedOperation } from './operation.js';
import { describeNeed, needOf, type Need } from './permission-table.js';
import { groupTexts } from './group-texts.js';
import { refusalsOf } from './refusals.js';
import { serverVersion } from './version.js';

const jsonType = 'application/json';

type Member = Readonly<Record<string, unknown>>;

const objectParameter = (write: SchemaWriter): Member => ({
  name: 'id',
  in: 'path',
  required: true,
  description: 'Id of the object.',
  schema: write(Uuid),
});

const namespaceParameter: Member = {
  name: 'namespace',
  in: 'path',
  required: true,
  description: 'Name or id of a project.',
  schema: { type: 'string' },
};

function queryParameter(
  write: SchemaWriter,
  name: string,
  parameter: TSchema,
  isRequired: boolean,
): Member {
  const { description, ...schema } = write(parameter) as { description?: string };
  return { name, in: 'query', ...(isRequired ? { required: true } : {}), description, schema };
}

function queryParameters(
  write: SchemaWriter,
  { query, aliases = {} }: DocumentedOperation,
): readonly Member[] {
  const named = Object.entries(query.properties).map(([name, schema]) =>
    queryParameter(
      write,
      name,
      schema,
      (query.required as readonly string[] | undefined)?.includes(name) === true,
    ),
  );
  const others = Object.entries(aliases).map(([alias, name]) => {
    const meant = query.properties[name] ?? Type.String();
    return queryParameter(
      write,
      alias,
      described(meant, `Alias of \`${name}\`. Not allowed together with it.`),
      false,
    );
  });
  return [...named, ...others];
}

function headerParameters(
  write: SchemaWriter,
  { requestHeaders }: DocumentedOperation,
): readonly Member[] {
  return Object.entries(requestHeaders?.properties ?? {}).map(([name, header]) => {
    const { description, ...schema } = write(header) as { description?: string };
    return { name, in: 'header', description, schema };
  });
}

function bodySchema({ body }: DocumentedOperation): TObject | undefined {
  if (body === undefined || body.kind === 'stream') return undefined;
  return body.kind === 'bytes' ? body.shown : body.schema;
}

/** A body that is not JSON has only a description. */
function bodyContent(
  write: SchemaWriter,
  { body }: DocumentedOperation,
  json: TObject,
): Readonly<Record<string, Member>> {
  const types = (body?.kind === 'bytes' ? body.contentTypes : undefined) ?? { [jsonType]: '' };
  return Object.fromEntries(
    Object.entries(types).map(([type, description]) => [
      type,
      {
        schema: type === jsonType ? write(json) : { type: 'string', format: 'binary', description },
      },
    ]),
  );
}

function requestBody(write: SchemaWriter, operation: DocumentedOperation): Member {
  if (operation.body?.kind === 'stream')
    return {
      requestBody: {
        required: true,
        content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
      },
    };
  const schema = bodySchema(operation);
  if (schema === undefined) return {};
  return {
    requestBody: {
      required: operation.body?.kind !== 'optional',
      content: bodyContent(write, operation, schema),
    },
  };
}

type Schemas = About['answers'];

const contentOf = (write: SchemaWriter, schemas: Schemas): Member =>
  Object.fromEntries(
    Object.entries(schemas).map(([type, schema]) => [type, { schema: write(schema) }]),
  );

const success = (write: SchemaWriter, { about }: DocumentedOperation): Member => ({
  description: 'Done.',
  headers: answerHeaders(about.headers ?? []),
  content: contentOf(write, about.answers),
});

const textRefusal: Schemas = { 'text/plain': Type.String() };

const refusal = (
  write: SchemaWriter,
  description: string,
  schemas: Schemas = textRefusal,
): Member => ({ description, content: contentOf(write, schemas) });

/** The 304 of operations whose answers have an entity tag. */
const unchanged: Member = {
  description: 'Not modified: `If-None-Match` is the `ETag` of the current answer.',
  headers: answerHeaders(['etag', 'x-evalstore-version']),
};

/** The 206 and 416 of operations that answer parts of their content. */
const parts = (write: SchemaWriter) => ({
  206: {
    description: 'The part of the content that `Range` asks for.',
    headers: answerHeaders(['accept-ranges', 'content-range']),
  },
  416: refusal(write, 'The content has no byte in the `Range`.'),
});

function responses(write: SchemaWriter, operation: DocumentedOperation): Member {
  const refused = refusalsOf(operation).map(([status, text]) => [
    status,
    refusal(write, text, operation.about.refusals),
  ]);
  const isTagged = operation.about.headers?.includes('etag') === true;
  return {
    200: success(write, operation),
    ...(isTagged ? { 304: unchanged } : {}),
    ...(operation.about.headers?.includes('accept-ranges') === true ? parts(write) : {}),
    ...Object.fromEntries(refused),
  };
}

/** The key is required, optional for public objects, or not used. */
const security = {
  needed: [{ apiKey: [] }],
  optional: [{ apiKey: [] }, {}],
  none: [{}],
};

function securityOf(need: Need): keyof typeof security {
  if (need.where === 'open') return 'none';
  return need.where === 'path' && need.isPublic ? 'optional' : 'needed';
}

function describeOperation(write: SchemaWriter, operation: DocumentedOperation): Member {
  const { about, path } = operation;
  const need = needOf(operation);
  return {
    operationId: about.name,
    tags: [about.group],
    summary: about.summary,
    ...(about.isDeprecated === true ? { deprecated: true } : {}),
    description: describeNeed(need),
    security: security[securityOf(need)],
    parameters: [
      ...(path.includes(':id') ? [objectParameter(write)] : []),
      ...(path.includes(':namespace') ? [namespaceParameter] : []),
      ...queryParameters(write, operation),
      ...headerParameters(write, operation),
    ],
    ...requestBody(write, operation),
    responses: responses(write, operation),
  };
}

function paths(write: SchemaWriter, operations: readonly DocumentedOperation[]): Member {
  const described: Record<string, Record<string, Member>> = {};
  for (const operation of operations) {
    const path = documentedPath(operation);
    (described[path] ??= {})[operation.method] = describeOperation(write, operation);
  }
  return described;
}

/** @throws Error for a group without a description */
function tagOf(name: string): Member {
  const description = groupTexts[name];
  if (description === undefined) throw new Error(`the group ${name} has no description`);
  return { name, description };
}

function openApiDocument(operations: readonly DocumentedOperation[]): Member {
  const { write, components } = schemaWriter();
  const described = paths(write, operations);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Evalstore',
      version: serverVersion.version,
      description: 'Records, queries and compares evaluation runs and traces of AI applications.',
      license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(operations.map(({ about }) => about.group))].map(tagOf),
    paths: described,
    components: {
      schemas: components(),
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key of the organisation.' },
      },
    },
  };
}

const texts = new WeakMap<readonly DocumentedOperation[], string>();

/** Returns the document as JSON text, cached by list of operations. */
export function openApiText(operations: readonly DocumentedOperation[]): string {
  const text = texts.get(operations) ?? JSON.stringify(openApiDocument(operations));
  texts.set(operations, text);
  return text;
}
