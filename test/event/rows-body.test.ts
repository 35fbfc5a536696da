// Rows of large bodies are read a part at a time, wherever they stand.
import { expect } from 'chai';
import { rowSlices } from '../../src/event/rows-body.js';
import { TooLongToParse } from '../../src/json/scan.js';
import type { Scan } from '../../src/json/scanned-list.js';

const scanNothing: Scan<never> = (_text, at) => ~at;

const slicesOf = (text: string) =>
  [...rowSlices(Buffer.from(text), scanNothing)].filter((slice) => 'elements' in slice);

/** Each row may have 1 MB of text. */
const readShort = (text: string) => [
  ...rowSlices(Buffer.from(text), scanNothing, { textBytesMax: 2 ** 20 }),
];

// First in this process, while no tail is known yet.
const readsCutOff = (() => {
  try {
    return slicesOf('{"rows":[{}]').length > 0;
  } catch {
    return false;
  }
})();

const readWithTail = (tail: string) => slicesOf(`{"rows":[{}]${tail}`).length;

describe('slices of rows', () => {
  const count = 2500;
  const rows = JSON.stringify(Array.from({ length: count }, (_, index) => ({ id: `${index}` })));

  for (const [where, text] of [
    ['at the beginning', `{"rows":${rows},"api_version":2}`],
    ['behind another member', `{"other":[{"rows":[1]}],"rows":${rows}}`],
    ['under a name with an escape', `{"\\u0072ows":${rows}}`],
  ] as const)
    it(`hold a thousand rows at most: ${where}`, () => {
      const slices = slicesOf(text);
      const lengths = slices.map((slice) => slice.elements.length);
      expect(Math.max(...lengths)).to.equal(1000);
      const elements = slices.flatMap((slice) => slice.elements);
      const before = lengths.map((_, index) => lengths.slice(0, index).reduce((a, b) => a + b, 0));
      expect(slices.map(({ first }) => first)).to.deep.equal(before);
      expect(elements).to.deep.equal(JSON.parse(rows));
    });

  it('refuse a row, or another member, whose text is too long', () => {
    const long = `"${'x'.repeat(2 ** 20)}"`;
    expect(() => readShort(`{"rows":[{},{"input":${long}}]}`)).to.throw(
      'rows[1]: expected at most 1 MB of text, got more',
    );
    expect(() => readShort(`{"other":${long},"rows":[{}]}`)).to.throw(
      'request body: expected at most 1 MB of text, got more',
    );
  });

  it('are not looked for behind many members or a long text', () => {
    // A search that went on would refuse this number.
    const number = `"number":${'1'.repeat(20_000)}`;
    const space = ' '.repeat(2 ** 20);
    const short = `{${'"a":1,'.repeat(100)}${number},"rows":[{}]}`;
    expect(() => readShort(`${short}${space.repeat(17)}`)).to.throw(
      'request body: expected the field rows near the start, and at most 16 MB of other fields',
    );
    const long = `{"a":"${'x'.repeat(2000)}",${number},"rows":[{}]}`;
    const reading = rowSlices(Buffer.from(long), scanNothing, {
      textBytesMax: 2 ** 20,
      parsedBytesMax: 1000,
    });
    expect(() => [...reading]).to.throw(TooLongToParse);
  });

  it('end with a refusal when what is behind the rows is no JSON', () => {
    const slices = rowSlices(Buffer.from(`{"rows":${rows},}`), scanNothing);
    expect(() => [...slices]).to.throw(/not valid JSON/);
  });

  const refusals: readonly (readonly [tail: string, message: RegExp])[] = [
    [',"api_version":2', /not valid JSON/],
    [',"api_version":2}}', /not valid JSON/],
    [',"rows":[1]}', /the field rows occurs more than once/],
    [',"rows":[]}', /the field rows occurs more than once/],
    [',"rows":null}', /the field rows occurs more than once/],
    [`,"other":"${'x'.repeat(200)}",}`, /not valid JSON/],
  ];
  it('end with it when nothing is behind the rows', () => {
    expect(readsCutOff).to.equal(false);
    expect(() => readWithTail('')).to.throw(/not valid JSON/);
  });

  it('end with it also after the tail of an earlier body was valid', () => {
    const valid = ',"api_version":2}';
    for (const [tail, message] of refusals)
      for (const before of [valid, '}']) {
        expect([readWithTail(before), readWithTail(before)]).to.deep.equal([1, 1]);
        expect(() => readWithTail(tail), tail).to.throw(message);
        expect(() => readWithTail(tail), tail).to.throw(message);
      }
  });

  it('begin with a refusal when what is before the rows is no JSON', () => {
    for (const head of ['{,', '{"a":01,', '{"a":}', '{"\\x":1,'])
      expect(() => slicesOf(`${head}"rows":[{}]}`), head).to.throw(/not valid JSON/);
    expect(slicesOf(' { "rows" : [ { } ] } ').length).to.equal(1);
  });
});
