// The operations on objects, from the table of resources.
import { Type, type TObject, type TSchema } from 'typebox';
import type { JsonObject } from '../json/json.js';
import type { FilteredField, Method, ObjectFacet } from '../schema/resources/definition.js';
import { listOf } from '../schema/answer.js';
import { ObjectTypeName, PermissionName } from '../schema/permission.js';
import { limits } from '../schema/limits.js';
import { listParameters } from '../schema/request.js';
import { Text, Uuid, XactIdText, described, exactly, omittable } from '../schema/scalar.js';
import { listObjects, type ListRequest } from '../service/object/object-list.js';
import {
  createObject,
  deleteObject,
  getObject,
  patchObject,
  replaceObject,
} from '../service/object/objects.js';
import { operation, type DocumentedOperation, type Parameters } from './operation.js';
import { wordsOf } from './words.js';
import { xactIdSpellings } from '../schema/xact-id.js';

const filterSchemas: Readonly<Record<FilteredField, TSchema>> = {
  name: described(Text, 'Only the object with exactly this name.'),
  slug: described(Text, 'Only the object with exactly this slug.'),
  project_id: described(Uuid, 'Only objects of this project.'),
  dataset_id: described(Uuid, 'Only objects of this dataset.'),
  function_type: described(Text, 'Only objects with exactly this function type.'),
  'project.name': described(Text, 'Only objects of the project with exactly this name.'),
  given_name: described(Text, 'Only users with exactly this given name.'),
  family_name: described(Text, 'Only users with exactly this family name.'),
  email: described(Text, 'Only the user with exactly this email address.'),
  object_type: described(ObjectTypeName, 'Only ACLs on objects of this type.'),
  object_id: described(Uuid, 'Only ACLs on the object with this id.'),
  user_id: described(Uuid, 'Only ACLs that grant something to this user.'),
  group_id: described(Uuid, 'Only ACLs that grant something to this group.'),
  permission: described(PermissionName, 'Only ACLs that grant this permission.'),
  restrict_object_type: described(ObjectTypeName, 'Only ACLs restricted to this type of object.'),
  role_id: described(Uuid, 'Only ACLs that grant this role.'),
};

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

function listSchema(facet: ObjectFacet): TObject {
  const filters = Object.entries(facet.filters).map(
    ([parameter, field]) =>
      [
        parameter,
        facet.requiredFilters?.includes(parameter) === true
          ? filterSchemas[field]
          : Type.Optional(filterSchemas[field]),
      ] as const,
  );
  const version = facet.isVersioned ? { version: Type.Optional(listedVersion) } : {};
  return exactly({ ...listParameters, ...version, ...Object.fromEntries(filters) });
}

/** Parameters by which clients select the environment of a prompt or function. */
const unsupportedOf = ({ isVersioned }: ObjectFacet): Readonly<Record<string, string>> =>
  isVersioned
    ? {
        environment:
          "environments are not supported: ask for a version with 'version', or leave it out for the latest",
      }
    : {};

/** The filters on fields that the catalog indexes in memory. */
const accessFields = [
  ...(['given_name', 'family_name', 'email', 'object_type', 'object_id', 'user_id'] as const),
  ...(['group_id', 'permission', 'restrict_object_type', 'role_id'] as const),
];

const lowerCase = (value: string | null) => value?.toLowerCase() ?? null;

function listRequest(facet: ObjectFacet, query: Parameters): ListRequest {
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
    datasetId: lowerCase(filter('dataset_id')),
    fields: Object.fromEntries(
      accessFields.flatMap((field) => {
        const value = field.endsWith('_id') ? lowerCase(filter(field)) : filter(field);
        return value === null ? [] : [[field, value]];
      }),
    ),
    functionType: filter('function_type'),
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

export function listOperation(path: string, facet: ObjectFacet): DocumentedOperation {
  const { name, group } = wordsOf[facet.kind];
  return operation('get', path, {
    name: `list${name}s`,
    group,
    summary: `List ${groupInSentence(group)}, newest first`,
    query: listSchema(facet),
    aliases: {
      id: 'ids',
      ...(`${facet.kind}_name` in facet.filters ? { name: `${facet.kind}_name` } : {}),
    },
    unsupported: unsupportedOf(facet),
    answer: listOf(facet.object),
    run: ({ services, caller, query }) =>
      listObjects(services, caller, facet.kind, listRequest(facet, query)),
  });
}

/** A larger body cannot be stored. */
const valuesMax = limits.objectValues.max;

export const createOperation = (path: string, facet: ObjectFacet): DocumentedOperation => {
  const { kind, create, object, uniqueBy } = facet;
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

const replaceOperation = (path: string, facet: ObjectFacet): DocumentedOperation => {
  const { kind, uniqueBy } = facet;
  const { name, one } = wordsOf[kind];
  const creation = createOperation(path, facet);
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

function putOperation(path: string, facet: ObjectFacet): DocumentedOperation {
  if (facet.put === 'replace') return replaceOperation(path, facet);
  const creation = createOperation(path, facet);
  const { name } = wordsOf[facet.kind];
  return {
    ...creation,
    method: 'put',
    about: { ...creation.about, name: `put${name}`, isDeprecated: true },
  };
}

const readOperation = (path: string, facet: ObjectFacet): DocumentedOperation => {
  const { kind, isVersioned, object } = facet;
  const { name, group, one } = wordsOf[kind];
  return operation('get', path, {
    name: `get${name}`,
    group,
    summary: `Read ${one}`,
    ...(isVersioned ? { query: readParameters } : {}),
    unsupported: unsupportedOf(facet),
    answer: object,
    run: ({ services, caller, id, query }) =>
      getObject(services, caller, kind, id, (query['version'] ?? null) as string | null),
  });
};

const patchOperation = (path: string, facet: ObjectFacet): DocumentedOperation => {
  const { kind, patch, object } = facet;
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

const deleteOperation = (path: string, facet: ObjectFacet): DocumentedOperation => {
  const { kind, object } = facet;
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
  Record<Method, (path: string, facet: ObjectFacet) => DocumentedOperation>
> = {
  list: listOperation,
  create: createOperation,
  put: putOperation,
  read: (path, facet) => readOperation(`${path}/:id`, facet),
  patch: (path, facet) => patchOperation(`${path}/:id`, facet),
  delete: (path, facet) => deleteOperation(`${path}/:id`, facet),
};

export const objectOperations = (
  path: string,
  facet: ObjectFacet,
): readonly DocumentedOperation[] =>
  facet.methods.map((method) => operationOf[method](path, facet));
