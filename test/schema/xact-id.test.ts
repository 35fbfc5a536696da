import { expect } from 'chai';
import * as fc from 'fast-check';
import { formatXactId, nextXactId, parseXactId } from '../../src/schema/xact-id.js';
import { shortXactId } from '../support/short-xact-id.js';

const example = 1000192656880881099n;

describe('schema/xact-id', () => {
  it('is made of 0x0DE1, the second and a counter', () => {
    expect(nextXactId(0n, 1_700_000_000.9)).to.equal((0x0de1n << 48n) | (1_700_000_000n << 16n));
  });

  it('goes on from the last id within a second, over a full counter and when the clock steps back', () => {
    const first = nextXactId(0n, 1_700_000_000);
    expect(nextXactId(first, 1_700_000_000)).to.equal(first + 1n);
    expect(nextXactId(first + 0xffffn, 1_700_000_000)).to.equal(first + 0x10000n);
    expect(nextXactId(first, 1_600_000_000)).to.equal(first + 1n);
    expect(nextXactId(first + 5n, 1_700_000_001)).to.equal(first + 0x10000n);
  });

  it('has 19 decimal digits in any second of this age', () => {
    for (const second of [0, 1_700_000_000, 2 ** 32 - 1]) {
      expect(formatXactId(nextXactId(0n, second))).to.match(/^\d{19}$/);
    }
  });

  it('is written short as 16 hexadecimal digits', () => {
    expect(shortXactId(example)).to.equal('81cd05ee665fdfb3');
    expect(parseXactId('81cd05ee665fdfb3')).to.equal(example);
    expect(parseXactId('81CD05EE665FDFB3')).to.equal(example);
    expect(parseXactId('1000192656880881099')).to.equal(example);
  });

  it('reads back both spellings of every id', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 48n - 1n }), (low) => {
        const xactId = (0x0de1n << 48n) | low;
        expect(shortXactId(xactId)).to.match(/^[\da-f]{16}$/);
        expect(parseXactId(shortXactId(xactId))).to.equal(xactId);
        expect(parseXactId(formatXactId(xactId))).to.equal(xactId);
      }),
    );
  });

  it('takes any decimal number as a version, beyond 64 bits as the far future', () => {
    expect(parseXactId('0')).to.equal(0n);
    expect(parseXactId('9999999999999999999')).to.equal(2n ** 63n - 1n);
  });

  for (const text of [
    '',
    'abc',
    '-1',
    '1.5',
    ' 1',
    '81cd05ee665fdfb4',
    '81cd05ee665fdfb',
    '1e18',
  ]) {
    it(`does not take ${JSON.stringify(text)}`, () => expect(parseXactId(text)).to.equal(null));
  }
});
