// Every operation of the interface, in one list.
import { Type, type TSchema } from 'typebox';
import type { JsonObject, JsonValue } from '../json/json.js';
import { membersOf, plainJson } from '../json/tree.js';
import type { ResourceDefinition } from '../resource/definition.js';
import { resources } from '../resource/table.js';
import { Health, QueryAnswer, ServerStatus, ServerVersion, queryFiles } from '../schema/answer.js';
import { limits } from '../schema/limits.js';
import { QueryBody, type QueryRequest } from '../schema/request.js';
import { AnyObject, closed } from '../schema/scalar.js';
import { runQuery } from '../service/query/queries.js';
import { jsonReply } from '../service/reply.js';
import { serverStatus } from '../service/status.js';
import { accessOperations } from './access-operations.js';
import { eventOperations, insertManyOperation } from './event-operations.js';
import { feedbackOperations } from './feedback-operations.js';
import { objectOperations } from './object-operations.js';
import { answersJson, type DocumentedOperation } from './operation.js';
import { openApiText } from './openapi.js';
import { otlpOperations } from './otlp-operations.js';
import { queryWeight } from './rate-limit.js';
import { sdkOperations } from './sdk/operations.js';
import { sessionOperations } from './session.js';
import { summaryOperations } from './summary-operations.js';
import { serverVersion } from './version.js';

interface Status {
  readonly name: string;
  readonly summary: string;
  readonly schema: TSchema;
  /** JSON text. */
  readonly answer: () => string;
}

const statusOperation = (
  path: string,
  { name, summary, schema, answer }: Status,
): DocumentedOperation => ({
  method: 'get',
  path,
  query: Type.Object({}, closed),
  about: { name, group: 'Server', summary, answers: answersJson(schema) },
  run: () => jsonReply(answer()),
});

/** The query itself stays as it was parsed. */
const queryRequest = (body: JsonValue): QueryRequest =>
  Object.fromEntries(
    Array.from(membersOf(body as JsonObject), ([name, value]) => [
      name,
      name === 'query' ? value : plainJson(value),
    ]),
  ) as unknown as QueryRequest;

/** Under both of its names. */
const queryOperation = (path: '/query' | '/btql'): DocumentedOperation => ({
  method: 'post',
  path,
  query: Type.Object({}, closed),
  weight: queryWeight,
  body: { kind: 'required', schema: QueryBody, valuesMax: limits.queryValues.max },
  about: {
    name: path === '/query' ? 'runQuery' : 'runQueryByOtherName',
    group: 'Queries',
    isDeprecated: path !== '/query',
    summary: 'Filter and aggregate events with the query language',
    answers: {
      ...answersJson(QueryAnswer),
      ...queryFiles,
    },
    headers: [
      'etag',
      'x-evalstore-version',
      'x-evalstore-cursor',
      'x-evalstore-columnstore',
      'x-bt-cursor',
      'x-bt-freshness-state',
    ],
  },
  run: ({ services, caller, body, ifNoneMatch, signal }) =>
    runQuery(services, caller, queryRequest(body), ifNoneMatch, signal()),
});

const resourceOperations = (resource: ResourceDefinition): readonly DocumentedOperation[] => {
  const { path, objects, events, feedback } = resource;
  return [
    ...(objects === undefined ? [] : objectOperations(`/v1/${path}`, objects)),
    ...(events === undefined ? [] : eventOperations(`/v1/${path}`, events)),
    ...(feedback === undefined ? [] : feedbackOperations(`/v1/${path}`, feedback)),
  ];
};

export const operations: readonly DocumentedOperation[] = [
  statusOperation('/health', {
    name: 'getHealth',
    summary: 'Whether the server runs',
    schema: Health,
    answer: () => JSON.stringify({ status: 'ok' }),
  }),
  statusOperation('/version', {
    name: 'getVersion',
    summary: 'Version of the server',
    schema: ServerVersion,
    answer: () => JSON.stringify({ ...serverVersion, logs3_payload_max_bytes: null }),
  }),
  statusOperation('/openapi.json', {
    name: 'getOpenApi',
    summary: 'Description of the interface as an OpenAPI document',
    schema: AnyObject,
    answer: () => openApiText(operations),
  }),
  {
    method: 'get',
    path: '/status',
    query: Type.Object({}, closed),
    about: {
      name: 'getStatus',
      group: 'Server',
      summary: 'What the server runs and holds',
      answers: answersJson(ServerStatus),
    },
    run: ({ services, caller }) => serverStatus(services, caller, serverVersion),
  },
  queryOperation('/query'),
  queryOperation('/btql'),
  insertManyOperation(
    '/v1/insert',
    resources.flatMap(({ events }) => events ?? []),
  ),
  ...resources.flatMap(resourceOperations),
  ...accessOperations,
  ...summaryOperations,
  ...sdkOperations,
  ...otlpOperations,
  ...sessionOperations,
];
