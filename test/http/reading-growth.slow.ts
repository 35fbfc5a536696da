// The time to read a request grows with its size and no faster.
import type { TProperties } from 'typebox';
import { withoutValues } from '../../src/event/array-delete.js';
import { decodeInSteps } from '../../src/event/decode.js';
import { operations } from '../../src/http/operations.js';
import { parameterReader } from '../../src/http/parameters.js';
import { jsonReader } from '../../src/http/request-body.js';
import { parseJson } from '../../src/json/parse.js';
import { readSpans } from '../../src/otlp/read-spans.js';
import { eventOf } from '../../src/otlp/row.js';
import { decodeCursor, type CursorReader } from '../../src/query/cursor/page-cursor.js';
import { cursorOf } from '../../src/query/cursor/query-cursor.js';
import { parseQuery } from '../../src/query/syntax/parse.js';
import type { UncommittedRow } from '../../src/schema/event-row.js';
import { headerBytesMax } from '../../src/schema/limits.js';
import { readVersion } from '../../src/service/version.js';
import { endOfSteps } from '../support/end-of-steps.js';
import { expectLinear, sizeRatio } from '../support/processor-time.js';

/** A refusal counts as an answer. */
function answerOrRefuse(work: () => unknown): void {
  try {
    work();
  } catch {
    // It must not take long either.
  }
}

/** `make` gives an input of about so many bytes. */
function expectGrowth<T>(
  name: string,
  bytes: number,
  make: (bytes: number) => T,
  read: (input: T) => unknown,
) {
  const [small, large] = [make(bytes), make(bytes * sizeRatio)];
  const reading = (input: T) => () => answerOrRefuse(() => read(input));
  expectLinear(name, reading(large), reading(small));
}

const uuid = '3b241101-e2bb-4255-8caf-4136c566a962';

const repeated =
  (text: string, separator = '') =>
  (bytes: number) =>
    Array.from({ length: Math.ceil(bytes / (text.length + separator.length)) }, () => text).join(
      separator,
    );

/** Far beyond what the limit of headers lets in, so that there is something to measure. */
const queryBytes = 4 * headerBytesMax;

const bodyBytes = 2 ** 16;

/** Less, since there are hundreds of fields; a quadratic step still takes far longer than `expectTime` can measure. */
const fieldBytes = 2 ** 12;

