// The forms in which an insert into one object takes events.
import type { EventObjectKind } from '../schema/event-row.js';
import { decodeInSteps } from './decode.js';
import { decodeLinesInSteps } from './event-lines.js';
import { decodeParquetInSteps } from './event-rows.js';
import type { IncomingEvent } from './incoming.js';
import type { ParquetLimits } from './parquet/rows.js';

/** The text `{"events": [...]}`, JSON Lines with an event on each line, or Parquet with one in each row. */
export type EventForm = 'json' | 'lines' | 'parquet';

type Decode = (
  kind: EventObjectKind,
  body: Buffer,
  textLimits: ParquetLimits,
) => Generator<readonly IncomingEvent[], void>;

/** @throws RequestError 400, 413, TooLongToParse */
export const decodeForm: Readonly<Record<EventForm, Decode>> = {
  json: decodeInSteps,
  lines: decodeLinesInSteps,
  parquet: decodeParquetInSteps,
};
