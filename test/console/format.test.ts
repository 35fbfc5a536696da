// Durations and metrics as the console writes them, and texts as it shows them.
import { expect } from 'chai';
import {
  durationText,
  isSameText,
  metricText,
  shortNumberText,
} from '../../src/console/kit/format.js';

describe('durations', () => {
  const texts: readonly (readonly [number, string])[] = [
    [0, '0 µs'],
    [0.00042, '420 µs'],
    [0.0009996, '1 ms'],
    [0.25, '250 ms'],
    [0.9996, '1.00 s'],
    [59.99, '59.99 s'],
    [59.999, '1 min 0 s'],
    [119.7, '2 min 0 s'],
    [3599.6, '1 h 0 min'],
    [9000, '2 h 30 min'],
    [-5, '−5.00 s'],
  ];
  for (const [seconds, text] of texts)
    it(`${seconds} s are ${text}`, () => {
      expect(durationText(seconds)).to.equal(text);
    });
});

describe('metrics', () => {
  const texts: readonly (readonly [number, string, string])[] = [
    [75.5, 's', '1 min 16 s'],
    [-0.25, 's', '−250 ms'],
    [1_234_567.8, 'tok', '1,234,568'],
    [12.3456, '', '12.35'],
    [0.000123456, '', '0.0001235'],
    [3, 'tok', '3'],
  ];
  for (const [value, unit, text] of texts)
    it(`${value} ${unit} are ${text}`, () => {
      expect(metricText(value, unit)).to.equal(text);
    });
});

describe('short numbers', () => {
  const texts: readonly (readonly [string, string])[] = [
    ['0.5', '0.5'],
    ['0.3333333333333333', '0.33333'],
    ['9999', '9999'],
    ['123456', '123,456'],
    ['1234567.8', '1,234,568'],
    ['-0.000123456', '-0.00012346'],
  ];
  for (const [raw, text] of texts)
    it(`${raw} is ${text}`, () => {
      expect(shortNumberText(raw)).to.equal(text);
    });
});

describe('texts that a user types', () => {
  it('are the shown ones if they look the same', () => {
    for (const [shown, typed] of [
      ['a\nb', 'a b'],
      ['a  b ', 'a b'],
      ['e\u0301', 'é'],
      ['a', ' a'],
    ] as const)
      expect(isSameText(shown, typed), shown).to.equal(true);
    expect(isSameText('A', 'a')).to.equal(false);
    expect(isSameText('a b', 'ab')).to.equal(false);
  });
});
