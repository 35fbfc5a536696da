// Requests for every operation of the interface: who sends them, how they are spelled, what they carry.
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { Type, type TObject } from 'typebox';
import { docsOperations } from '../../../src/http/docs.js';
import { operations } from '../../../src/http/operations.js';
import { unsupportedOperations } from '../../../src/http/sdk/unsupported.js';
import type { Operation } from '../../../src/http/operation.js';
import { extremeQuery, garbageQuery } from '../arbitrary-garbage.js';
import { query as validQuery } from '../arbitrary-query.js';
import { queryText } from '../query.js';
import { exportBody } from './arbitrary-export.js';
import { arbitraryOf, change, changed, type KnownText } from './arbitrary-value.js';
import { cursorText } from './forged-cursor.js';
import { oddText } from './odd-text.js';
import type { Sender, Targets } from './targets.js';

export interface SentRequest {
  readonly sender: Sender;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
}

const sender: fc.Arbitrary<Sender> = fc.oneof(
  { weight: 16, arbitrary: fc.constant('owner' as const) },
  { weight: 2, arbitrary: fc.constant('stranger' as const) },
  { weight: 2, arbitrary: fc.constant('anonymous' as const) },
  { weight: 1, arbitrary: fc.constantFrom('wrong key' as const, 'broken header' as const) },
);

/** Ids, cursors and versions of the server under attack, and what looks like them. */
const knownText = ({ ids, cursors, versions, eventIds }: Targets): KnownText =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...ids) },
    { weight: 2, arbitrary: cursorText(cursors, ids) },
    { weight: 1, arbitrary: fc.constantFrom(...versions) },
    { weight: 2, arbitrary: fc.constantFrom(...eventIds) },
    { weight: 1, arbitrary: fc.uuid() },
  );

/** Unpaired surrogates, which URLs cannot spell, are U+FFFD. */
const escaped = (text: string): string => encodeURIComponent(Buffer.from(text).toString());

const parameterText = (known: KnownText): fc.Arbitrary<string> =>
  fc.oneof(
    fc.nat(30).map(String),
    fc.constantFrom('true', 'false', '', '-1', '1e9'),
    known,
    oddText,
  );

/** More would keep the client, whose patience is measured, busy itself. */
const repeatedBytesMax = 2 ** 20;

const timesMax = ({ length }: string): number => Math.max(1, Math.floor(repeatedBytesMax / length));

