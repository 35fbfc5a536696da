// The list of all operations.
import type { TObject } from 'typebox';
import type { JsonObject, JsonValue } from '../json/json.js';
import { membersOf, plainJson } from '../json/tree.js';
import type { ResourceDefinition } from '../schema/resources/definition.js';
import { resources } from '../schema/resources/table.js';
import {
  DownloadAddress,
  Health,
  QueryAnswer,
  Readiness,
  RunningQuery,
  ServerStatus,
  ServerVersion,
  ListedQueries,
} from '../schema/answer.js';
import { limits } from '../schema/limits.js';
import {
  DownloadParameters,
  DownloadBody,
  ExperimentQueryBody,
  QueryBody,
  type QueryRequest,
} from '../schema/request.js';
import { AnyObject, Text } from '../schema/scalar.js';
import { offerDownload, openDownload } from '../service/query/downloads.js';
import { cancelQuery, listQueries } from '../service/monitor/queries.js';
import { runQuery } from '../service/query/queries.js';
import { jsonReply } from '../service/reply.js';
import { serverMetrics } from '../service/monitor/metrics.js';
import { readiness, serverStatus } from '../service/monitor/status.js';
import { queryFiles } from '../schema/query-format.js';
import { inFormat } from './answer-format.js';
import { accessOperations } from './access-operations.js';
import { datasetVersions } from './dataset-version-operations.js';
import { eventOperations, insertManyOperation } from './event-operations.js';
import { feedbackOperations } from './feedback-operations.js';
import { objectOperations } from './object-operations.js';
import { operation, type About, type DocumentedOperation } from './operation.js';
import { openApiText } from './openapi.js';
import { icebergOperations } from './iceberg-operations.js';
import { otlpOperations } from './otlp-operations.js';
import { queryWeight } from './rate-limit.js';
import { removalOperations } from './removal-operations.js';
import { sdkOperations } from './sdk/operations.js';
import { sessionOperations } from './session.js';
import { summaryOperations } from './summary-operations.js';
import { serverVersion } from './version.js';

/** Keeps the query as it was parsed, and drops fields that the schema has not. */
const queryRequest = (body: JsonValue, { properties }: TObject = QueryBody): QueryRequest =>
  Object.fromEntries(
    Array.from(membersOf(body as JsonObject))
      .filter(([name]) => Object.hasOwn(properties, name))
      .map(([name, value]) => [name, name === 'query' ? value : plainJson(value)]),
  ) as unknown as QueryRequest;

const queryAnswer: Pick<About, 'answers' | 'headers'> = {
  answers: { 'application/json': QueryAnswer, ...queryFiles },
  headers: [
    'etag',
    'x-evalstore-version',
    'x-evalstore-cursor',
    'x-evalstore-columnstore',
    'x-evalstore-rows',
    'x-evalstore-misfits',
    'server-timing',
    'x-bt-cursor',
    'x-bt-freshness-state',
  ],
};

const queryBody = (schema: TObject) =>
  ({ kind: 'required', schema, valuesMax: limits.queryValues.max }) as const;

/** The operation under both of its paths. */
const queryOperation = (path: '/query' | '/btql'): DocumentedOperation =>
  operation('post', path, {
    name: path === '/query' ? 'runQuery' : 'runQueryByOtherName',
    group: 'Queries',
    isDeprecated: path !== '/query',
    summary: 'Run a query',
    weight: queryWeight,
    body: queryBody(QueryBody),
    ...queryAnswer,
    run: ({ services, caller, body, accept, ifNoneMatch, signal }) =>
      runQuery(services, caller, inFormat(queryRequest(body), accept), ifNoneMatch, signal()),
  });

