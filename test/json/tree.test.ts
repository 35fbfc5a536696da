import { expect } from 'chai';
import { LosslessNumber } from 'lossless-json';
import { parseJson } from '../../src/json/parse.js';
import { stringifyJson } from '../../src/json/stringify.js';
import { doubleHolds, isLossless, plainJson } from '../../src/json/tree.js';

describe('json/tree', () => {
  it('knows which number texts a double holds exactly', () => {
    const held = ['0', '-0', '1.50', '9007199254740992', '1e21', '0e9999', '1721234567.1234567'];
    const lost = ['9007199254740993', '0.1234567890123456789', '1e309', '1e-400', '-1e99999'];
    expect(held.filter(doubleHolds)).to.deep.equal(held);
    expect(lost.filter(doubleHolds)).to.deep.equal([]);
  });

  it('calls values lossless that JavaScript would change, at any depth', () => {
    for (const text of ['[{"a":[1e400]}]', '{"a":{"b":1,"1":2}}', '12345678901234567890']) {
      expect(isLossless(parseJson(text)), text).to.equal(true);
    }
    for (const text of ['[{"a":[1e30]}]', '{"1":2,"b":1}', '"1e400"', 'null', '[1E0300]']) {
      expect(isLossless(parseJson(text)), text).to.equal(false);
    }
    expect(isLossless([new LosslessNumber('1.0')])).to.equal(false);
  });

  it('prints numbers of the exact form verbatim, also those a double holds', () => {
    expect(stringifyJson({ a: [new LosslessNumber('1.0')], b: 'x' })).to.equal(
      '{"a":[1.0],"b":"x"}',
    );
  });

  it('makes plain data of both forms, with __proto__ as a key', () => {
    const value = plainJson(parseJson('{"b":1e400,"10":[{"__proto__":12345678901234567890}]}'));
    expect(value).to.deep.equal({
      b: Infinity,
      '10': [JSON.parse('{"__proto__":12345678901234567890}')],
    });
    expect(Object.keys((value as { '10': object[] })['10'][0] ?? {})).to.deep.equal(['__proto__']);
  });
});
