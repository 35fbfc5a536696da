import { expect } from 'chai';
import { extractJson } from '../../src/json/extract.js';

const text = '{"a":{"b":[1,12345678901234567890,{"10":1e400,"2":null}]},"__proto__":"p","":0}';

describe('json/extract', () => {
  it('gives the exact text of a part', () => {
    expect(extractJson(text, [])).to.equal(text);
    expect(extractJson(text, ['a', 'b', 1])).to.equal('12345678901234567890');
    expect(extractJson(text, ['a', 'b', 2])).to.equal('{"10":1e400,"2":null}');
    expect(extractJson(text, ['a', 'b', 2, '10'])).to.equal('1e400');
    expect(extractJson(text, ['__proto__'])).to.equal('"p"');
    expect(extractJson(text, [''])).to.equal('0');
  });

  it('counts negative indexes from the end', () => {
    expect(extractJson(text, ['a', 'b', -3])).to.equal('1');
    expect(extractJson(text, ['a', 'b', -2])).to.equal('12345678901234567890');
  });

  it('gives null for what is absent, and for JSON null', () => {
    expect(extractJson(text, ['a', 'b', 2, '2'])).to.equal(null);
    for (const steps of [['x'], ['a', 'x', 'y'], ['a', 0], ['a', 'b', 3], ['a', 'b', -4]]) {
      expect(extractJson(text, steps), steps.join()).to.equal(null);
    }
    expect(extractJson(text, ['a', 'b', '0'])).to.equal(null);
    expect(extractJson('{"a":1}', ['toString'])).to.equal(null);
    expect(extractJson('null', [])).to.equal(null);
  });
});
