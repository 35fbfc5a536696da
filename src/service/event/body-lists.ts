// The bodies that list events, and how the items of each are read. A step of reading takes a bounded part of the body.
import { readRecord } from '../../event/decode.js';
import { decodeForm, type EventForm } from '../../event/event-forms.js';
import type { IncomingEvent } from '../../event/incoming.js';
import {
  decodePartsInSteps,
  eventsOfPart,
  type ObjectPart,
  type PartEvent,
} from '../../event/objects-body.js';
import type { ParquetLimits } from '../../event/parquet/rows.js';
import { oneEvent } from '../../event/transferred-events.js';
import { eventsOfRow, readRowsInSteps, type ReadRow } from '../../event/read-sdk-rows.js';
import type { EventObjectKind } from '../../schema/event-row.js';
import {
  eventsOfItem,
  exportInSteps,
  type ExportFormat,
  type ExportItem,
  type ExportLimits,
} from './export-items.js';

interface Items {
  /** Of an insert into one object. */
  readonly events: IncomingEvent;
  /** Of an insert into several objects. */
  readonly objects: PartEvent;
  /** Of SDKs. */
  readonly rows: ReadRow;
  /** Of an OpenTelemetry export. */
  readonly spans: ExportItem;
  /** Of a dataset, as it is stored; the body is one. */
  readonly record: IncomingEvent;
}

/** What it takes to read the items. */
interface Lists {
  readonly events: { readonly kind: EventObjectKind; readonly form: EventForm };
  readonly objects: { readonly parts: readonly ObjectPart[] };
  readonly rows: { readonly userId: string };
  readonly spans: { readonly format: ExportFormat; readonly limits: ExportLimits };
  readonly record: object;
}

export type { EventForm };

export type ListKind = keyof Items;

export type BodyList<K extends ListKind = ListKind> = { readonly of: K } & Lists[K];

export type BodyItem<K extends ListKind> = Items[K];

export type BodyLimits = ParquetLimits & {
  /** The largest size of the JSON of all events. */
  readonly decodedBytesMax: number;
};

interface ItemReader<K extends ListKind> {
  /**
   * @throws RequestError 400 for an invalid body, 413 for too large a part of it
   * @throws TooLongToParse
   */
  readonly read: (
    body: Buffer,
    list: Lists[K],
    limits: BodyLimits,
  ) => IterableIterator<readonly Items[K][], void>;
  readonly eventsOf: (item: Items[K]) => readonly IncomingEvent[];
}

export const itemReaders: { readonly [K in ListKind]: ItemReader<K> } = {
  events: {
    read: (body, { kind, form }, limits) => decodeForm[form](kind, body, limits),
    eventsOf: oneEvent,
  },
  objects: {
    read: (body, { parts }, limits) => decodePartsInSteps(body, parts, limits),
    eventsOf: eventsOfPart,
  },
  rows: {
    read: (body, { userId }, limits) => readRowsInSteps(body, userId, limits),
    eventsOf: eventsOfRow,
  },
  spans: {
    read: (body, { format, limits }) => exportInSteps(body, format, limits),
    eventsOf: eventsOfItem,
  },
  record: {
    read: (body) => [[readRecord(body.toString())]].values(),
    eventsOf: oneEvent,
  },
};
