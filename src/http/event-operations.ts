// The operations on events, from the table of resources.
import { Type } from 'typebox';
import { RowIds, RowIdsById, pageOf } from '../schema/answer.js';
import { fetchedEvents } from '../schema/event.js';
import type { EventObjectKind } from '../schema/event-row.js';
import { FetchBody, FetchParameters } from '../schema/request.js';
import { exactly } from '../schema/scalar.js';
import { fetchEvents, insertEvents } from '../service/event/events.js';
import type { EventForm } from '../service/event/body-lists.js';
import { insertIntoObjects } from '../service/event/insert-many.js';
import { jsonReply } from '../service/reply.js';
import { insertBody, insertManyBody } from './event-bodies.js';
import { fetchRequest } from './fetch-request.js';
import { linesTypes, parquetType } from './content-type.js';
import { operation, type DocumentedOperation } from './operation.js';
import { purgeOperation } from './removal-operations.js';
import { wordsOf } from './resource-names.js';

const forms: Readonly<Record<string, EventForm>> = {
  ...Object.fromEntries(linesTypes.map((type) => [type, 'lines'])),
  [parquetType]: 'parquet',
};

const contentTypes = {
  'application/json': '',
  ...Object.fromEntries(linesTypes.map((type) => [type, 'Events, one on each line.'])),
  [parquetType]: 'Events, one in each row; columns are fields.',
};

const insertOperation = (path: string, kind: EventObjectKind): DocumentedOperation =>
  operation('post', `${path}/:id/insert`, {
    name: `insert${wordsOf[kind].name}Events`,
    group: wordsOf[kind].group,
    summary: `Insert events into ${wordsOf[kind].one}`,
    body: { kind: 'bytes', shown: insertBody(kind), contentTypes, isJsonOtherwise: true },
    answer: RowIds,
    headers: ['x-evalstore-version'],
    run: async ({ services, caller, id, bytes, contentType, reserve, signal }) => {
      const body = { bytes, reserve, signal };
      const form = forms[contentType] ?? 'json';
      const { row_ids, version } = await insertEvents(services, caller, kind, id, body, form);
      return jsonReply(JSON.stringify({ row_ids }), { 'x-evalstore-version': version });
    },
  });

/** Inserts events into objects of these kinds in one transaction. */
export const insertManyOperation = (
  path: string,
  kinds: readonly EventObjectKind[],
): DocumentedOperation =>
  operation('post', path, {
    name: 'insertEvents',
    group: 'Events',
    summary: 'Insert events into several objects in one transaction',
    body: { kind: 'bytes', shown: insertManyBody(kinds), isShort: true },
    answer: Type.Partial(exactly(Object.fromEntries(kinds.map((kind) => [kind, RowIdsById])))),
    headers: ['x-evalstore-version'],
    run: async ({ services, caller, bytes, reserve, signal }) => {
      const { rows, version } = await insertIntoObjects(services, caller, {
        bytes,
        reserve,
        signal,
      });
      return jsonReply(JSON.stringify(rows), { 'x-evalstore-version': version });
    },
  });

function fetchOperations(path: string, kind: EventObjectKind): readonly DocumentedOperation[] {
  const { name, group, one } = wordsOf[kind];
  const about = {
    group,
    answer: pageOf(fetchedEvents[kind]),
    headers: ['etag', 'x-evalstore-version'],
  } as const;
  return [
    operation('get', `${path}/:id/fetch`, {
      name: `fetch${name}Events`,
      summary: `Fetch events of ${one}`,
      query: FetchParameters,
      ...about,
      run: ({ services, caller, id, query, ifNoneMatch, signal }) =>
        fetchEvents(services, caller, { kind, id, request: query, ifNoneMatch }, signal()),
    }),
    operation('post', `${path}/:id/fetch`, {
      name: `find${name}Events`,
      summary: `Fetch events of ${one}, also by filters`,
      body: { kind: 'optional', schema: FetchBody },
      ...about,
      run: ({ services, caller, id, body, ifNoneMatch, signal }) => {
        const request = fetchRequest(body);
        return fetchEvents(services, caller, { kind, id, request, ifNoneMatch }, signal());
      },
    }),
  ];
}

export const eventOperations = (
  path: string,
  kind: EventObjectKind,
): readonly DocumentedOperation[] => [
  insertOperation(path, kind),
  ...fetchOperations(path, kind),
  purgeOperation(path, kind),
];
