// Every field of every body: what is not as the OpenAPI document says is refused in a sentence that names the field.
import { expect } from 'chai';
import { sharedServer } from '../../support/start-server.js';
import { nobody } from '../access/asking.js';
import type { Request } from '../access/outcomes.js';
import { requests } from '../access/requests.js';
import { makeOwnWorld, type OwnWorld } from '../access/world.js';
import { operationsOf, type OpenApiDocument, type Schema } from '../interface/documented-lines.js';
import { openApiText } from '../../../src/http/openapi.js';
import { operations } from '../../../src/http/operations.js';

const document = JSON.parse(openApiText(operations)) as OpenApiDocument;

/** The schema without references and without null. */
function alternatives(schema: Schema): readonly Schema[] {
  if (schema.$ref !== undefined)
    return alternatives(document.components.schemas[schema.$ref.split('/').at(-1)!]!);
  return (schema.anyOf?.flatMap(alternatives) ?? [schema]).filter(({ type }) => type !== 'null');
}

/** Values, each with the type that it has and how sentences show it. */
const values: readonly (readonly [unknown, types: readonly string[], shown: string])[] = [
  [true, ['boolean'], 'true'],
  ['x', ['string'], '"x"'],
  [[], ['array'], 'an array'],
  [7, ['number', 'integer'], '7'],
];

interface Wrong {
  readonly value: unknown;
  readonly shown: string;
}

/** A value of another type, and a text that is too short or of another form. */
function wrongFor(schema: Schema): readonly Wrong[] {
  const allowed = alternatives(schema);
  const types = new Set(allowed.map(({ type }) => type));
  if (types.has(undefined)) return [];
  const other = values.find(([, names]) => !names.some((name) => types.has(name)));
  const [only, ...more] = allowed;
  const isText = only?.type === 'string' && more.length === 0;
  return [
    ...(other === undefined ? [] : [{ value: other[0], shown: other[2] }]),
    ...(isText && only.format === 'uuid' ? [{ value: 'x', shown: '"x"' }] : []),
    ...(isText && only.enum !== undefined ? [{ value: 'other', shown: '"other"' }] : []),
    ...(isText && only.minLength === 1 ? [{ value: '', shown: '""' }] : []),
  ];
}

const bodies = Array.from(operationsOf(document)).flatMap(([operation, { requestBody }]) => {
  const schema = requestBody?.content['application/json']?.schema;
  // Exporters are answered in a form of their own: http/otlp-errors.
  if (schema === undefined || operation.endsWith('/v1/traces')) return [];
  return [[operation, alternatives(schema)[0]!] as const];
});

describe('bodies that are not as their schema says', () => {
  const server = sharedServer();
  let world: OwnWorld;

  before(async () => {
    world = await makeOwnWorld(server());
  });

  /** Sends the body of a valid request with changes; expects a refusal. */
  async function refuses(operation: string, change: (body: object) => unknown, sentence: RegExp) {
    const [method = ''] = operation.split(' ');
    const { path, body, headers = {} } = await requestFor(operation);
    const sent = change(body as object);
    const { status, text } = await server().request(method, path, sent, { headers });
    expect(text, JSON.stringify(sent)).to.match(sentence);
    expect(status).to.equal(400);
  }

  async function requestFor(operation: string): Promise<Request> {
    const build = requests[operation.replace(/\{(\w+)\}/, ':$1')];
    if (build === undefined)
      return {
        path: operation.split(' ')[1]!,
        body: { key: 'k', status: { upload_status: 'error' } },
      };
    return build(world);
  }

  for (const [operation, { properties = {}, required = [], additionalProperties }] of bodies)
    describe(operation, () => {
      it('is a JSON object', async () => {
        await refuses(operation, () => '{', /^request body is not valid JSON at line 1/);
        for (const [value, , shown] of values)
          await refuses(
            operation,
            () => JSON.stringify(value),
            new RegExp(`^request body: expected an object, got (?:${shown}|\\[\\])$`),
          );
      });

      it('has fields of the right type', async () => {
        for (const [name, schema] of Object.entries(properties))
          for (const { value, shown } of wrongFor(schema))
            await refuses(
              operation,
              (body) => ({ ...body, [name]: value }),
              new RegExp(`^${name}: expected .+, got ${shown}$`),
            );
      });

      it('has all required fields, which are not null', async () => {
        for (const name of required) {
          await refuses(
            operation,
            (body) => ({ ...body, [name]: undefined }),
            new RegExp(
              `^field "${name}" is missing in|^request body: the field ${name} is missing$`,
            ),
          );
          await refuses(
            operation,
            (body) => ({ ...body, [name]: null }),
            new RegExp(`^${name}: expected .+, got null$`),
          );
        }
      });

      if (additionalProperties === false)
        it('has no other fields', async () => {
          for (const name of ['nam', 'deleted_at', '__proto__', ''])
            await refuses(
              operation,
              (body) => JSON.stringify(body).replace('{', `{"${name}":1,`).replace(',}', '}'),
              new RegExp(`nknown field "${name}"`),
            );
        });

      const referring = Object.entries(properties).filter(([name, schema]) => {
        const [only] = alternatives(schema);
        return only?.format === 'uuid' && !/^(?:org_id|group_id|role_id|user_id)$/.test(name);
      });
      if (/^(?:POST|PUT) \/v1\/\w+$/.test(operation) && referring.length > 0)
        it('refers to what there is', async () => {
          for (const [name] of referring)
            await refuses(
              operation,
              (body) => ({ ...body, [name]: nobody }),
              new RegExp(`^\\w+: no .+ with the id "${nobody}" `),
            );
        });
    });
});