const valuesOf = [
  (bytes: number) => `[${repeated('{}', ',')(bytes)}]`,
  (bytes: number) => `[${repeated('[0,"a"]', ',')(bytes)}]`,
  (bytes: number) => `[${repeated('{"a":{"10":1e400}}', ',')(bytes)}]`,
  (bytes: number) => `{${repeated('"k":1', ',')(bytes)}}`,
  (bytes: number) => `{${Array.from({ length: bytes / 12 }, (_, n) => `"k${n}":[]`).join(',')}}`,
  (bytes: number) => `"${'x'.repeat(bytes)}"`,
  (bytes: number) => `"${repeated(String.raw`\"\\`)(bytes)}"`,
  (bytes: number) => `"${repeated(String.raw`\ud800`)(bytes)}"`,
  (bytes: number) => `"${repeated(' 11111111111111111111')(bytes)}"`,
  (bytes: number) => `[${repeated('12345678901234567890', ',')(bytes)}]`,
  (bytes: number) => `[${repeated(`0.${'1'.repeat(5000)}`, ',')(bytes)}]`,
  (bytes: number) => '9'.repeat(bytes),
  (bytes: number) => '['.repeat(bytes),
  (bytes: number) => '"'.repeat(bytes + 1),
  (bytes: number) => ' '.repeat(bytes),
] as const;

const reader: CursorReader = { secret: Buffer.alloc(32, 7), orgId: 'org' };

const readEvents = (bytes: Buffer) => [...decodeInSteps('experiment', bytes)];

const attribute = (key: string, value: string) => `{"key":"${key}","value":${value}}`;

const readRows = (bytes: Buffer) => {
  for (const step of readSpans(bytes, 'json'))
    if ('span' in step) eventOf(step.span, step.origin, null);
};

/** A row, and deletions from each of its arrays. */
const deletionsOf = (bytes: number) => {
  const names = Array.from({ length: bytes / 16 }, (_, n) => `k${n}`);
  const metadata = JSON.stringify(Object.fromEntries(names.map((name) => [name, [1, 2]])));
  const row = { tags: null, metadata } as unknown as UncommittedRow;
  return { row, deletes: names.map((name) => ({ path: ['metadata', name], delete: [1] })) };
};

/** Leaves out properties whose name and schema an earlier call had: many operations have the same. */
function newNames() {
  const met = new Set<string>();
  return (properties: TProperties): readonly string[] =>
    Object.keys(properties).filter((name) => {
      const schema = JSON.stringify([name, properties[name]]);
      return !met.has(schema) && met.add(schema);
    });
}

const newParameters = newNames();
const newFields = newNames();

describe('the time to read grows with the size', () => {
  for (const operation of operations) {
    const { method, path, query, aliases = {}, body } = operation;

    it(`of the parameters of ${method} ${path}`, () => {
      const read = parameterReader(query, { aliases });
      const names = [...newParameters(query.properties), ...Object.keys(aliases)];
      expectGrowth('unknown', queryBytes, repeated('a', '&'), read);
      expectGrowth('encoded', queryBytes, repeated('%61%3D', '&'), read);
      expectGrowth('plus', queryBytes, repeated('+'), read);
      for (const name of names) {
        expectGrowth(name, queryBytes, repeated(`${name}=${uuid}`, '&'), read);
        expectGrowth(name, queryBytes, (bytes) => `${name}=${'1'.repeat(bytes)}`, read);
      }
    });

    if (body !== undefined && 'schema' in body)
      it(`of the body of ${method} ${path}`, () => {
        const readJson = jsonReader(body);
        const read = (bytes: Buffer) => readJson(bytes, () => {});
        const fields = newFields((body.schema as { properties: TProperties }).properties);
        for (const field of [...fields, 'unknown'])
          for (const [index, value] of valuesOf.entries())
            expectGrowth(
              `${field} ${index}`,
              fieldBytes,
              (bytes) => Buffer.from(`{"${field}":${value(bytes)}}`),
              read,
            );
      }).timeout(300_000);
  }

  for (const field of ['input', 'tags', 'scores', 'span_parents', '_merge_paths', 'unknown'])
    it(`of an event with ${field}`, () => {
      for (const [index, value] of valuesOf.entries())
        expectGrowth(
          `${field} ${index}`,
          bodyBytes,
          (bytes) => Buffer.from(`{"events":[{"${field}":${value(bytes)}}]}`),
          readEvents,
        );
    });

  it('of a list of events, also of one that is refused', () => {
    for (const element of ['{}', '7', '{"id":"a","input":[1,2]}', '{"unknown":1}', ''])
      for (const end of [']}', ']', '],"events":[]}', ',!]}', ''])
        expectGrowth(
          `${element} ${end}`,
          bodyBytes,
          (bytes) => Buffer.from(`{"events":[${repeated(element, ',')(bytes)}${end}`),
          readEvents,
        );
  });

  it('of JSON', () => {
    for (const [index, value] of valuesOf.entries())
      expectGrowth(`${index}`, bodyBytes, value, (text) => parseJson(text));
  });

  const spanStart = '{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b174"';
  const spansBody = (rest: string) =>
    Buffer.from(`{"resourceSpans":[{"scopeSpans":[{"spans":[${spanStart}${rest}}]}]}]}`);

  it('of a span with a value, known or not', () => {
    for (const [index, value] of valuesOf.entries())
      for (const field of ['attributes', 'events', 'name', 'unknown'])
        expectGrowth(
          `${field} ${index}`,
          bodyBytes,
          (bytes) => spansBody(`,"${field}":${value(bytes)}`),
          readRows,
        );
    for (const [index, value] of valuesOf.entries())
      expectGrowth(
        `JSON text ${index}`,
        bodyBytes,
        (bytes) => {
          const text = JSON.stringify({ stringValue: value(bytes) });
          return spansBody(`,"attributes":[${attribute('braintrust.input_json', text)}]`);
        },
        readRows,
      );
  });

  it('of a span with many attributes, links and events, and of many spans', () => {
    const names = ['k$', 'gen_ai.prompt.$.role', 'braintrust.metadata.a$', 'gen_ai.request.$', 'a'];
    for (const name of names)
      expectGrowth(
        name,
        bodyBytes,
        (bytes) => {
          const count = Math.ceil(bytes / (name.length + 40));
          const list = Array.from({ length: count }, (_, n) =>
            attribute(name.replace('$', String(n)), '{"stringValue":"v"}'),
          );
          return spansBody(`,"attributes":[${list.join()}]`);
        },
        readRows,
      );
    expectGrowth(
      'a name with many steps',
      bodyBytes,
      (bytes) =>
        spansBody(`,"attributes":[${attribute(`gen_ai.prompt.${'a.'.repeat(bytes)}`, '{}')}]`),
      readRows,
    );
    for (const list of ['events', 'links'])
      expectGrowth(
        list,
        bodyBytes,
        (bytes) => spansBody(`,"${list}":[${repeated('{"name":"gen_ai.choice"}', ',')(bytes)}]`),
        readRows,
      );
    for (const span of [`${spanStart}}`, '{}', '7'])
      expectGrowth(
        span,
        bodyBytes,
        (bytes) =>
          Buffer.from(
            `{"resourceSpans":[{"scopeSpans":[{"spans":[${repeated(span, ',')(bytes)}]}]}]}`,
          ),
        readRows,
      );
  });

  it('of bytes that are to be protobuf', () => {
    const fields = ['0a00', '1200', '0a0212', '7801', 'ffffffff0f', '0b', '00', '4a00', '0a0a'];
    for (const field of fields)
      expectGrowth(
        field,
        bodyBytes,
        (bytes) => Buffer.alloc(bytes, Buffer.from(field, 'hex')),
        (bytes) => [...readSpans(bytes, 'protobuf')],
      );
  });

  it('of deletions from arrays', () => {
    expectGrowth('deletions', bodyBytes, deletionsOf, ({ row, deletes }) =>
      endOfSteps(withoutValues(row, deletes)),
    );
  });

  it('of cursors and versions', () => {
    const make = repeated('A');
    expectGrowth('cursor', bodyBytes, make, (text) =>
      decodeCursor(text, reader, { kind: 'fetch', of: uuid }),
    );
    expectGrowth('version', bodyBytes, repeated('9'), (text) => readVersion(text, 'version'));
  });

  const clauses: Readonly<Record<string, (bytes: number) => string>> = {
    'a list of ids': (bytes) => `filter: id IN (${repeated(`'${uuid}'`, ', ')(bytes)})`,
    'a long text': (bytes) => `filter: id = '${'x'.repeat(bytes)}'`,
    'a cursor': (bytes) => `cursor: '${'A'.repeat(bytes)}'`,
  };
  for (const [name, clause] of Object.entries(clauses))
    it(`of a query with ${name}`, () => {
      expectGrowth(
        name,
        2 ** 15,
        (bytes) => `select: * | from: experiment('${uuid}') | ${clause(bytes)}`,
        (text) => cursorOf(parseQuery(text), reader),
      );
    });
});
