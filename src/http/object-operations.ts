// The operations on objects, from the table of resources.
import { Type, type TObject } from 'typebox';
import type { JsonObject } from '../json/json.js';
import type { Method, ResourceKind } from '../schema/resources/definition.js';
import { filters } from '../schema/resources/filters.js';
import { listOf } from '../schema/answer.js';
import { limits } from '../schema/limits.js';
import { listParameters } from '../schema/request.js';
import { XactIdText, described, exactly, omittable } from '../schema/scalar.js';
import { listObjects, type ListRequest } from '../service/object/object-list.js';
import {
  createObject,
  deleteObject,
  getObject,
  patchObject,
  replaceObject,
} from '../service/object/objects.js';
import { operation, type DocumentedOperation, type Parameters } from './operation.js';
import { wordsOf } from './resource-names.js';
import { xactIdSpellings } from '../schema/xact-id.js';

const listedVersion = described(
  XactIdText,
  `Returns the objects as of this transaction id, ${xactIdSpellings}.`,
);

const readParameters = exactly({
  version: omittable(
    XactIdText,
    `Returns the object as of this transaction id, ${xactIdSpellings}.`,
  ),
});

function listSchema(resource: ResourceKind): TObject {
  const compared = Object.entries(resource.filters).map(
    ([parameter, field]) =>
      [
        parameter,
        resource.requiredFilters?.includes(parameter) === true
          ? filters[field].schema
          : Type.Optional(filters[field].schema),
      ] as const,
  );
  const version = resource.isVersioned ? { version: Type.Optional(listedVersion) } : {};
  return exactly({ ...listParameters, ...version, ...Object.fromEntries(compared) });
}

/** Parameters by which clients select the environment of a prompt or function. */
const unsupportedOf = ({ isVersioned }: ResourceKind): Readonly<Record<string, string>> =>
  isVersioned
    ? {
        environment:
          "environments are not supported: ask for a version with 'version', or leave it out for the latest",
      }
    : {};

const lowerCase = (value: string | null) => value?.toLowerCase() ?? null;

function listRequest(resource: ResourceKind, query: Parameters): ListRequest {
  const text = (parameter: string) => (query[parameter] ?? null) as string | null;
  const ids = query['ids'] as readonly string[] | undefined;
  return {
    ids: ids === undefined ? null : new Set(ids.map((id) => id.toLowerCase())),
    filters: Object.fromEntries(
      Object.entries(resource.filters).flatMap(([parameter, field]) => {
        const value = field.endsWith('_id') ? lowerCase(text(parameter)) : text(parameter);
        return value === null ? [] : [[field, value]];
      }),
    ),
    startingAfter: lowerCase(text('starting_after')),
    endingBefore: lowerCase(text('ending_before')),
    version: text('version'),
    limit: (query['limit'] ?? null) as number | null,
    orgName: text('org_name'),
    orgId: lowerCase(text('org_id')),
  };
}

const groupInSentence = (group: string): string =>
  /^[A-Z]{2}/.test(group) ? group : group.toLowerCase();

export function listOperation(path: string, resource: ResourceKind): DocumentedOperation {
  const { name, group } = wordsOf[resource.kind];
  return operation('get', path, {
    name: `list${name}s`,
    group,
    summary: `List ${groupInSentence(group)}, newest first`,
    query: listSchema(resource),
    aliases: {
      id: 'ids',
      ...(`${resource.kind}_name` in resource.filters ? { name: `${resource.kind}_name` } : {}),
    },
    unsupported: unsupportedOf(resource),
    answer: listOf(resource.object),
    run: ({ services, caller, query }) =>
      listObjects(services, caller, resource.kind, listRequest(resource, query)),
  });
}

/** A larger body cannot be stored. */
const valuesMax = limits.objectValues.max;

export const createOperation = (path: string, resource: ResourceKind): DocumentedOperation => {
  const { kind, create, object, uniqueBy } = resource;
  const { name, group, one } = wordsOf[kind];
  return operation('post', path, {
    name: `create${name}`,
    group,
    summary: `Create ${one}, or return the existing one with the ${uniqueBy}`,
    body: { kind: 'required', schema: create, valuesMax },
    answer: object,
    headers: ['x-bt-found-existing'],
    run: ({ services, caller, body }) => createObject(services, caller, kind, body as JsonObject),
  });
};

const replaceOperation = (path: string, resource: ResourceKind): DocumentedOperation => {
  const { kind, uniqueBy } = resource;
  const { name, one } = wordsOf[kind];
  const creation = createOperation(path, resource);
  return {
    ...creation,
    method: 'put',
    about: {
      ...creation.about,
      name: `replace${name}`,
      summary: `Create ${one}, or replace the existing one with the ${uniqueBy}`,
      headers: [],
    },
    run: ({ services, caller, body }) => replaceObject(services, caller, kind, body as JsonObject),
  };
};

function putOperation(path: string, resource: ResourceKind): DocumentedOperation {
  if (resource.put === 'replace') return replaceOperation(path, resource);
  const creation = createOperation(path, resource);
  const { name } = wordsOf[resource.kind];
  return {
    ...creation,
    method: 'put',
    about: { ...creation.about, name: `put${name}`, isDeprecated: true },
  };
}

const readOperation = (path: string, resource: ResourceKind): DocumentedOperation => {
  const { kind, isVersioned, object } = resource;
  const { name, group, one } = wordsOf[kind];
  return operation('get', path, {
    name: `get${name}`,
    group,
    summary: `Read ${one}`,
    ...(isVersioned ? { query: readParameters } : {}),
    unsupported: unsupportedOf(resource),
    answer: object,
    run: ({ services, caller, id, query }) =>
      getObject(services, caller, kind, id, (query['version'] ?? null) as string | null),
  });
};

const patchOperation = (path: string, resource: ResourceKind): DocumentedOperation => {
  const { kind, patch, object } = resource;
  const { name, group, one } = wordsOf[kind];
  return operation('patch', path, {
    name: `patch${name}`,
    group,
    summary: `Update the given fields of ${one}`,
    body: { kind: 'optional', schema: patch, valuesMax },
    answer: object,
    run: ({ services, caller, id, body }) =>
      patchObject(services, caller, kind, id, body as JsonObject),
  });
};

const deleteOperation = (path: string, resource: ResourceKind): DocumentedOperation => {
  const { kind, object } = resource;
  const { name, group, one } = wordsOf[kind];
  return operation('delete', path, {
    name: `delete${name}`,
    group,
    summary: `Delete ${one}`,
    answer: object,
    run: ({ services, caller, id }) => deleteObject(services, caller, kind, id),
  });
};

const operationOf: Readonly<
  Record<Method, (path: string, resource: ResourceKind) => DocumentedOperation>
> = {
  list: listOperation,
  create: createOperation,
  put: putOperation,
  read: (path, resource) => readOperation(`${path}/:id`, resource),
  patch: (path, resource) => patchOperation(`${path}/:id`, resource),
  delete: (path, resource) => deleteOperation(`${path}/:id`, resource),
};

export const objectOperations = (
  path: string,
  resource: ResourceKind,
): readonly DocumentedOperation[] =>
  resource.methods.map((method) => operationOf[method](path, resource));
