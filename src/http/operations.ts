// Every route of the server, in one list.
import { Type } from 'typebox';
import { plainJson } from '../json/tree.js';
import type { ResourceDefinition } from '../resource/definition.js';
import { resources } from '../resource/table.js';
import { QueryBody, type QueryRequest } from '../schema/request.js';
import { closed } from '../schema/scalar.js';
import { runQuery } from '../service/queries.js';
import { jsonReply } from '../service/reply.js';
import { eventOperations, insertManyOperation } from './event-operations.js';
import { feedbackOperations } from './feedback-operations.js';
import { objectOperations } from './object-operations.js';
import type { Operation } from './operation.js';
import { summaryOperations } from './summary-operations.js';
import { serverVersion } from './version.js';

const statusOperation = (path: string, answer: object): Operation => ({
  method: 'get',
  path,
  access: { kind: 'open' },
  query: Type.Object({}, closed),
  run: () => jsonReply(JSON.stringify(answer)),
});

/** Under both of its names. */
const queryOperation = (path: '/query' | '/btql'): Operation => ({
  method: 'post',
  path,
  access: { kind: 'key' },
  query: Type.Object({}, closed),
  body: { kind: 'required', schema: QueryBody },
  run: ({ services, caller, body, signal }) =>
    runQuery(services, caller, plainJson(body) as QueryRequest, signal),
});

const resourceOperations = ({
  path,
  objects,
  events,
  feedback,
}: ResourceDefinition): readonly Operation[] => [
  ...(objects === undefined ? [] : objectOperations(`/v1/${path}`, objects)),
  ...(events === undefined ? [] : eventOperations(`/v1/${path}`, events)),
  ...(feedback === undefined ? [] : feedbackOperations(`/v1/${path}`, feedback)),
];

export const operations: readonly Operation[] = [
  statusOperation('/health', { status: 'ok' }),
  statusOperation('/version', serverVersion),
  queryOperation('/query'),
  queryOperation('/btql'),
  insertManyOperation(
    '/v1/insert',
    resources.flatMap(({ events }) => events ?? []),
  ),
  ...resources.flatMap(resourceOperations),
  ...summaryOperations,
];
