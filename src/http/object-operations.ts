// The table of resources -> operations on their objects.
import { Type, type TObject } from 'typebox';
import type { JsonObject } from '../json/json.js';
import type { FilteredField, ObjectFacet } from '../resource/definition.js';
import { listParameters } from '../schema/request.js';
import { Text, Uuid, closed } from '../schema/scalar.js';
import { listObjects, type ListRequest } from '../service/object-list.js';
import {
  createObject,
  deleteObject,
  getObject,
  patchObject,
  replaceObject,
} from '../service/objects.js';
import type { Access, Operation } from './operation.js';
import type { Parameters } from './parameters.js';

const noParameters = Type.Object({}, closed);

const withKey: Access = { kind: 'key' };

function listSchema(facet: ObjectFacet): TObject {
  const filters = Object.entries(facet.filters).map(
    ([parameter, field]) =>
      [parameter, Type.Optional(field === 'project_id' ? Uuid : Text)] as const,
  );
  const version = facet.isVersioned ? { version: Type.Optional(Text) } : {};
  return Type.Object({ ...listParameters, ...version, ...Object.fromEntries(filters) }, closed);
}

const lowerCase = (value: string | null) => value?.toLowerCase() ?? null;

export function listRequest(facet: ObjectFacet, query: Parameters): ListRequest {
  const text = (parameter: string) => (query[parameter] ?? null) as string | null;
  const filter = (field: FilteredField) => {
    const found = Object.entries(facet.filters).find(([, compared]) => compared === field);
    return found === undefined ? null : text(found[0]);
  };
  const ids = query['ids'] as readonly string[] | undefined;
  return {
    ids: ids === undefined ? null : new Set(ids.map((id) => id.toLowerCase())),
    name: filter('name'),
    slug: filter('slug'),
    projectId: lowerCase(filter('project_id')),
    projectName: filter('project.name'),
    startingAfter: lowerCase(text('starting_after')),
    endingBefore: lowerCase(text('ending_before')),
    version: text('version'),
    limit: (query['limit'] ?? null) as number | null,
    orgName: text('org_name'),
  };
}

function listOperation(path: string, facet: ObjectFacet): Operation {
  return {
    method: 'get',
    path,
    access: withKey,
    query: listSchema(facet),
    aliases: { id: 'ids', name: `${facet.kind}_name` },
    run: ({ services, caller, query }) =>
      listObjects(services, caller, facet.kind, listRequest(facet, query)),
  };
}

const createOperation = (
  method: 'post' | 'put',
  path: string,
  { kind, create, put }: ObjectFacet,
): Operation => {
  const run = method === 'put' && put === 'replace' ? replaceObject : createObject;
  return {
    method,
    path,
    access: withKey,
    query: noParameters,
    body: { kind: 'required', schema: create },
    run: ({ services, caller, body }) => run(services, caller, kind, body as JsonObject),
  };
};

const readOperation = (path: string, { kind, canBePublic }: ObjectFacet): Operation => ({
  method: 'get',
  path,
  access: canBePublic ? { kind: 'public', of: kind } : withKey,
  query: noParameters,
  run: ({ services, caller, id }) => getObject(services, caller, kind, id),
});

function changeOperations(path: string, { kind, patch }: ObjectFacet): readonly Operation[] {
  if (patch === null) return [];
  return [
    {
      method: 'patch',
      path,
      access: withKey,
      query: noParameters,
      body: { kind: 'optional', schema: patch },
      run: ({ services, caller, id, body }) =>
        patchObject(services, caller, kind, id, body as JsonObject),
    },
    {
      method: 'delete',
      path,
      access: withKey,
      query: noParameters,
      run: ({ services, caller, id }) => deleteObject(services, caller, kind, id),
    },
  ];
}

export const objectOperations = (path: string, facet: ObjectFacet): readonly Operation[] => [
  listOperation(path, facet),
  createOperation('post', path, facet),
  createOperation('put', path, facet),
  readOperation(`${path}/:id`, facet),
  ...changeOperations(`${path}/:id`, facet),
];
