import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { parseJson, parseJsonDocument } from '../../src/json/parse.js';
import { stringifyJson } from '../../src/json/stringify.js';
import { membersOf } from '../../src/json/tree.js';
import type { JsonObject } from '../../src/json/json.js';
import {
  exactTokens,
  compact,
  modelArbitrary,
  spell,
  spellingArbitrary,
  withoutRepeatedKeys,
} from './json-arbitrary.js';

const roundTrip = (text: string): string => stringifyJson(parseJson(text));

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

describe('json/parse', () => {
  it('keeps the value of every number and the order of every key of any document', () => {
    fc.assert(
      fc.property(modelArbitrary, spellingArbitrary, (model, spelling) => {
        const printed = roundTrip(spell(model, spelling));
        const expected = spell(withoutRepeatedKeys(model), compact);
        expect(exactTokens(printed)).to.deep.equal(exactTokens(expected));
        expect(roundTrip(printed)).to.equal(printed);
      }),
      { numRuns: 2000 },
    );
  });

  it('keeps no text in memory of which only strings, names and numbers are kept', () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const used = () => {
      collect();
      return process.memoryUsage().heapUsed;
    };
    const textBytes = 2 ** 20;
    const texts = 40;
    const kept: unknown[] = [];
    const before = used();
    for (let number = 0; number < texts; number += 1) {
      const text = `{"the name of a member":"its value","number":12345678901234567890,"0":"${String(number).repeat(textBytes)}"}`;
      const [named, long] = membersOf(parseJson(text) as JsonObject);
      kept.push(named, long);
    }
    expect(used() - before).to.be.below((texts * textBytes) / 4);
    expect(kept).to.have.lengthOf(2 * texts);
  });

  it('agrees with JSON.parse wherever that is exact', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(JSON.parse(roundTrip(text))).to.deep.equal(JSON.parse(text));
      }),
    );
  });

  for (const text of [
    '12345678901234567890',
    '-0.123456789012345678901234567891',
    '1e400',
    '-1e-400',
    '[9007199254740993]',
    '{"b":12345678901234567890.5,"a":1}',
    '{"z":1,"10":2,"2":3}',
    '{"a":{"b":null},"c":[null]}',
    '{"__proto__":{"x":1},"constructor":{"prototype":2}}',
    '{"10":{"__proto__":12345678901234567890}}',
    '"\\u0000é\ud83d\ude00"',
    '""',
    '{"":{"":[]}}',
    '"the order 00000000000000012345 shipped"',
    '["1.2.3.4.5.6.7.8.9.10 1.e999 .5e1000 -00000000000000000.5",9007199254740993]',
  ]) {
    it(`prints ${text} as it came`, () => expect(roundTrip(text)).to.equal(text));
  }

  it('may change the spelling of a number that a double holds, not its value', () => {
    expect(roundTrip('[-0.0000001, 1.10, 1E2, 1e0000002]')).to.equal('[-1e-7,1.1,100,100]');
  });

  it('keeps the order of integer keys that are written as escapes', () => {
    expect(roundTrip(String.raw`{"a":1,"\u0031":2}`)).to.equal('{"a":1,"1":2}');
  });

  it('takes the last of duplicate keys, at the place of the first, in both forms', () => {
    expect(roundTrip('{"a":1,"b":2,"a":3}')).to.equal('{"a":3,"b":2}');
    expect(roundTrip('{"a":1,"b":1e400,"a":3}')).to.equal('{"a":3,"b":1e400}');
  });

  it('puts U+FFFD in the place of unpaired surrogates, in keys and strings of both forms', () => {
    const text = String.raw`{"\ud800":"a\udc00b","p":"\ud83d\ude00","s":"\\ud800"`;
    expect(parseJson(`${text}}`)).to.deep.equal({ '\ufffd': 'a\ufffdb', p: '😀', s: '\\ud800' });
    expect(roundTrip(`${text},"n":1e400}`)).to.equal(
      String.raw`{"�":"a�b","p":"😀","s":"\\ud800","n":1e400}`,
    );
    expect(parseJson('["\ud800x","\udc00"]')).to.deep.equal(['\ufffdx', '\ufffd']);
    expect(parseJson(String.raw`"\\\ud800\ud83d\ude00\udc00\\"`)).to.equal('\\\ufffd😀\ufffd\\');
  });

  it('reads texts of millions of escapes, in both forms', () => {
    const escapes = String.raw`\\`.repeat(2_000_000);
    const value = '\\'.repeat(2_000_000);
    expect(parseJson(String.raw`["${escapes}\ud800"]`)).to.deep.equal([`${value}\ufffd`]);
    expect(roundTrip(`{"10":1e400,"2":"${escapes}"}`)).to.have.length(escapes.length + 19);
  });

  it('takes the plain form for keys that only begin with a digit', () => {
    const { value, plain } = parseJsonDocument('{"1a":1,"01":2,"12345678901":3}');
    expect([value, plain]).to.deep.equal([{ '1a': 1, '01': 2, '12345678901': 3 }, true]);
    expect(parseJsonDocument('{"a":1,"0":2}').plain).to.equal(false);
  });

  it('says whether the value needed the exact form', () => {
    expect(parseJsonDocument('{"a":1.1,"t":1721234567.1234567}').plain).to.equal(true);
    expect(parseJsonDocument('{"a":"12345678901234567890"}').plain).to.equal(true);
    expect(parseJsonDocument('{"a":12345678901234567890}').plain).to.equal(false);
  });

  it('reads 1,000 levels of nesting and refuses more', () => {
    expect(roundTrip(nested(1000))).to.equal(nested(1000));
    expect(() => parseJson(nested(1001))).to.throw(
      'request body is nested more than 1000 levels deep',
    );
    expect(() => parseJson(nested(200_000), 'filter')).to.throw(
      'filter is nested more than 1000 levels deep',
    );
    expect(() => parseJson('['.repeat(200_000))).to.throw(
      'request body is nested more than 1000 levels deep',
    );
  });

  it('refuses long texts without the position of the error', () => {
    for (const text of [`"${'\\'.repeat(30_000_000)}`, `[${'"\\n",'.repeat(300_000)}]`])
      expect(() => parseJson(text)).to.throw(/^request body is not valid JSON$/);
  });

  const refusals: Readonly<Record<string, string>> = {
    '': 'line 1, column 1: value expected',
    '[NaN]': 'line 1, column 2: JSON has no NaN: send null instead',
    '{"a":Infinity}': 'line 1, column 6: JSON has no Infinity: send null instead',
    '{"a":1,}': 'line 1, column 8: property name expected',
    '{\n "a" 1}': 'line 2, column 6: colon expected',
    '[1 2]': 'line 1, column 4: comma expected',
    '[01]': 'line 1, column 3: comma expected',
    '[1': 'line 1, column 3: close bracket expected',
    '"a': 'line 1, column 1: unexpected end of string',
    '[1] 2': 'line 1, column 5: end of file expected',
    '[1] // done': 'line 1, column 5: invalid comment token',
    '["\u0001"]': 'line 1, column 2: invalid character',
    '["\\x"]': 'line 1, column 2: invalid escape character',
    '\ufeff{}': 'line 1, column 1: invalid symbol',
  };
  for (const [text, reason] of Object.entries(refusals)) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      expect(() => parseJson(text))
        .to.throw(`request body is not valid JSON at ${reason}`)
        .with.property('status', 400);
    });
  }
});
