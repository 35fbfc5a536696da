// Who may use which object: the only place that decides it, and its three refusals.
import type { Principal } from '../catalog/accounts.js';
import type { ObjectHeader } from '../catalog/header.js';
import { RequestError, badRequest, forbidden } from '../errors.js';
import type { ObjectKind } from '../resource/definition.js';
import type { EventObject, EventObjectKind } from '../schema/event-row.js';
import type { Caller, Services } from './context.js';

export type { Caller } from './context.js';

export const unauthorised = (message: string) =>
  new RequestError(401, message, { 'WWW-Authenticate': 'Bearer' });

const missingKey = () =>
  unauthorised('this request needs an API key in the header "Authorization: Bearer <API_KEY>"');

/** @throws RequestError 401 when the request came without a key */
export function requirePrincipal(caller: Caller): Principal {
  if (caller.kind === 'anonymous') throw missingKey();
  return caller;
}

// One text for absent, deleted and not permitted, so that nobody learns which ids exist.
export const unusable = (kind: ObjectKind, id: string) =>
  `no ${kind} with the id "${id}" that this key may use`;

const belongsTo = (header: ObjectHeader, caller: Caller) =>
  caller.kind === 'key' && caller.orgId === header.orgId;

function reachable(services: Services, kind: ObjectKind, id: string): ObjectHeader | undefined {
  const header = services.catalog.header(id.toLowerCase());
  return header?.kind === kind && services.catalog.isReachable(header) ? header : undefined;
}

/** The object when it may be read, else undefined. */
export function readableHeader(
  services: Services,
  caller: Caller,
  kind: ObjectKind,
  id: string,
): ObjectHeader | undefined {
  const header = reachable(services, kind, id);
  return header !== undefined && (header.public || belongsTo(header, caller)) ? header : undefined;
}

/**
 * The object that the request's path names, to be read.
 * @throws RequestError 401 without a key, 403 with one, when it may not be read
 */
export function headerForRead(
  services: Services,
  caller: Caller,
  kind: ObjectKind,
  id: string,
): ObjectHeader {
  const header = readableHeader(services, caller, kind, id);
  if (header !== undefined) return header;
  requirePrincipal(caller);
  throw forbidden(unusable(kind, id));
}

/** As `headerForRead`, for a change: that an object is public does not help. */
export function headerForWrite(
  services: Services,
  caller: Caller,
  kind: ObjectKind,
  id: string,
): ObjectHeader {
  const principal = requirePrincipal(caller);
  const header = reachable(services, kind, id);
  if (header === undefined || !belongsTo(header, principal)) throw forbidden(unusable(kind, id));
  return header;
}

/**
 * The object that `field` of a body names, to be read.
 * @throws RequestError 400 when it is absent, deleted or may not be read
 */
export function headerNamedInBody(
  services: Services,
  caller: Caller,
  kind: ObjectKind,
  id: string,
  field: string,
): ObjectHeader {
  const header = readableHeader(services, caller, kind, id);
  if (header === undefined) throw badRequest(`${field}: ${unusable(kind, id)}`);
  return header;
}

/** Project logs are named by the id of their project. */
export const ownerKind = (kind: EventObjectKind): ObjectKind =>
  kind === 'project_logs' ? 'project' : kind;

const eventObject = (kind: EventObjectKind, header: ObjectHeader): EventObject => ({
  kind,
  id: header.id,
  projectId: header.projectId ?? header.id,
  orgId: header.orgId,
});

/** The object that the path names, for a read of its events. */
export const objectForRead = (
  services: Services,
  caller: Caller,
  kind: EventObjectKind,
  id: string,
): EventObject => eventObject(kind, headerForRead(services, caller, ownerKind(kind), id));

/** The object that the path names, for a write of events. */
export const objectForWrite = (
  services: Services,
  caller: Caller,
  kind: EventObjectKind,
  id: string,
): EventObject => eventObject(kind, headerForWrite(services, caller, ownerKind(kind), id));

/**
 * The object that `field` of a body names, for a write of events.
 * @throws RequestError 400 when it is absent, deleted or may not be written
 */
export function objectWrittenInBody(
  services: Services,
  caller: Caller,
  kind: EventObjectKind,
  id: string,
  field: string,
): EventObject {
  const header = reachable(services, ownerKind(kind), id);
  if (header === undefined || !belongsTo(header, caller))
    throw badRequest(`${field}: ${unusable(ownerKind(kind), id)}`);
  return eventObject(kind, header);
}

/** The object that a query or a body names, for a read of its events; undefined when it is unusable. */
export function readableObject(
  services: Services,
  caller: Caller,
  kind: EventObjectKind,
  id: string,
): EventObject | undefined {
  const header = readableHeader(services, caller, ownerKind(kind), id);
  return header === undefined ? undefined : eventObject(kind, header);
}
