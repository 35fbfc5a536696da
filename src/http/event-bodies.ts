// What the reference says of bodies with events, which the service decodes.
import { Type, type TObject, type TProperties } from 'typebox';
import { eventInserts, oldEventNames, type InsertField } from '../schema/event.js';
import { atMost, limits } from '../schema/limits.js';
import type { EventObjectKind } from '../schema/event-row.js';
import { closed, optional, recordOf } from '../schema/scalar.js';

/** Former names of fields with the schema of the field that they stand for. */
function formerFields(kind: EventObjectKind, fields: TProperties): TProperties {
  const names: Readonly<Record<string, InsertField>> = oldEventNames[kind];
  return Object.fromEntries(
    Object.entries(names).map(([former, field]) => [
      former,
      Type.Optional({
        ...fields[field],
        deprecated: true,
        description: `Former name of \`${field}\`.`,
      }),
    ]),
  );
}

function insertedEvent(kind: EventObjectKind): TObject {
  const { properties, title } = eventInserts[kind] as unknown as TObject & { title: string };
  return Type.Object({ ...properties, ...formerFields(kind, properties) }, { title });
}

const eventsOf = (kind: EventObjectKind) => ({
  events: Type.Array(insertedEvent(kind), {
    ...atMost(limits.events),
    description: 'The events, applied in this order.',
  }),
});

export const insertBody = (kind: EventObjectKind): TObject => Type.Object(eventsOf(kind), closed);

export const insertManyBody = (kinds: readonly EventObjectKind[]): TObject =>
  Type.Object(
    Object.fromEntries(
      kinds.map((kind) => [
        kind,
        optional(recordOf(insertBody(kind)), 'Events by the id of the object that they go to.'),
      ]),
    ),
    closed,
  );
