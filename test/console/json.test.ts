// JSON as the console shows it: cut and indented as text, so that no digit and no order of keys is lost.
import { expect } from 'chai';
import * as fc from 'fast-check';
import { indented, linesOf } from '../../src/console/json/lines.js';
import {
  cutRows,
  elementsOf,
  membersOf,
  objectText,
  plainText,
} from '../../src/console/json/scan.js';

const json = fc.json({ maxDepth: 6, noUnicodeString: false });

describe('JSON in the console', () => {
  it('is indented as JSON.stringify does it', () => {
    fc.assert(
      fc.property(json, (text) => {
        const wanted = JSON.stringify(JSON.parse(text), null, 2);
        expect(indented(JSON.stringify(JSON.parse(text)))).to.equal(wanted);
        expect(indented(wanted)).to.equal(wanted);
      }),
      { numRuns: 500 },
    );
  });

  it('keeps every digit, and the order of its keys', () => {
    const text = '{"b":12345678901234567890.10,"10":1e400,"9":-0.0,"a":"\\u0000\\"}{"}';
    expect(indented(text).replaceAll(/\n\s*|(?<=": ?) /g, '')).to.equal(
      text.replaceAll('":', '": ').replaceAll(': ', ':'),
    );
    expect([...membersOf(text)]).to.deep.equal([
      ['b', '12345678901234567890.10'],
      ['10', '1e400'],
      ['9', '-0.0'],
      ['a', '"\\u0000\\"}{"'],
    ]);
  });

  it('is cut into members and elements that are the values', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue()), (a, o) => {
        const list = JSON.parse(JSON.stringify(a)) as unknown;
        expect(elementsOf(JSON.stringify(a, null, 1)).map((one) => JSON.parse(one))).to.deep.equal(
          list,
        );
        const members = [...membersOf(JSON.stringify(o))].map(([k, v]) => [k, JSON.parse(v)]);
        expect(Object.fromEntries(members)).to.deep.equal(JSON.parse(JSON.stringify(o)));
      }),
      { numRuns: 300 },
    );
  });

  it('of an answer is its rows and warnings', () => {
    const { rows, warnings } = cutRows(
      '{"data":[{"n":1.50},{"n":null}],"schema":{},"warnings":["w"]}',
    );
    expect(rows.map((row) => row.get('n'))).to.deep.equal(['1.50', 'null']);
    expect(warnings).to.deep.equal(['w']);
    expect(objectText(rows[0]!)).to.equal('{"n":1.50}');
    expect(plainText('"a\\nb"')).to.equal('a\nb');
  });

  it('may nest 20,000 levels', () => {
    const depth = 20_000;
    const text = '['.repeat(depth) + ']'.repeat(depth);
    expect(linesOf(text)).to.have.length(2 * depth - 1);
    expect(elementsOf(text)).to.have.length(1);
  });
});
