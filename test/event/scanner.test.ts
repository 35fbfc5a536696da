// What the scanner takes of bodies that published clients send, and of bodies that end or are cut at any byte.
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { decodeInSteps, readEvents } from '../../src/event/decode.js';
import type { IncomingEvent } from '../../src/event/incoming.js';
import { readOtherBody } from '../../src/event/insert-body.js';
import { readSdkRow } from '../../src/event/sdk-row.js';
import { rowSlices } from '../../src/event/rows-body.js';
import { eventScanner } from '../../src/event/scan-event.js';
import { rowTable } from '../../src/event/scan-fields.js';
import { rowScanner } from '../../src/event/scan-row.js';
import { startOfList } from '../../src/json/list-slices.js';
import { scannedSlices, type Scan } from '../../src/json/scanned-list.js';
import { limits } from '../../src/schema/limits.js';
import { eventOfStrings } from '../support/json-strings.js';
import { clientSpellings, modelOf, spell, type Spelling } from '../json/json-arbitrary.js';

type Json = Readonly<Record<string, unknown>>;

interface Recorded {
  readonly client: string;
  readonly path: string;
  readonly body: string;
}

const recorded = JSON.parse(
  readFileSync('test/event/recorded-bodies.json', 'utf8'),
) as readonly Recorded[];

const eventsOf = (bytes: Buffer): readonly IncomingEvent[] | string => {
  try {
    return [...decodeInSteps('project_logs', bytes)].flat().map(eventOfStrings);
  } catch (error) {
    return (error as Error).message;
  }
};

const decoded = (bytes: Buffer): readonly IncomingEvent[] | string => {
  try {
    return readEvents('project_logs', readOtherBody(bytes, { textBytesMax: Infinity }), {
      plain: false,
      path: 'events',
    });
  } catch (error) {
    return (error as Error).message;
  }
};

/** Elements of the list that the scanner takes, and those that it leaves. */
function countsOf<T>(bytes: Buffer, scan: Scan<T>): { taken: number; left: number } {
  const counts = { taken: 0, left: 0 };
  const list = {
    name: 'events',
    start: startOfList(bytes, 'events')!,
    elementsMax: limits.events.max,
    elementLimits: limits,
  };
  for (const slice of scannedSlices(bytes, list, 'body', scan))
    if ('scanned' in slice) counts.taken += slice.scanned.length;
    else counts.left += slice.elements.length;
  return counts;
}

const eventCounts = (bytes: Buffer) => countsOf(bytes, eventScanner('project_logs'));

/** Comments and feedback are entries beside an event: `sdk-row` reads them. */
const isEvent = (row: Json) => row['comment'] === undefined && row['_audit_source'] === undefined;

const respelled = (body: string, spelling: Spelling) => spell(modelOf(JSON.parse(body)), spelling);

describe('the scanner takes what published clients send', () => {
  const rows = recorded.filter(({ path }) => path === '/logs3');

  for (const [name, spelling] of Object.entries({ 'as recorded': null, ...clientSpellings }))
    it(`all rows that are events, and reads them as the decoder does: ${name}`, () => {
      let events = 0;
      for (const { body, client } of rows) {
        const bytes = Buffer.from(spelling === null ? body : respelled(body, spelling));
        const sent = (JSON.parse(body) as { rows: readonly Json[] }).rows;
        for (const slice of rowSlices(bytes, rowScanner())) {
          if ('elements' in slice) {
            for (const row of slice.elements as readonly Json[])
              expect(isEvent(row), `${client}: ${JSON.stringify(row)}`).to.equal(false);
            continue;
          }
          for (const [offset, row] of slice.scanned.entries()) {
            const index = slice.first + offset;
            const place = { index, plain: true };
            const read = { ...row, event: row.event && eventOfStrings(row.event) };
            expect(read).to.deep.equal(readSdkRow(sent[index] as never, place, 'user'));
            events += 1;
          }
        }
      }
      expect(events).to.be.above(100);
    });

  it('all events of inserts', () => {
    const inserts = recorded.filter(({ path }) => path.endsWith('/insert'));
    expect(inserts).to.have.length.above(3);
    for (const { body } of inserts)
      expect(countsOf(Buffer.from(body), eventScanner('experiment')).left, body).to.equal(0);
  });
});

const event = (input: string) => `{"id":"a","input":"${input}","metadata":{"n":[1.5,"é€😀\\n"]}}`;

/** Without the ids that were made. */
const withoutIds = (all: readonly IncomingEvent[] | string) =>
  typeof all === 'string' ? all : all.map(({ json, lossless }) => ({ json, lossless }));

const bodyOf = (...events: readonly string[]) => Buffer.from(`{"events":[${events.join()}]}`);

const bodyOfRow = (...members: readonly string[]) =>
  Buffer.from(
    `{"rows":[{"id":"a","project_id":"7f0c2c4e-1f8b-4a3e-9d38-0b6bb1d5b5a1","log_id":"g",${members.join()}}]}`,
  );
const isTaken = (bytes: Buffer) =>
  [...rowSlices(bytes, rowScanner())].every((slice) => 'scanned' in slice);

