// The OpenAPI document: valid, whole, and good enough to generate a client from.
import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { compileErrors, validate } from '@readme/openapi-parser';
import { expect } from 'chai';
import { sharedServer } from '../support/start-server.js';

type Member = Readonly<Record<string, unknown>>;

interface Described {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly description?: string;
    readonly schema: { readonly pattern?: string };
  }[];
  readonly responses: Member;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly components: { readonly schemas: Readonly<Record<string, Member>> };
}

const run = promisify(execFile);

const root = fileURLToPath(new URL('../../../', import.meta.url));

const binary = (name: string) => path.join(root, 'node_modules/.bin', name);

/** Fields that the document names without a word on what they are. */
function undescribed(value: unknown, place: string): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { type, properties = {} } = value as {
    type?: unknown;
    properties?: Readonly<Record<string, Member>>;
  };
  // A field can have the name `properties`.
  const own = Object.entries(type === 'object' ? properties : {})
    .filter(([, field]) => !('description' in field))
    .map(([name]) => `${place}.${name}`);
  const inner = Object.entries(value)
    .filter(([name]) => name !== 'not')
    .flatMap(([name, part]) => undescribed(part, `${place}.${name}`));
  return [...own, ...inner];
}

/** The schemas of numbers that have no format. */
function unsized(value: unknown, place: string): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { type, format } = value as { type?: unknown; format?: unknown };
  const own = (type === 'number' || type === 'integer') && format === undefined ? [place] : [];
  return [
    ...own,
    ...Object.entries(value).flatMap(([name, part]) => unsized(part, `${place}.${name}`)),
  ];
}

