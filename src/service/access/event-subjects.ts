// The objects whose events an operation reads or writes, once the access of the caller is checked.
import type { ObjectHeader } from '../../catalog/header.js';
import type { EventObject, EventObjectKind } from '../../schema/event-row.js';
import { findSubject, subject, subjectNamedInBody } from './access.js';
import type { Caller, Services, WithCatalog } from '../context.js';

const eventObject = (kind: EventObjectKind, header: ObjectHeader): EventObject => ({
  kind,
  id: header.id,
  projectId: header.projectId ?? header.id,
  orgId: header.orgId,
});

/** As `subject`, for an object whose events the operation reads or writes. */
export const eventSubject = (
  services: Services,
  caller: Caller,
  kind: EventObjectKind,
  id: string,
): EventObject => eventObject(kind, subject(services, caller, kind, id));

/** As `subjectNamedInBody`, for an object whose events the operation writes. */
export const eventSubjectInBody = (
  services: Services,
  caller: Caller,
  kind: EventObjectKind,
  id: string,
  field: string,
): EventObject => eventObject(kind, subjectNamedInBody(services, caller, kind, id, field));

/** The object that a query names, for a read of its events; undefined if it is unusable. */
export function findEventSubject(
  services: WithCatalog,
  caller: Caller,
  kind: EventObjectKind,
  id: string,
): EventObject | undefined {
  const header = findSubject(services, caller, kind, id);
  return header === undefined ? undefined : eventObject(kind, header);
}
