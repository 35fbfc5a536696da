// The list of all operations.
import { Type, type TSchema } from 'typebox';
import type { JsonObject, JsonValue } from '../json/json.js';
import { membersOf, plainJson } from '../json/tree.js';
import type { ResourceDefinition } from '../resource/definition.js';
import { resources } from '../resource/table.js';
import {
  DownloadAddress,
  Health,
  QueryAnswer,
  ServerStatus,
  ServerVersion,
  queryFiles,
} from '../schema/answer.js';
import { limits } from '../schema/limits.js';
import {
  DownloadParameters,
  ExperimentQueryBody,
  QueryBody,
  type QueryRequest,
} from '../schema/request.js';
import { AnyObject, closed } from '../schema/scalar.js';
import { offerDownload, takeDownload } from '../service/query/downloads.js';
import { runQuery } from '../service/query/queries.js';
import { jsonReply } from '../service/reply.js';
import { serverStatus } from '../service/status.js';
import { accessOperations } from './access-operations.js';
import { datasetVersions } from './dataset-version-operations.js';
import { eventOperations, insertManyOperation } from './event-operations.js';
import { feedbackOperations } from './feedback-operations.js';
import { objectOperations } from './object-operations.js';
import { answersJson, type About, type DocumentedOperation } from './operation.js';
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

/** The body keeps the query as it was parsed. */
const queryRequest = (body: JsonValue): QueryRequest =>
  Object.fromEntries(
    Array.from(membersOf(body as JsonObject), ([name, value]) => [
      name,
      name === 'query' ? value : plainJson(value),
    ]),
  ) as unknown as QueryRequest;

const queryAnswer: Pick<About, 'answers' | 'headers'> = {
  answers: { ...answersJson(QueryAnswer), ...queryFiles },
  headers: [
    'etag',
    'x-evalstore-version',
    'x-evalstore-cursor',
    'x-evalstore-columnstore',
    'server-timing',
    'x-bt-cursor',
    'x-bt-freshness-state',
  ],
};

/** Queries one experiment, which the path names, so that access is checked before the body is read. */
const experimentQueryOperation: DocumentedOperation = {
  method: 'post',
  path: '/v1/experiment/:id/query',
  query: Type.Object({}, closed),
  weight: queryWeight,
  body: { kind: 'required', schema: ExperimentQueryBody, valuesMax: limits.queryValues.max },
  about: {
    name: 'runExperimentQuery',
    group: 'Queries',
    summary:
      'Run a query whose only source is this experiment. Without a key, `comments`, `audit` and `use_columnstore` are refused',
    ...queryAnswer,
  },
  run: ({ services, caller, id, body, ifNoneMatch, signal }) =>
    runQuery(services, caller, queryRequest(body), ifNoneMatch, signal(), { experimentId: id }),
};

const downloadOperations: readonly DocumentedOperation[] = [
  {
    method: 'post',
    path: '/query/download',
    query: Type.Object({}, closed),
    weight: queryWeight,
    body: { kind: 'required', schema: QueryBody, valuesMax: limits.queryValues.max },
    about: {
      name: 'offerDownload',
      group: 'Queries',
      summary: 'Create a URL that returns the answer to a query once, within a minute, as a file',
      answers: answersJson(DownloadAddress),
    },
    run: ({ services, caller, host, body }) =>
      offerDownload(services, caller, host, queryRequest(body), Date.now()),
  },
  {
    method: 'get',
    path: '/query/download',
    query: DownloadParameters,
    isOnce: true,
    about: {
      name: 'download',
      group: 'Queries',
      summary: 'Return the answer to a query at its URL',
      answers: queryAnswer.answers,
      headers: ['x-evalstore-version', 'server-timing'],
    },
    run: ({ services, caller, query, signal }) =>
      takeDownload(services, caller, query['token'] as string | undefined, Date.now(), signal()),
  },
];

/** The operation under both of its paths. */
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
    summary: 'Run a query',
    ...queryAnswer,
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
    summary: 'OpenAPI document of the interface',
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
      summary: 'State of the server',
      answers: answersJson(ServerStatus),
    },
    run: ({ services, caller }) => serverStatus(services, caller, serverVersion),
  },
  queryOperation('/query'),
  queryOperation('/btql'),
  experimentQueryOperation,
  ...downloadOperations,
  insertManyOperation(
    '/v1/insert',
    resources.flatMap(({ events }) => events ?? []),
  ),
  ...resources.flatMap(resourceOperations),
  ...accessOperations,
  ...summaryOperations,
  datasetVersions,
  ...sdkOperations,
  ...otlpOperations,
  ...sessionOperations,
];
