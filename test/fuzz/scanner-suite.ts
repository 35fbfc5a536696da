// Random bodies, read with the scanner before the decoder and by the decoder alone: the same comes out of both, field for
// field, or the same sentence refuses them.
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { RequestError } from '../../src/errors.js';
import { decodeInSteps, readEvents } from '../../src/event/decode.js';
import type { IncomingEvent } from '../../src/event/incoming.js';
import { readOtherBody } from '../../src/event/insert-body.js';
import { readSdkRow, type SdkRow } from '../../src/event/sdk-row.js';
import { rowSlices } from '../../src/event/rows-body.js';
import { eventScanner } from '../../src/event/scan-event.js';
import { rowScanner } from '../../src/event/scan-row.js';
import { startOfList } from '../../src/json/list-slices.js';
import { scannedSlices, type Scan } from '../../src/json/scanned-list.js';
import type { EventObjectKind } from '../../src/schema/event-row.js';
import { limits } from '../../src/schema/limits.js';
import { eventOfStrings } from '../support/json-strings.js';
import { newSeed } from '../support/seed.js';
import { bodiesOf, changesPerBody, type Body, type ElementName } from './arbitrary-bodies.js';

export interface Tally {
  bodies: number;
  /** Those that were not refused. */
  accepted: number;
  /** Elements of such bodies, as clients send them. */
  usual: number;
  /** Those of them that the scanner left to the decoder. */
  declined: number;
}

export interface Compared extends Tally {
  readonly failure: string | null;
}

type Outcome = readonly unknown[] | string;

function outcomeOf(read: () => readonly unknown[]): Outcome {
  try {
    return read();
  } catch (error) {
    if (error instanceof RequestError) return error.message;
    throw error;
  }
}

/** Ids that were made differ, and the scanner's JSON is bytes. */
const comparable = (event: IncomingEvent | null): unknown =>
  event && { ...eventOfStrings(event), ...(event.idGenerated ? { id: '' } : {}) };

function stepped(kind: EventObjectKind, bytes: Buffer): Outcome {
  return outcomeOf(() => [...decodeInSteps(kind, bytes)].flat().map(comparable));
}

const asAWhole = (kind: EventObjectKind, bytes: Buffer): Outcome =>
  outcomeOf(() =>
    readEvents(kind, readOtherBody(bytes, { textBytesMax: Infinity }), {
      plain: false,
      path: 'events',
    }).map(comparable),
  );

/** Takes nothing, so that everything is parsed. */
const scanNothing: Scan<SdkRow> = (_text, at) => ~at;

/** Entries name the id of the event. */
const comparableRow = (row: SdkRow): unknown =>
  row.event?.idGenerated === true
    ? { ...row, id: '', event: comparable(row.event), entries: row.entries.length }
    : { ...row, event: comparable(row.event) };

/** Or why it is refused, which leaves the others. */
function readRow(...row: Parameters<typeof readSdkRow>): unknown {
  const read = outcomeOf(() => [comparableRow(readSdkRow(...row))]);
  return typeof read === 'string' ? read : read[0];
}

const rowsOf = (bytes: Buffer, scan: Scan<SdkRow>): Outcome =>
  outcomeOf(() =>
    [...rowSlices(bytes, scan)].flatMap((slice) =>
      'scanned' in slice
        ? slice.scanned.map(comparableRow)
        : slice.elements.map((element, offset) =>
            readRow(element, { index: slice.first + offset, plain: slice.plain }, 'user'),
          ),
    ),
  );

function scannedOf<T>(bytes: Buffer, name: 'events' | 'rows', scan: Scan<T>): number {
  const start = startOfList(bytes, name);
  if (start === null) return 0;
  const list = { name, start, elementsMax: limits.events.max, elementLimits: limits };
  let count = 0;
  for (const slice of scannedSlices(bytes, list, 'body', scan))
    if ('scanned' in slice) count += slice.scanned.length;
  return count;
}

interface Reader {
  readonly elements: ElementName;
  readonly withScanner: (bytes: Buffer) => Outcome;
  readonly alone: (bytes: Buffer) => Outcome;
  /** How many elements the scanner takes. */
  readonly scanned: (bytes: Buffer) => number;
}

const inserting = (kind: EventObjectKind): Reader => ({
  elements: kind === 'dataset' ? 'record' : 'span',
  withScanner: (bytes) => stepped(kind, bytes),
  alone: (bytes) => asAWhole(kind, bytes),
  scanned: (bytes) => scannedOf(bytes, 'events', eventScanner(kind)),
});

const readers: readonly Reader[] = [
  inserting('project_logs'),
  inserting('experiment'),
  inserting('dataset'),
  {
    elements: 'row',
    withScanner: (bytes) => rowsOf(bytes, rowScanner()),
    alone: (bytes) => rowsOf(bytes, scanNothing),
    scanned: (bytes) => scannedOf(bytes, 'rows', rowScanner()),
  },
];

function compareOne(reader: Reader, bytes: Buffer, tally: Tally): Outcome {
  const [got, wanted] = [reader.withScanner(bytes), reader.alone(bytes)];
  if (!isDeepStrictEqual(got, wanted))
    throw new Error(`${bytes.toString()}\n${shown(got)}\n${shown(wanted)}`);
  tally.bodies += 1;
  if (typeof wanted !== 'string') tally.accepted += 1;
  return wanted;
}

function compare(reader: Reader, { bytes, isUsual, elements, changed }: Body, tally: Tally): void {
  const isAccepted = typeof compareOne(reader, bytes, tally) !== 'string';
  for (const other of changed) compareOne(reader, other, tally);
  if (!isAccepted || !isUsual) return;
  tally.usual += elements;
  tally.declined += elements - reader.scanned(bytes);
}

const shown = (outcome: Outcome): string =>
  JSON.stringify(outcome, (_name, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );

/**
 * At least so many bodies, in equal parts for each way of reading.
 * @param isShrunk whether a body that fails is made as small as can be
 */
export function compareBodies(seed: number, count: number, isShrunk = true): Compared {
  const tally: Tally = { bodies: 0, accepted: 0, usual: 0, declined: 0 };
  const numRuns = Math.ceil(count / readers.length / (1 + changesPerBody));
  for (const reader of readers) {
    const compared = fc.property(fc.noBias(bodiesOf(reader.elements)), (body) => {
      compare(reader, body, tally);
    });
    const { bodies } = tally;
    const details = fc.check(compared, { seed, numRuns, endOnFailure: !isShrunk });
    if (details.failed) {
      const found = bodies + details.numRuns * (1 + changesPerBody);
      return { ...tally, bodies: found, failure: String(details.errorInstance) };
    }
  }
  return { ...tally, failure: null };
}

export function scannerAgrees(count: number): void {
  const seed = newSeed();

  it(`are read by the scanner as by the decoder: ${count} of seed ${seed}`, function () {
    this.timeout(3_600_000);
    const compared = compareBodies(seed, count);
    expect(compared.failure).to.equal(null);
    expect(compared.bodies).to.be.at.least(count);
    expect(compared.accepted / compared.bodies).to.be.within(0.2, 0.8);
    expect(compared.declined / compared.usual).to.be.below(0.01);
  });
}