/** With parameters that are left out, repeated, unknown, or not even escaped. */
function queryString(schema: TObject, known: KnownText): fc.Arbitrary<string> {
  const names = [...Object.keys(schema.properties), 'id', 'name'];
  const pair = fc
    .tuple(
      fc.oneof({ weight: 12, arbitrary: fc.constantFrom(...names) }, oddText),
      parameterText(known),
      fc.oneof(
        { weight: 40, arbitrary: fc.constant(1) },
        { weight: 1, arbitrary: fc.constantFrom(2, 300, 3000) },
      ),
      fc.boolean(),
    )
    .map(([name, text, times, isEscaped]) => {
      const one = isEscaped
        ? `${escaped(name)}=${escaped(text)}`
        : `${name}=${text}`.replaceAll(/[^\x21-\x7e]|#/g, '');
      return Array.from({ length: Math.min(times, timesMax(one)) }, () => one).join('&');
    });
  return fc.oneof(
    { weight: 2, arbitrary: fc.constant('') },
    {
      weight: 3,
      arbitrary: fc.array(pair, { maxLength: 4 }).map((pairs) => `?${pairs.join('&')}`),
    },
  );
}

const isQuery = ({ path }: Operation) => path === '/query' || path === '/btql';

/** Texts of queries, with cursors of other queries and objects in them. */
const queryBodyText = ({ sources, cursors, ids }: Targets): fc.Arbitrary<string> =>
  fc.constantFrom(...sources).chain((source) => {
    const text = fc.oneof(
      validQuery.map((query) => queryText(query, source)),
      garbageQuery(source),
      extremeQuery(source),
    );
    const withCursor = fc
      .tuple(text, cursorText(cursors, ids))
      .map(([query, cursor]) => `${query} | cursor: '${cursor.replaceAll("'", "''")}'`);
    return fc.oneof({ weight: 3, arbitrary: text }, { weight: 1, arbitrary: withCursor });
  });

function bodyValue(operation: Operation, targets: Targets): fc.Arbitrary<unknown> {
  const known = knownText(targets);
  const { body } = operation;
  if (body === undefined) return fc.constant(undefined);
  const shown = 'shown' in body ? body.shown : undefined;
  const schema = shown ?? ('schema' in body ? body.schema : Type.Object({}));
  const valid = isQuery(operation)
    ? fc
        .tuple(arbitraryOf(schema, known), queryBodyText(targets))
        .map(([value, query]) => Object.assign({}, value, { query }))
    : arbitraryOf(schema, known);
  const broken = fc
    .tuple(valid, fc.array(change(known), { minLength: 1, maxLength: 3 }))
    .map(([value, changes]) => changes.reduce<unknown>(changed, value));
  return fc.oneof({ weight: 3, arbitrary: valid }, { weight: 2, arbitrary: broken });
}

/** What happens to the bytes of a JSON text before it is compressed. */
const spelling: fc.Arbitrary<(text: string) => Buffer> = fc.oneof(
  { weight: 30, arbitrary: fc.constant((text: string) => Buffer.from(text)) },
  fc.nat(2000).map((at) => (text: string) => Buffer.from(text.slice(0, at))),
  fc.constant((text: string) => Buffer.from(`\ufeff${text}`)),
  fc.constant((text: string) => Buffer.from(text, 'utf16le')),
  fc.constant((text: string) => Buffer.concat([Buffer.from(text), Buffer.from([0xff, 0xfe])])),
  fc.constant((text: string) => Buffer.from(`${text}${text}`)),
  fc.constantFrom(3000, 200_000).map((times) => () => Buffer.from('['.repeat(times))),
  fc
    .constantFrom(50, 200_000)
    .map((digits) => () => Buffer.from(`{"limit":${'7'.repeat(digits)}}`)),
);

const codings: readonly (readonly [string, (bytes: Buffer) => Buffer])[] = [
  ['gzip', gzipSync],
  ['x-gzip', gzipSync],
  ['deflate', deflateSync],
  ['deflate', deflateRawSync],
  ['br', (bytes) => brotliCompressSync(bytes, { params: { 1: 3 } })],
  ['GZIP', (bytes) => Buffer.concat([gzipSync(bytes), Buffer.from('trailing')])],
  ['gzip', (bytes) => gzipSync(bytes).subarray(0, -5)],
  ['br', (bytes) => bytes],
  ['gzip', (bytes) => bytes],
  ['gzip, gzip', (bytes) => gzipSync(gzipSync(bytes))],
  ['zstd', (bytes) => bytes],
];

const coding = fc.oneof(
  { weight: 3, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: fc.constantFrom(...codings) },
);

const spelled = (value: unknown): string => (value === undefined ? '' : JSON.stringify(value));

interface Unencoded {
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
}

/** Null for none. */
function bodyOf(operation: Operation, targets: Targets): fc.Arbitrary<Unencoded | null> {
  const { body } = operation;
  if (body?.kind === 'bytes' && body.contentTypes !== undefined && body.isJsonOtherwise !== true)
    return exportBody(knownText(targets)).map(({ type, bytes }) => ({
      headers: { 'content-type': type },
      bytes,
    }));
  return fc
    .tuple(bodyValue(operation, targets), spelling)
    .map(([value, spell]) =>
      value === undefined && body === undefined
        ? null
        : { headers: {}, bytes: spell(spelled(value)) },
    );
}

const encodedBody = (
  operation: Operation,
  targets: Targets,
): fc.Arbitrary<Pick<SentRequest, 'headers' | 'body'>> =>
  fc.tuple(bodyOf(operation, targets), coding).map(([body, coded]) => {
    if (body === null) return { headers: {}, body };
    const { headers, bytes } = body;
    if (coded === null) return { headers, body: bytes };
    const [name, compress] = coded;
    return { headers: { ...headers, 'content-encoding': name }, body: compress(bytes) };
  });

/** Deletions hit objects that are there to be deleted, or none. */
const pathId = (operation: Operation, { ids, victims, secrets }: Targets) =>
  fc.oneof(
    {
      weight: 20,
      arbitrary: fc.constantFrom(...(operation.method === 'delete' ? victims : ids)),
    },
    { weight: 1, arbitrary: fc.uuid() },
    { weight: 1, arbitrary: fc.constantFrom(...secrets) },
    { weight: 1, arbitrary: oddText.map((text) => escaped(text).slice(0, 9000)) },
  );

/** What clients and proxies send beside a key, and what nobody sends. */
const headerNames = [
  'accept',
  'accept-encoding',
  'accept-language',
  'content-type',
  'cookie',
  'if-modified-since',
  'if-none-match',
  'origin',
  'range',
  'referer',
  'x-bt-parent',
  'x-evalstore-session',
  'x-forwarded-for',
  'x-http-method-override',
  'x-request-id',
];

const headerValue = (known: KnownText): fc.Arbitrary<string> =>
  fc
    .oneof(
      known,
      oddText,
      fc.constantFrom('application/json', '*/*;q=2', 'br;q=0, *', 'bytes=9-1', 'null', 'a=b; a=c'),
    )
    // Node.js sends no other characters.
    .map((text) => text.replaceAll(/[^\t -~\u0080-\u00ff]/g, '').slice(0, 6000));

const otherHeaders = (known: KnownText): fc.Arbitrary<Readonly<Record<string, string>>> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant({}) },
    {
      weight: 1,
      arbitrary: fc
        .array(fc.tuple(fc.constantFrom(...headerNames), headerValue(known)), { maxLength: 3 })
        .map((entries) => Object.fromEntries(entries)),
    },
  );

