// The table of resources -> operations on their events.
import { Type } from 'typebox';
import type { JsonObject } from '../json/json.js';
import type { EventFacet } from '../resource/definition.js';
import { EventsById, FetchBody, FetchParameters } from '../schema/request.js';
import { closed, optional } from '../schema/scalar.js';
import { fetchEvents, insertEvents } from '../service/events.js';
import { insertIntoObjects } from '../service/insert-many.js';
import { jsonReply } from '../service/reply.js';
import { fetchRequest } from './fetch-request.js';
import type { Access, Operation } from './operation.js';

const insertOperation = (path: string, { kind }: EventFacet): Operation => ({
  method: 'post',
  path: `${path}/:id/insert`,
  access: { kind: 'key' },
  query: Type.Object({}, closed),
  body: { kind: 'text' },
  run: async ({ services, caller, id, text }) => {
    const { row_ids, version } = await insertEvents(services, caller, kind, id, text);
    return jsonReply(JSON.stringify({ row_ids }), { 'x-evalstore-version': version });
  },
});

/** Events for objects of all these kinds in one transaction. */
export const insertManyOperation = (path: string, facets: readonly EventFacet[]): Operation => ({
  method: 'post',
  path,
  access: { kind: 'key' },
  query: Type.Object({}, closed),
  body: {
    kind: 'required',
    schema: Type.Object(
      Object.fromEntries(facets.map(({ kind }) => [kind, optional(EventsById)])),
      closed,
    ),
  },
  run: async ({ services, caller, body }) => {
    const { rows, version } = await insertIntoObjects(services, caller, body as JsonObject);
    return jsonReply(JSON.stringify(rows), { 'x-evalstore-version': version });
  },
});

function fetchOperations(path: string, { kind, canBePublic }: EventFacet): readonly Operation[] {
  const access: Access =
    canBePublic && kind !== 'project_logs' ? { kind: 'public', of: kind } : { kind: 'key' };
  return [
    {
      method: 'get',
      path: `${path}/:id/fetch`,
      access,
      query: FetchParameters,
      run: ({ services, caller, id, query, signal }) =>
        fetchEvents(services, caller, kind, id, query, signal),
    },
    {
      method: 'post',
      path: `${path}/:id/fetch`,
      access,
      query: Type.Object({}, closed),
      body: { kind: 'optional', schema: FetchBody },
      run: ({ services, caller, id, body, signal }) =>
        fetchEvents(services, caller, kind, id, fetchRequest(body), signal),
    },
  ];
}

export const eventOperations = (path: string, facet: EventFacet): readonly Operation[] => [
  insertOperation(path, facet),
  ...fetchOperations(path, facet),
];
