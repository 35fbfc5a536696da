// The messages of OTLP traces by their protobuf field numbers, from opentelemetry/proto/{common,resource,trace}/v1 and
// collector/trace/v1 of opentelemetry-proto 1.x (Apache-2.0). Unknown fields are skipped, as protobuf requires.

/** The encoding and the result of a field: `hex` and `base64` are bytes, `enum` is a number. */
export type ScalarType =
  | 'string'
  | 'hex'
  | 'base64'
  | 'bool'
  | 'int64'
  | 'uint32'
  | 'enum'
  | 'fixed32'
  | 'fixed64'
  | 'double';

export type MessageName =
  | 'AnyValue'
  | 'ArrayValue'
  | 'KeyValueList'
  | 'KeyValue'
  | 'EntityRef'
  | 'Resource'
  | 'InstrumentationScope'
  | 'Event'
  | 'Link'
  | 'Status'
  | 'Span';

export interface Field {
  /** The name in the JSON mapping of OTLP. */
  readonly name: string;
  readonly type: ScalarType | MessageName;
  readonly repeated: boolean;
}

const one = (name: string, type: Field['type']): Field => ({ name, type, repeated: false });
const many = (name: string, type: Field['type']): Field => ({ name, type, repeated: true });

type Fields = Readonly<Record<number, Field>>;

export const messages: Readonly<Record<MessageName, Fields>> = {
  AnyValue: {
    1: one('stringValue', 'string'),
    2: one('boolValue', 'bool'),
    3: one('intValue', 'int64'),
    4: one('doubleValue', 'double'),
    5: one('arrayValue', 'ArrayValue'),
    6: one('kvlistValue', 'KeyValueList'),
    7: one('bytesValue', 'base64'),
  },
  ArrayValue: { 1: many('values', 'AnyValue') },
  KeyValueList: { 1: many('values', 'KeyValue') },
  KeyValue: { 1: one('key', 'string'), 2: one('value', 'AnyValue') },
  EntityRef: {
    1: one('schemaUrl', 'string'),
    2: one('type', 'string'),
    3: many('idKeys', 'string'),
    4: many('descriptionKeys', 'string'),
  },
  Resource: {
    1: many('attributes', 'KeyValue'),
    2: one('droppedAttributesCount', 'uint32'),
    3: many('entityRefs', 'EntityRef'),
  },
  InstrumentationScope: {
    1: one('name', 'string'),
    2: one('version', 'string'),
    3: many('attributes', 'KeyValue'),
    4: one('droppedAttributesCount', 'uint32'),
  },
  Event: {
    1: one('timeUnixNano', 'fixed64'),
    2: one('name', 'string'),
    3: many('attributes', 'KeyValue'),
    4: one('droppedAttributesCount', 'uint32'),
  },
  Link: {
    1: one('traceId', 'hex'),
    2: one('spanId', 'hex'),
    3: one('traceState', 'string'),
    4: many('attributes', 'KeyValue'),
    5: one('droppedAttributesCount', 'uint32'),
    6: one('flags', 'fixed32'),
  },
  Status: { 2: one('message', 'string'), 3: one('code', 'enum') },
  Span: {
    1: one('traceId', 'hex'),
    2: one('spanId', 'hex'),
    3: one('traceState', 'string'),
    4: one('parentSpanId', 'hex'),
    5: one('name', 'string'),
    6: one('kind', 'enum'),
    7: one('startTimeUnixNano', 'fixed64'),
    8: one('endTimeUnixNano', 'fixed64'),
    9: many('attributes', 'KeyValue'),
    10: one('droppedAttributesCount', 'uint32'),
    11: many('events', 'Event'),
    12: one('droppedEventsCount', 'uint32'),
    13: many('links', 'Link'),
    14: one('droppedLinksCount', 'uint32'),
    15: one('status', 'Status'),
    16: one('flags', 'fixed32'),
  },
};

/** The field numbers of the containers around resources, scopes and spans. */
export const containers = {
  request: { resourceSpans: 1 },
  resourceSpans: { resource: 1, scopeSpans: 2, schemaUrl: 3 },
  scopeSpans: { scope: 1, spans: 2, schemaUrl: 3 },
} as const;
