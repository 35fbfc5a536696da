// BETWEEN and CASE use their operand several times, so nesting in it is limited.
import { expect } from 'chai';
import { parseQuery } from '../../src/query/syntax/parse.js';

const between = (levels: number): string =>
  `SELECT id FROM experiment('e') WHERE input${' BETWEEN 1 AND 2'.repeat(levels)}`;

const cases = (levels: number): string =>
  `SELECT ${'CASE '.repeat(levels)}input${' WHEN 1 THEN 2 WHEN 3 THEN 4 END'.repeat(levels)} FROM experiment('e')`;

describe('operands of BETWEEN and CASE', () => {
  for (const [name, text] of [
    ['BETWEEN', between],
    ['CASE', cases],
  ] as const)
    it(`of ${name} count for each of their uses`, () => {
      expect(() => parseQuery(text(8))).not.to.throw();
      for (const levels of [12, 40])
        expect(() => parseQuery(text(levels))).to.throw(
          /more than 5000 operators: use 'in' for long lists$/,
        );
    });
});
