// The objects whose events an operation reads or writes, once the access of the caller is checked.
import type { ObjectHeader } from '../../catalog/header.js';
import type { EventObject, EventObjectKind } from '../../schema/event-row.js';
import { findObject, requireObject, requireObjectInBody } from './access.js';
import type { Caller, Services, WithCatalog } from '../context.js';

const eventObject = (kind: EventObjectKind, header: ObjectHeader): EventObject => ({
  kind,
  id: header.id,
  projectId: header.projectId ?? header.id,
  orgId: header.orgId,
});

/** As `requireObject`, for an object whose events the operation reads or writes. */
export const requireEventObject = (
  services: Services,
  caller: Caller,
  kind: EventObjectKind,
  id: string,
): EventObject => eventObject(kind, requireObject(services, caller, kind, id));

/** As `requireObjectInBody`, for an object whose events the operation writes. */
export const eventSubjectInBody = (
  services: Services,
  caller: Caller,
  kind: EventObjectKind,
  id: string,
  field: string,
): EventObject => eventObject(kind, requireObjectInBody(services, caller, kind, id, field));

/** The object that a query names, for a read of its events; undefined if it is unusable. */
export function findEventObject(
  services: WithCatalog,
  caller: Caller,
  kind: EventObjectKind,
  id: string,
): EventObject | undefined {
  const header = findObject(services, caller, kind, id);
  return header === undefined ? undefined : eventObject(kind, header);
}
