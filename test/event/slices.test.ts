// A body is read a slice at a time; what comes out, or what refuses it, is that of the body read as a whole.
import { expect } from 'chai';
import * as fc from 'fast-check';
import { decodeInSteps, readEvents } from '../../src/event/decode.js';
import type { IncomingEvent } from '../../src/event/incoming.js';
import { readOtherBody } from '../../src/event/insert-body.js';
import { decodeEvents } from '../support/decode-events.js';
import { eventOfStrings } from '../support/json-strings.js';

const slice = 1000;

const outcome = (read: () => readonly IncomingEvent[]): unknown => {
  try {
    return read()
      .map(eventOfStrings)
      .map(({ json, lossless, scalars }) => ({ json, lossless, scalars }));
  } catch (error) {
    return (error as Error).message;
  }
};

const inSlices = (text: string) => outcome(() => decodeEvents('experiment', text));

const asAWhole = (text: string) =>
  outcome(() =>
    readEvents('experiment', readOtherBody(Buffer.from(text), { textBytesMax: Infinity }), {
      plain: false,
      path: 'events',
    }),
  );

const event = fc.constantFrom(
  String.raw`{"input":"x,]}\"\\"}`,
  '{"input":{"2":1,"1":[[],{}]}}',
  String.raw`{"output":"ü\ud800 [{,", "tags" : ["a"]}`,
  '\n{"input":12345678901234567890}\r\n',
  '{"scores":{"a":"high"}}',
  '{"nonsense":1}',
  `{"input":"${'é'.repeat(60)}\\\\"}`,
  '7',
);

const odd = ['', ',', ']', '}', '[', '{', '"', '\\', '\n', '\r\n', 'é', '1e400', ':', ' '];

const change = fc.record({
  at: fc.nat(),
  cut: fc.nat(2),
  put: fc.constantFrom(...odd),
});

/** The number of events of a body, each of which may have 1 MB of text. */
const countOf = (text: string): number =>
  [...decodeInSteps('experiment', Buffer.from(text), { textBytesMax: 2 ** 20 })].flat().length;

describe('a body that is read in slices', () => {
  it('is read, or refused with the same place in the same words, as a whole', () => {
    fc.assert(
      fc.property(
        fc.array(event, { maxLength: 5 }),
        fc.nat(2),
        fc.array(change, { maxLength: 2 }),
        (events, slices, changes) => {
          const all = [...Array.from({ length: slices * slice }, () => '{}'), ...events];
          let text = `\n{ "events" :\r\n [${all.join(',')}] }`;
          for (const { at, cut, put } of changes) {
            const place = Math.max(text.length - 1 - (at % (text.length + 60)), 0);
            text = text.slice(0, place) + put + text.slice(place + cut);
          }
          expect(inSlices(text), text.slice(-200)).to.deep.equal(asAWhole(text));
        },
      ),
      { numRuns: 150 },
    );
  });

  it('names the event and the line far behind the first slice', () => {
    const many = Array.from({ length: 2.5 * slice }, () => '{}').join(',\n');
    expect(inSlices(`{"events":[${many},{"id":5}]}`)).to.equal(
      'events[2500].id: expected a non-empty string or null, got 5',
    );
    expect(inSlices(`{"events":[${many},\n{"ü":"é" 5}]}`)).to.equal(
      'request body is not valid JSON at line 2501, column 10: comma expected',
    );
    expect(inSlices(`{"events":[${many}],\n"x":1}`)).to.equal('request body: unknown field "x"');
    expect(inSlices(`{"events":[${many}]}\n\n5`)).to.equal(
      'request body is not valid JSON at line 2502, column 1: end of file expected',
    );
  });

  it('is refused for JSON that is not valid before an event that is not', () => {
    const many = Array.from({ length: slice }, () => '{}').join(',');
    expect(inSlices(`{"events":[{"id":5},${many},{]}`)).to.match(/^request body is not valid JSON/);
  });

  it('takes many steps, so that others have their turn', () => {
    const body = Buffer.from(`{"events":[${Array.from({ length: 10_000 }, () => '{}').join()}]}`);
    const steps = [...decodeInSteps('experiment', body)];
    expect(steps).to.have.length(10);
    expect(steps.flat()).to.have.length(10_000);
  });

  it('may have 1 MB of white space in a row', () => {
    const [most, more] = [' '.repeat(2 ** 20), '\n'.repeat(2 ** 20 + 1)];
    expect(inSlices(`{"events":[${most}{}${most}]${most}}${most}`)).to.deep.equal(
      inSlices('{"events":[{}]}'),
    );
    for (const [text, start] of [
      [`${more}{"events":[{}]}`, 0],
      [`{"events":[${more}{"a":1}]}`, 11],
      [`{"events":[{}]${more}}`, 14],
      [`{"events":[{}]}${more}`, 15],
    ] as const)
      expect(inSlices(text)).to.equal(
        `request body: expected at most 1 MB of white space in a row, got more at byte ${start}`,
      );
  });

  it('has a limit on the text of each event', () => {
    const largest = `{"input":"${'x'.repeat(2 ** 20 - 12)}"}`;
    expect(countOf(`{"events":[${largest},${largest}]}`)).to.equal(2);
    for (const text of [`{"events":[${largest}, ${largest}]}`, `{"events":[${largest},${largest} `])
      expect(() => countOf(text)).to.throw('events[1]: expected at most 1 MB of text, got more');
    // It is not read to its end.
    expect(() => countOf(`{"events":[[[${' '.repeat(2 ** 21)}]}`)).to.throw(
      /^events\[0\]: .* 1 MB/,
    );
  });

  it('may have its field events only once', () => {
    expect(inSlices('{"events":[{}],"events":[]}')).to.equal(
      'request body: the field events occurs more than once',
    );
  });
});
