// The operations on events, from the table of resources.
import { Type } from 'typebox';
import type { JsonObject } from '../json/json.js';
import type { EventFacet } from '../resource/definition.js';
import { RowIds, RowIdsById, pageOf } from '../schema/answer.js';
import { fetchedEvents } from '../schema/event.js';
import { EventsById, FetchBody, FetchParameters } from '../schema/request.js';
import { closed, optional } from '../schema/scalar.js';
import { fetchEvents, insertEvents } from '../service/events.js';
import { insertIntoObjects } from '../service/insert-many.js';
import { jsonReply } from '../service/reply.js';
import { insertBody, insertManyBody } from './event-bodies.js';
import { fetchRequest } from './fetch-request.js';
import { answersJson, type DocumentedOperation } from './operation.js';
import { wordsOf } from './words.js';

const insertOperation = (path: string, { kind }: EventFacet): DocumentedOperation => ({
  method: 'post',
  path: `${path}/:id/insert`,
  query: Type.Object({}, closed),
  body: { kind: 'bytes', shown: insertBody(kind) },
  about: {
    name: `insert${wordsOf[kind].name}Events`,
    group: wordsOf[kind].group,
    summary: `Insert events into ${wordsOf[kind].one}`,
    answers: answersJson(RowIds),
    headers: ['x-evalstore-version'],
  },
  run: async ({ services, caller, id, bytes, reserve }) => {
    const { row_ids, version } = await insertEvents(services, caller, kind, id, bytes, reserve);
    return jsonReply(JSON.stringify({ row_ids }), { 'x-evalstore-version': version });
  },
});

/** Inserts events into objects of these kinds in one transaction. */
export const insertManyOperation = (
  path: string,
  facets: readonly EventFacet[],
): DocumentedOperation => ({
  method: 'post',
  path,
  query: Type.Object({}, closed),
  body: {
    kind: 'required',
    schema: Type.Object(
      Object.fromEntries(facets.map(({ kind }) => [kind, optional(EventsById)])),
      closed,
    ),
    shown: insertManyBody(facets.map(({ kind }) => kind)),
  },
  about: {
    name: 'insertEvents',
    group: 'Events',
    summary: 'Insert events into several objects in one transaction',
    answers: answersJson(
      Type.Partial(
        Type.Object(Object.fromEntries(facets.map(({ kind }) => [kind, RowIdsById])), closed),
      ),
    ),
    headers: ['x-evalstore-version'],
  },
  run: async ({ services, caller, body, reserve }) => {
    const { rows, version } = await insertIntoObjects(
      services,
      caller,
      body as JsonObject,
      reserve,
    );
    return jsonReply(JSON.stringify(rows), { 'x-evalstore-version': version });
  },
});

function fetchOperations(path: string, { kind }: EventFacet): readonly DocumentedOperation[] {
  const { name, group, one } = wordsOf[kind];
  const about = {
    group,
    answers: answersJson(pageOf(fetchedEvents[kind])),
    headers: ['etag', 'x-evalstore-version'],
  } as const;
  return [
    {
      method: 'get',
      path: `${path}/:id/fetch`,
      query: FetchParameters,
      about: { ...about, name: `fetch${name}Events`, summary: `Fetch events of ${one}` },
      run: ({ services, caller, id, query, ifNoneMatch, signal }) =>
        fetchEvents(services, caller, { kind, id, request: query, ifNoneMatch }, signal()),
    },
    {
      method: 'post',
      path: `${path}/:id/fetch`,
      query: Type.Object({}, closed),
      body: { kind: 'optional', schema: FetchBody },
      about: {
        ...about,
        name: `find${name}Events`,
        summary: `Fetch events of ${one}, also by filters`,
      },
      run: ({ services, caller, id, body, ifNoneMatch, signal }) => {
        const request = fetchRequest(body);
        return fetchEvents(services, caller, { kind, id, request, ifNoneMatch }, signal());
      },
    },
  ];
}

export const eventOperations = (
  path: string,
  facet: EventFacet,
): readonly DocumentedOperation[] => [
  insertOperation(path, facet),
  ...fetchOperations(path, facet),
];
