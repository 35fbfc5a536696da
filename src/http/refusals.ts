// Which statuses an operation can refuse a request with, and what they mean.
import type { Operation } from './operation.js';
import { needOf, type Need } from './permission-table.js';

type Refusal = readonly [status: number, meaning: string];

const always: readonly Refusal[] = [
  [400, 'The request is not valid; the sentence says what is wrong and where.'],
  [401, 'The API key is missing or not valid.'],
];

const ofNamedObject: Refusal = [403, 'No such object, or the key may not use it.'];

const ofCreation: Refusal = [403, 'The key lacks the permission for it.'];

/** Of operations whose body or headers name the objects that they write to. */
const ofNamedParent: Refusal = [403, 'No span names an object that there is and the key may use.'];

const ofBody: readonly Refusal[] = [
  [
    413,
    'The body is larger than the configured size, or than 16 MB where it is neither an insert into one object, nor one of `/logs3`, nor an export of spans.',
  ],
  [415, 'The content type or the content encoding of the body is not supported.'],
];

const ofAnyServer: readonly Refusal[] = [
  [429, 'Too many requests; `Retry-After` says when to try again.'],
  [500, 'Internal error; the sentence names the id of the request.'],
];

const ofWrite: Refusal = [
  503,
  'The storage is full or cannot be written, or the bodies of other requests take up the memory for them.',
];

/** What the path names, a DELETE refuses with 400 instead. */
export const refusalsOf = (operation: Operation): readonly Refusal[] => {
  const { path, method, body, headers } = operation;
  return [
    ...always,
    ...(path.includes(':id') && method !== 'delete' ? [ofNamedObject] : []),
    ...(isCreation(needOf(operation)) ? [ofCreation] : []),
    ...(headers === undefined ? [] : [ofNamedParent]),
    ...(body === undefined ? [] : ofBody),
    ...ofAnyServer,
    ...(method === 'get' ? [] : [ofWrite]),
  ];
};

const isCreation = (need: Need): boolean =>
  need.where === 'container' ||
  (need.where === 'named' && (need.permission === 'create' || need.types.includes('org_member')));
