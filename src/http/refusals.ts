// The error statuses of each operation, for the reference.
import type { Operation } from './operation.js';
import { needOf, type Need } from './permission-table.js';

type Refusal = readonly [status: number, meaning: string];

const always: readonly Refusal[] = [
  [400, 'Invalid request; the message names the field and the reason.'],
  [401, 'Missing or invalid API key.'],
];

const ofNamedObject: Refusal = [403, 'The object does not exist, or the key may not use it.'];

const ofNamespace: Refusal = [
  404,
  'No such project, the key may not read everything in it, or it has no table.',
];

const ofPermission: Refusal = [403, 'The key lacks the permission.'];

/** For operations whose body or headers name the objects to write to. */
const ofNamedParent: Refusal = [
  403,
  'No span names an object that exists and that the key may use.',
];

const ofBody: readonly Refusal[] = [
  [
    413,
    'The body exceeds the configured limit, or 16 MB if it is not an insert into one object, a request to `/logs3` or an export of spans. Or the events of the request together are larger as JSON than twice the configured limit or 1.5 GB, in a restore than a quarter of the heap that Node.js permits, or after their merges than 1,984 MB. Or a Parquet file is larger without compression than twice the configured limit.',
  ],
  [415, 'Unsupported content type or content encoding.'],
];

const ofAnyServer: readonly Refusal[] = [
  [431, 'The request line and the headers together exceed 16 KB.'],
  [429, 'Too many requests; `Retry-After` gives the seconds to wait.'],
  [500, 'Internal error; the message contains the id of the request.'],
  [
    503,
    'A file is damaged, the storage is full or not writable, the memory for request bodies is in use, or the database engine failed.',
  ],
];

/** For an object in the path; a DELETE answers 400 instead. */
export const refusalsOf = (operation: Operation): readonly Refusal[] => {
  const { path, method, body, requestHeaders } = operation;
  return [
    ...always,
    ...(path.includes(':id') && method !== 'delete' ? [ofNamedObject] : []),
    ...(path.includes(':namespace') ? [ofNamespace] : []),
    ...(needsFurtherPermission(needOf(operation)) ? [ofPermission] : []),
    ...(requestHeaders === undefined ? [] : [ofNamedParent]),
    ...(body === undefined ? [] : ofBody),
    ...ofAnyServer,
  ];
};

/** Whether it requires a permission that does not depend on an object in the request. */
const needsFurtherPermission = (need: Need): boolean =>
  need.where === 'container' ||
  need.where === 'some' ||
  (need.where === 'named' && (need.permission === 'create' || need.types.includes('org_member')));