describe('the scanner reads', () => {
  it('a body that is cut at any byte as the decoder does, whatever is behind it in memory', () => {
    const whole = bodyOf(event('x'), event('y'));
    for (let length = 0; length < whole.length; length += 1) {
      const cut = whole.subarray(0, length);
      expect(eventsOf(cut), cut.toString()).to.equal(decoded(Buffer.from(cut)));
    }
  });

  it('events wherever the copy of the body ends', () => {
    const tail = event('é'.repeat(40));
    const copied = 2 ** 16;
    for (let over = -10; over < Buffer.byteLength(tail) + 10; over += 1) {
      const head = event('x'.repeat(copied - over - event('').length - '{"events":[,'.length));
      const body = bodyOf(head, tail, event('z'));
      expect(eventsOf(body), `${over} bytes over`).to.deep.equal(decoded(body));
      expect(eventCounts(body)).to.deep.equal({ taken: 3, left: 0 });
    }
  });

  it('characters of several bytes wherever the copy of the body ends', () => {
    for (const character of ['é', '€', '😀'])
      for (let before = 0; before < 8; before += 1) {
        const body = bodyOf(event('x'.repeat(before) + character.repeat(50_000)), event('y'));
        expect(eventsOf(body)).to.deep.equal(decoded(body));
        expect(eventCounts(body)).to.deep.equal({ taken: 2, left: 0 });
      }
  });

  it('events of nearly a million bytes, and leaves longer ones to the decoder', () => {
    const max = limits.values.max;
    for (let over = -12; over <= 12; over += 1) {
      const text = event('x'.repeat(max + over - Buffer.byteLength(event(''))));
      const body = bodyOf(text, event('y'));
      expect(eventsOf(body)).to.deep.equal(decoded(body));
      const { taken } = eventCounts(body);
      expect(taken, `${over} bytes over`).to.equal(over < 0 ? 2 : 1);
    }
  });

  it('as many events as a slice has, and one more or less', () => {
    for (const count of [0, 1, 999, 1000, 1001, 2000, 2001]) {
      const body = bodyOf(...Array.from({ length: count }, () => '{"id":"a"}'));
      expect(eventsOf(body)).to.have.length(count);
      expect(eventCounts(body).taken).to.equal(count);
    }
  });

  it('as many events as an insert may have, and counts the others', () => {
    const { max } = limits.events;
    const most = Array.from({ length: max }, () => '{"id":"a"}');
    expect(eventsOf(bodyOf(...most))).to.have.length(max);
    expect(eventsOf(bodyOf(...most, '{}', '7'))).to.equal(
      `events: expected at most ${max} elements, got ${max + 2}`,
    );
  });

  it('rows in which a field that says nothing comes twice, and leaves those in which it says something', () => {
    expect(isTaken(bodyOfRow('"comment":null', '"comment":null', '"_array_delete":null'))).to.equal(
      true,
    );
    expect(isTaken(bodyOfRow('"comment":null', '"comment":{"text":"x"}'))).to.equal(false);
    expect(isTaken(bodyOfRow('"input":1', '"input":2'))).to.equal(false);
  });

  it('rows by tables that have a bit for each field that may come once, and bits left for new fields', () => {
    const bits = Array.from(rowTable.byHash.values(), ({ bit }) => bit).filter((bit) => bit !== 0);
    expect(new Set(bits)).to.have.length(bits.length);
    expect(Math.max(...bits)).to.be.at.most(2 ** 25);
  });

  it('events between others that it leaves to the decoder', () => {
    const odd = '{"input":{"2":1,"1":12345678901234567890}}';
    const events = Array.from({ length: 200 }, (_, index) => (index % 7 < 3 ? odd : event('x')));
    const body = bodyOf(...events);
    expect(withoutIds(eventsOf(body))).to.deep.equal(withoutIds(decoded(body)));
    expect(eventCounts(body).taken).to.be.above(50);
  });

  it('no name for a field because it has the hash of one', () => {
    for (const name of ['lwqhww', 'hregz9']) {
      const body = bodyOf(`{"${name}":"a"}`);
      expect(eventCounts(body)).to.deep.equal({ taken: 0, left: 1 });
      expect(eventsOf(body)).to.equal(`events[0]: unknown field "${name}"`);
    }
  });

  it('nothing of a copy that is not UTF-8', () => {
    const body = bodyOf(event('x'), event('yy'));
    body[body.indexOf('yy')] = 0xff;
    expect(eventCounts(body)).to.deep.equal({ taken: 0, left: 2 });
    expect(eventsOf(body)).to.deep.equal(decoded(body));
  });

  it('two bodies in turns', () => {
    const bodies = ['x', 'y'].map((input) =>
      bodyOf(...Array.from({ length: 3000 }, () => event(input.repeat(200)))),
    );
    const steps = bodies.map((body) => decodeInSteps('project_logs', body));
    const read = bodies.map((): IncomingEvent[] => []);
    for (let left = steps.length; left > 0;) {
      left = 0;
      for (const [place, each] of steps.entries()) {
        const step = each.next();
        if (step.done === true) continue;
        left += 1;
        read[place]!.push(...step.value);
      }
    }
    for (const [place, body] of bodies.entries())
      expect(read[place]!.map(eventOfStrings)).to.deep.equal(decoded(body));
  });
});