describe('OpenAPI document', () => {
  const server = sharedServer();
  let text: string;
  let document: Document;

  before(async () => {
    text = (await server().request('GET', '/openapi.json', undefined, { key: null })).text;
    document = JSON.parse(text) as Document;
  });

  const operations = () =>
    Object.entries(document.paths).flatMap(([address, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ address, method, operation })),
    );

  it('is accepted by a validator', async () => {
    const result = await validate(JSON.parse(text) as Parameters<typeof validate>[0]);
    expect(result.valid, result.valid ? '' : compileErrors(result)).to.equal(true);
  });

  it('says what every parameter and every field is', () => {
    const parameters = operations().flatMap(({ operation: { operationId, parameters } }) =>
      parameters
        .filter(({ description }) => description === undefined)
        .map(({ name }) => `${operationId} ${name}`),
    );
    expect(parameters).to.deep.equal([]);
    expect(undescribed(document.components.schemas, 'components')).to.deep.equal([]);
    expect(undescribed(document.paths, 'paths')).to.deep.equal([]);
  });

  it('names values with enum, and describes each group', () => {
    const { schemas } = document.components;
    expect(JSON.stringify(document)).not.to.match(/"anyOf":\[\{"type":"string","const"/);
    expect(JSON.stringify(schemas['FunctionInsert'])).to.include(
      '{"type":"string","enum":["error","ignore","replace"]}',
    );
    const { tags } = document;
    expect(tags.filter(({ description }) => description === undefined)).to.deep.equal([]);
  });

  it('says what the server refuses: long headers, texts that are no versions, unknown fields', () => {
    for (const { operation } of operations()) expect(operation.responses).to.have.property('431');
    const versions = operations().flatMap(({ operation: { parameters } }) =>
      parameters.filter(({ name }) => name === 'version' || name === 'max_xact_id'),
    );
    expect(versions).to.have.length.above(10);
    for (const { schema } of versions) {
      const pattern = new RegExp(schema.pattern!);
      expect(
        ['', 'x', '1000192656880881099', '6C92E9AC09C4D42A'].map((text) => pattern.test(text)),
      ).to.deep.equal([false, false, true, true]);
    }
    for (const name of ['ProjectLogEventInsert', 'ExperimentEventInsert', 'DatasetRecordInsert'])
      expect(document.components.schemas[name]).to.include({ additionalProperties: false });
  });

  it('says how large numbers are, since clients in Go and Java have 32 bits otherwise', () => {
    expect(unsized(document, 'document')).to.deep.equal([]);
  });

  it('says which fields go together', () => {
    for (const [name, fields] of Object.entries({
      AclItem: ['user_id', 'group_id'],
      SpanFeedback: ['scores', 'expected', 'tags', 'comment'],
      FetchRequest: ['max_xact_id', 'max_root_span_id'],
      LogRow: ['experiment_id', 'dataset_id', 'project_id'],
      ExperimentEventInsert: ['_parent_id', 'span_parents'],
    }))
      for (const field of fields)
        expect(JSON.stringify(document.components.schemas[name]!['not']), name).to.include(field);
  });

  it('writes abbreviations in capitals', () => {
    const summaries = ['/v1/acl', '/v1/api_key', '/v1/role'].map(
      (place) => document.paths[place]?.['get']?.summary,
    );
    expect(summaries).to.deep.equal([
      'List ACLs, newest first',
      'List API keys, newest first',
      'List roles, newest first',
    ]);
  });

  it('says which permission the announcement of an attachment requires', () => {
    const announcing = document.paths['/attachment']?.['post'];
    expect(announcing?.description).to.equal(
      'Requires the permission `update` on the events of at least one `project_log`, `experiment` or `dataset` of the organisation.',
    );
    expect(announcing).to.have.nested.property(
      'responses.403.description',
      'The key lacks the permission.',
    );
  });

  it('says which requests are too large', () => {
    for (const place of ['/v1/insert', '/logs3', '/v1/dataset/{id}/restore'])
      expect(document.paths[place]?.['post'], place).to.have.nested.property(
        'responses.413.description',
        'The body exceeds the configured limit, or 16 MB if it is not an insert into one object, a request to `/logs3` or an export of spans. Or the events of the request together are larger as JSON than twice the configured limit or 1.5 GB, in a restore than a quarter of the heap that Node.js permits, or after their merges than 1,984 MB. Or a Parquet file is larger without compression than twice the configured limit.',
      );
  });

  it('says that feedback is listed oldest first', () => {
    const { FeedbackList } = document.components.schemas;
    expect(FeedbackList).to.have.nested.property(
      'properties.comments.description',
      'Comments, oldest first.',
    );
    expect(FeedbackList).to.have.nested.property(
      'properties.audit.description',
      'Audit entries, oldest first.',
    );
  });

  describe('client generated from it', () => {
    let directory: string;

    before(async () => {
      // Inside of the project, so that the client finds its run-time library.
      directory = await mkdtemp(path.join(root, 'dist/client-'));
      const file = (name: string) => path.join(directory, name);
      await writeFile(file('openapi.json'), text);
      await copyFile(path.join(root, 'test/http/client/calls.ts'), file('calls.ts'));
      await writeFile(
        file('tsconfig.json'),
        JSON.stringify({
          compilerOptions: {
            target: 'es2023',
            module: 'nodenext',
            strict: true,
            noUncheckedIndexedAccess: true,
            skipLibCheck: true,
            types: ['node'],
          },
          include: ['*.ts'],
        }),
      );
      await run(binary('oazapfts'), ['--optimistic', file('openapi.json'), file('client.ts')]);
    });
    after(() => rm(directory, { recursive: true, force: true }));

    it('compiles, and calls every operation of the server', async () => {
      await run(binary('tsc'), ['-p', directory]).catch((error: Error & { stdout: string }) => {
        throw new Error(error.stdout);
      });
      const calls = (await import(pathToFileURL(path.join(directory, 'calls.js')).href)) as {
        callEverything(url: string, key: string, call: typeof fetch): Promise<void>;
      };
      const called = new Set<string>();
      await calls.callEverything(server().url, server().key, (input, init) => {
        const { pathname } = new URL(input);
        called.add(`${init?.method?.toLowerCase() ?? 'get'} ${pathname}`);
        return fetch(input, init);
      });
      const uncalled = operations().filter(({ method, address }) => {
        const pattern = new RegExp(`^${method} ${address.replace(/\{\w+\}/, '[^/]{36}')}$`);
        return ![...called].some((call) => pattern.test(call));
      });
      expect(uncalled.map(({ operation }) => operation.operationId)).to.deep.equal([]);
    });
  });
});
