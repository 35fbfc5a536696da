// The interface line by line: every parameter and body field has an effect, every answer its fields, every
// operation its refusals.
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { sharedServer, type Answer, type TestServer } from '../../support/start-server.js';
import { answersOf, type Answered } from './answers.js';
import { documentedLines, operationsOf, type OpenApiDocument } from './documented-lines.js';
import { endpoints, shapes, wordsIn, type Endpoint } from './endpoints.js';
import { onceEach, titleOf, type Line } from './probe.js';
import { probes } from './probes.js';

const linesOf = ({ operation, query, body, headers }: Endpoint): readonly Line[] => [
  ...wordsIn(query).map((name): Line => ({ operation, place: 'query', name })),
  ...wordsIn(body).map((name): Line => ({ operation, place: 'body', name })),
  ...wordsIn(headers).map((name): Line => ({ operation, place: 'header', name })),
];

const sorted = (lines: readonly Line[]): readonly string[] => lines.map(titleOf).sort();

const lines = endpoints.flatMap(linesOf);

const fieldsOf = (value: unknown): readonly string[] => Object.keys(value as object).sort();

interface Question {
  readonly search?: string;
  readonly body?: unknown;
}

/** Of an object that is not there, where the operation is about one. */
function ask(
  server: TestServer,
  operation: string,
  { search = '', body }: Question,
): Promise<Answer> {
  const [method, path] = operation.split(' ') as [string, string];
  return server.request(method, path.replace('{id}', randomUUID()) + search, body);
}

/** That is accepted, but for the object in the path. */
function smallestBody(operation: string): unknown {
  if (operation.startsWith('GET ') || operation.startsWith('DELETE ')) return undefined;
  if (operation.endsWith('/insert')) return { events: [] };
  return operation.endsWith('/feedback') ? { feedback: [] } : {};
}

const smallestSearch = (operation: string): string =>
  operation.endsWith('/attachment') ? '?key=k' : '';

/** What says who may do what; spec/access has its tests. */
const accessPath =
  /\/(?:organization|user|group|acl|api_key|service_token|audit_log)(?:\/|$)|^(?:PATCH|DELETE) \/v1\/role\//;

describe('interface', () => {
  const server = sharedServer();
  const runOnce = onceEach(server);

  it('has a probe for every parameter and body field, and none beside', () => {
    expect(sorted(probes)).to.deep.equal(sorted(lines));
  });

  describe('OpenAPI document', () => {
    let document: OpenApiDocument;

    before(async () => {
      const answer = await server().request('GET', '/openapi.json');
      document = answer.json() as unknown as OpenApiDocument;
    });

    it('has every operation, parameter and body field, and no other', () => {
      const operations = endpoints.map(({ operation }) => operation).sort();
      const named = [...operationsOf(document).keys()].filter((name) => !accessPath.test(name));
      expect(named.sort()).to.deep.equal(operations);
      // The events of one insert into many objects have the fields of the inserts into one.
      const documented = documentedLines(document).filter(
        ({ operation, name }) =>
          !accessPath.test(operation) && (operation !== 'POST /v1/insert' || !name.includes('[]')),
      );
      const fields = documented.filter(({ name }) => !name.endsWith('.*'));
      expect(sorted(fields)).to.deep.equal(sorted(lines));
    });

    for (const { operation, headers } of endpoints) {
      it(`${operation} can be refused as it says`, () => {
        const statuses = Object.keys(operationsOf(document).get(operation)!.responses);
        expect(statuses).to.include.members(['200', '400', '401', '429', '500']);
        const names = operation.includes('{id}') && !operation.startsWith('DELETE');
        if (names || headers !== undefined) expect(statuses).to.include('403');
        if (operation.startsWith('DELETE')) expect(statuses).not.to.include('403');
      });
    }
  });

  describe('parameters and body fields', () => {
    for (const probe of probes) it(titleOf(probe), () => runOnce(probe.run));
  });

  describe('answers', () => {
    let answered: Answered;

    before(async () => {
      answered = await answersOf(server());
    });

    for (const { operation, answer } of endpoints) {
      const { form, shape } = answer;
      if (form === 'elsewhere') continue;
      if (shape === undefined) {
        it(`${operation} answers ${form === 'text' ? 'text' : 'null'}`, () => {
          if (form === 'text') expect(answered.get(operation)).to.match(/./);
          else expect(answered.get(operation)).to.equal(null);
        });
        continue;
      }
      const names = wordsIn(shapes[shape]);
      const always = names.filter((name) => !name.endsWith('?'));
      it(`${operation} answers the fields of a ${shape}`, () => {
        const body = answered.get(operation) as Record<string, readonly unknown[]>;
        if (form === 'objects') expect(fieldsOf(body)).to.deep.equal(['objects']);
        if (form === 'events') expect(fieldsOf(body)).to.deep.equal(['cursor', 'events']);
        const list = form === 'list' ? (body as unknown as readonly unknown[]) : body[form];
        const [value] = form === 'one' ? [body] : (list ?? []);
        const known = names.map((name) => name.replace('?', ''));
        expect(fieldsOf(value)).to.include.members([...always]);
        expect(known).to.include.members([...fieldsOf(value)]);
      });
    }
  });

  describe('refusals', () => {
    // The protocol of catalogs lets servers ignore what they do not know.
    for (const { operation } of endpoints.filter(
      ({ operation: name }) => !name.includes('/iceberg/'),
    )) {
      it(`${operation} refuses a parameter that it does not know with 400`, async () => {
        const { status, text } = await ask(server(), operation, { search: '?unheard_of=1' });
        const sentence = 'unknown query parameter "unheard_of"';
        const refusal = operation.endsWith('/v1/traces')
          ? JSON.stringify({ code: 3, message: sentence })
          : sentence;
        expect([status, text]).to.deep.equal([400, refusal]);
      });

      if (operation.includes('{id}')) {
        const refusal = operation.startsWith('DELETE') ? 400 : 403;
        it(`${operation} refuses an absent object with ${refusal}`, async () => {
          const { status, text } = await ask(server(), operation, {
            search: smallestSearch(operation),
            body: smallestBody(operation),
          });
          expect(text).to.match(/^no \w+ with the id ".{36}" that this key may use$/);
          expect(status).to.equal(refusal);
        });
      }
    }
  });
});