const queryOperations: readonly DocumentedOperation[] = [
  queryOperation('/query'),
  queryOperation('/btql'),
  // The path names the only source, so that access is checked before the body is read.
  operation('post', '/v1/experiment/:id/query', {
    name: 'runExperimentQuery',
    group: 'Queries',
    summary:
      'Run a query whose only source is this experiment. Without a key, `comments`, `audit`, `org_id`, `use_columnstore`, the shape `versions` and versions from before it became public are refused',
    weight: queryWeight,
    body: queryBody(ExperimentQueryBody),
    ...queryAnswer,
    run: ({ services, caller, id, body, accept, ifNoneMatch, signal }) => {
      const request = inFormat(queryRequest(body, ExperimentQueryBody), accept);
      return runQuery(services, caller, request, ifNoneMatch, signal(), { experimentId: id });
    },
  }),
  operation('post', '/query/download', {
    name: 'offerDownload',
    group: 'Queries',
    summary: 'Create a URL that returns the answer to a query as a file, for ten minutes',
    weight: queryWeight,
    body: queryBody(DownloadBody),
    answer: DownloadAddress,
    run: ({ services, caller, host, body, signal }) =>
      offerDownload(services, caller, host, queryRequest(body, DownloadBody), Date.now(), signal()),
  }),
  operation('get', '/query/download', {
    name: 'download',
    group: 'Queries',
    summary:
      'Return the answer to a query at its URL, or a part of it. The first HEAD or request with `Range` runs the query, and all later ones return what it found; until then, each GET runs it',
    query: DownloadParameters,
    answers: queryAnswer.answers,
    headers: ['accept-ranges', 'x-evalstore-version', 'server-timing'],
    run: ({ services, caller, query, range, isHead, signal }) => {
      const asked = { token: query['token'] as string | undefined, range, isHead };
      return openDownload(services, caller, asked, Date.now(), signal());
    },
  }),
  operation('get', '/v1/queries', {
    name: 'listQueries',
    group: 'Queries',
    summary:
      'List the queries that run or wait, and the last slow ones: those of the user of the key, and all of an organisation that it owns',
    answer: ListedQueries,
    run: ({ services, caller }) => listQueries(services, caller),
  }),
  operation('delete', '/v1/queries/:id', {
    name: 'cancelQuery',
    group: 'Queries',
    summary:
      'Cancel a query that is listed: it stops, and its client gets 400, or an answer that breaks off if a part of it is sent already',
    answer: RunningQuery,
    run: ({ services, caller, id }) => cancelQuery(services, caller, id),
  }),
];

const resourceOperations = (resource: ResourceDefinition): readonly DocumentedOperation[] => {
  const { path, objects, events, feedback } = resource;
  return [
    ...(objects === undefined ? [] : objectOperations(`/v1/${path}`, objects)),
    ...(events === undefined ? [] : eventOperations(`/v1/${path}`, events)),
    ...(feedback === undefined ? [] : feedbackOperations(`/v1/${path}`, feedback)),
  ];
};

export const operations: readonly DocumentedOperation[] = [
  operation('get', '/health', {
    name: 'getHealth',
    group: 'Server',
    summary: 'Whether the server runs',
    answer: Health,
    run: () => jsonReply(JSON.stringify({ status: 'ok' })),
  }),
  operation('get', '/ready', {
    name: 'getReadiness',
    group: 'Server',
    summary:
      'Whether the server takes inserts: 503 while it stops, while its flushes fail, or while the disk is almost full',
    answer: Readiness,
    run: ({ services }) => readiness(services),
  }),
  operation('get', '/version', {
    name: 'getVersion',
    group: 'Server',
    summary: 'Version of the server',
    answer: ServerVersion,
    run: () => jsonReply(JSON.stringify({ ...serverVersion, logs3_payload_max_bytes: null })),
  }),
  operation('get', '/openapi.json', {
    name: 'getOpenApi',
    group: 'Server',
    summary: 'OpenAPI document of the interface',
    answer: AnyObject,
    run: () => jsonReply(openApiText(operations)),
  }),
  operation('get', '/status', {
    name: 'getStatus',
    group: 'Server',
    summary: 'State of the server',
    answer: ServerStatus,
    run: ({ services, caller }) => serverStatus(services, caller, serverVersion),
  }),
  operation('get', '/metrics', {
    name: 'getMetrics',
    group: 'Server',
    summary:
      'Metrics in the text format of Prometheus: durations of requests, and the state of the server',
    answers: { 'text/plain': Text },
    run: ({ services, caller }) => serverMetrics(services, caller, serverVersion),
  }),
  ...queryOperations,
  insertManyOperation(
    '/v1/insert',
    resources.flatMap(({ events }) => events ?? []),
  ),
  ...resources.flatMap(resourceOperations),
  ...accessOperations,
  ...removalOperations,
  ...summaryOperations,
  datasetVersions,
  ...sdkOperations,
  ...otlpOperations,
  ...icebergOperations,
  ...sessionOperations,
];
