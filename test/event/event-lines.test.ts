// JSON Lines are read in short steps to the events that a list of them gives.
import { expect } from 'chai';
import { decodeLinesInSteps } from '../../src/event/event-lines.js';
import type { IncomingEvent } from '../../src/event/incoming.js';
import { stringOfJson } from '../../src/json/json-text.js';
import { decodeEvents } from '../support/decode-events.js';

const steps = (text: string) => [
  ...decodeLinesInSteps('experiment', Buffer.from(text), { textBytesMax: Infinity }),
];

const comparable = ({ json, ...event }: IncomingEvent) => ({
  ...event,
  place: '',
  json: Object.fromEntries(
    Object.entries(json).map(([name, text]) => [name, text && stringOfJson(text)]),
  ),
});

const eventOf = (index: number): string =>
  [
    `{"id":"${index}","input":"${'é'.repeat(index % 300)}"}`,
    `{ "id": "${index}", "scores": {"a": ${index}, "b": true} , "tags":["x"]}`,
    `{"id":"${index}","metadata":{"b":[1,{}],"1":1e400}}`,
    `{"\\u0069d":"${index}","created":"2024-01-02","_is_merge":false}`,
  ][index % 4]!;

describe('lines of events', () => {
  it('are the events of a list, with the lines as their places', () => {
    const events = Array.from({ length: 5000 }, (_, index) => eventOf(index));
    const lines = events.map((event, index) => event + '\n'.repeat(1 + Number(index % 7 === 0)));
    const read = steps(lines.join('')).flat();
    const list = decodeEvents('experiment', `{"events":[${events.join(',')}]}`);
    expect(read.map(comparable)).to.deep.equal(list.map(comparable));
    expect(
      read
        .slice(0, 3)
        .concat(read.at(-1)!)
        .map(({ place }) => place),
    ).to.deep.equal(['line 1', 'line 3', 'line 4', 'line 5715']);
  });

  it('are read in steps of at most 64 KB, also where they are blank, and of one longer line', () => {
    const bodies = [
      '\n',
      `${eventOf(0)}\n`,
      ' \r\n',
      `{"id":"a","input":"${'x'.repeat(60_000)}"}\n`,
    ];
    for (const line of bodies) {
      const text = line.repeat(2 ** 20 / line.length);
      expect(steps(text).length).to.be.within(15, 20);
    }
    const [long, short] = [`{"id":"a","input":"${'x'.repeat(2 ** 21)}"}`, '{"id":"b"}'];
    expect(steps(`${short}\n${long}\n${short}\n${long}`).flat()).to.have.length(4);
  });
});