/** Other spellings of a path, some of which name nothing. */
const respelled: fc.Arbitrary<(path: string) => string> = fc.oneof(
  { weight: 40, arbitrary: fc.constant((path: string) => path) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      (path: string) => `${path}/`,
      (path: string) => path.replaceAll('/', '//'),
      (path: string) => path.toUpperCase(),
      (path: string) => `/%2e%2e${path}`,
      (path: string) => `${path}/../..${path}`,
      (path: string) =>
        path.replaceAll(/[a-z]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
      (path: string) => `${path}%`,
      (path: string) => path.slice(0, -1),
    ),
  },
);

function requestOf(operation: Operation, targets: Targets): fc.Arbitrary<SentRequest> {
  return fc
    .record({
      sender,
      method: fc.oneof(
        { weight: 60, arbitrary: fc.constant(operation.method.toUpperCase()) },
        { weight: 1, arbitrary: fc.constantFrom('GET', 'POST', 'PUT', 'OPTIONS', 'HEAD', 'TRACE') },
      ),
      id: pathId(operation, targets),
      query: queryString(operation.query, knownText(targets)),
      encoded: encodedBody(operation, targets),
      others: otherHeaders(knownText(targets)),
      respell: respelled,
    })
    .map(({ sender: by, method, id, query, encoded: { headers, body }, others, respell }) => {
      const path = respell(operation.path.replaceAll(/:\w+/g, id)) + query;
      return { sender: by, method, path, headers: { ...headers, ...others }, body };
    });
}

const simple = new Set<Operation>([
  ...operations.filter(({ path }) => ['/health', '/version', '/openapi.json'].includes(path)),
  ...docsOperations,
  ...unsupportedOperations,
]);

/** Every operation alike, but for those that take nothing or do nothing. */
export const arbitraryRequest = (targets: Targets): fc.Arbitrary<SentRequest> =>
  fc.oneof(
    ...[...operations, ...docsOperations, ...unsupportedOperations].map((operation) => ({
      weight: simple.has(operation) ? 1 : isQuery(operation) ? 12 : 4,
      arbitrary: requestOf(operation, targets),
    })),
  );
