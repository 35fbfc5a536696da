import { expect } from 'chai';
import * as fc from 'fast-check';
import { canonicalJson } from '../../src/json/canonical.js';

describe('json/canonical', () => {
  it('sorts keys by code point at every depth and drops white space', () => {
    expect(canonicalJson('{"b": [ {"d":1, "c":2} ], "a":{"10":1,"9":2}}')).to.equal(
      '{"a":{"10":1,"9":2},"b":[{"c":2,"d":1}]}',
    );
    expect(canonicalJson('{"\u{1F600}":1,"\uFF21":2,"\uE000":3,"z":4,"":5}')).to.equal(
      '{"":5,"z":4,"\uE000":3,"\uFF21":2,"\u{1F600}":1}',
    );
    expect(canonicalJson('{"\u{1F601}":1,"\u{1F600}b":2,"\u{1F600}":3}')).to.equal(
      '{"\u{1F600}":3,"\u{1F600}b":2,"\u{1F601}":1}',
    );
  });

  it('writes numbers as JavaScript prints their double', () => {
    expect(canonicalJson('[1.0,-0,1e2,0.1e1,12345678901234567890,1e400,-1e400,1e-400]')).to.equal(
      '[1,0,100,1,12345678901234567000,1e999,-1e999,0]',
    );
  });

  it('leaves null, booleans and strings as they are', () => {
    expect(canonicalJson(' [null,true,false,"é\\u00e9\\n",""] ')).to.equal(
      '[null,true,false,"éé\\n",""]',
    );
    expect(canonicalJson('{"__proto__":1,"a":{}}')).to.equal('{"__proto__":1,"a":{}}');
  });

  it('is stable, and equal for every order of the keys', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(fc.string({ unit: 'binary' }), fc.json()), {
          selector: ([key]) => key,
        }),
        fc.nat(),
        (members, turn) => {
          const print = (list: typeof members) =>
            `{${list.map(([key, json]) => `${JSON.stringify(key)}:${json}`).join()}}`;
          const cut = turn % (members.length + 1);
          const turned = [...members.slice(cut), ...members.slice(0, cut)];
          const canonical = canonicalJson(print(members));
          expect(canonicalJson(print(turned))).to.equal(canonical);
          expect(canonicalJson(canonical)).to.equal(canonical);
        },
      ),
    );
  });
});
