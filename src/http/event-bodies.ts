// The schemas of bodies with events, for the reference only: the service decodes these bodies.
import { Type, type TObject, type TProperties } from 'typebox';
import { eventInserts, deprecatedEventNames, type InsertField } from '../schema/event.js';
import { atMost, limits } from '../schema/limits.js';
import type { EventObjectKind } from '../schema/event-row.js';
import { exactly, optional, recordOf } from '../schema/scalar.js';
import { both, never } from '../schema/together.js';

/** Deprecated field names, with the schemas of their fields. */
function formerFields(kind: EventObjectKind, fields: TProperties): TProperties {
  const names: Readonly<Record<string, InsertField>> = deprecatedEventNames[kind];
  return Object.fromEntries(
    Object.entries(names).map(([former, field]) => [
      former,
      Type.Optional({
        ...fields[field],
        deprecated: true,
        description: `Deprecated name of \`${field}\`.`,
      }),
    ]),
  );
}

/** Fields that an event must not have together. */
const conflicts = (kind: EventObjectKind) => [
  ...Object.entries(deprecatedEventNames[kind]).map(([former, field]) => ({
    required: [former, field],
  })),
  ...['span_id', 'root_span_id', 'span_parents', '_is_merge'].map((field) =>
    both('_parent_id', field),
  ),
];

function insertedEvent(kind: EventObjectKind): TObject {
  const { properties, title } = eventInserts[kind] as unknown as TObject & { title: string };
  const documented = { additionalProperties: false, ...never(...conflicts(kind)) };
  return Type.Object({ ...properties, ...formerFields(kind, properties) }, { title, documented });
}

const eventsOf = (kind: EventObjectKind) => ({
  events: Type.Array(insertedEvent(kind), {
    ...atMost(limits.events),
    description: 'Events, applied in this order.',
  }),
});

export const insertBody = (kind: EventObjectKind): TObject => exactly(eventsOf(kind));

export const insertManyBody = (kinds: readonly EventObjectKind[]): TObject =>
  exactly(
    Object.fromEntries(
      kinds.map((kind) => [
        kind,
        optional(
          recordOf(insertBody(kind), { documented: { propertyNames: { format: 'uuid' } } }),
          'Events by the id of their object.',
        ),
      ]),
    ),
  );
