import { expect } from 'chai';
import {
  kindOfNumber,
  rowWriter,
  type ResultColumn,
  type ResultValue,
} from '../../src/json/result-row.js';

describe('json/result-row', () => {
  it('tells integers, doubles and numbers that a double does not hold apart', () => {
    const kinds = ['0', '-12', '9007199254740991', '1e3', '0.5', '-1.25e-7', '1.10']
      .concat(['9007199254740992', '9007199254740993', '1e300', '1e400', '0.12345678901234567890'])
      .map(kindOfNumber);
    expect(kinds.join('')).to.equal('iiiidddjjjjj');
  });

  it('writes values and their kinds', () => {
    const written = (
      type: ResultColumn['type'],
      values: readonly ResultValue[],
      isInexact = false,
    ) => {
      const write = rowWriter(values.map((_, index) => ({ name: `"${index}`, type, isInexact })));
      return Object.values(write((index) => values[index]!)).join(' ');
    };
    expect(written('boolean', [true, false, null])).to.equal(
      String.raw`{"\"0":true,"\"1":false,"\"2":null} bbn`,
    );
    const row = (texts: readonly string[]) =>
      `{${texts.map((text, index) => String.raw`"\"${index}":${text}`).join(',')}}`;
    expect(written('string', ['é"\n', ''])).to.equal(`${row([String.raw`"é\"\n"`, '""'])} ss`);
    expect(written('timestamp', ['2025-01-01T00:00:00Z', null])).to.equal(
      `${row(['"2025-01-01T00:00:00Z"', 'null'])} tn`,
    );
    expect(
      written('json', ['"a"', '[1]', '{}', 'true', 'false', '1', '1.5', '1e400', null]),
    ).to.equal(
      `${row(['"a"', '[1]', '{}', 'true', 'false', '1', '1.5', '1e400', 'null'])} sjjbbidjn`,
    );
  });

  it('writes numbers with the digits that matter, and none that JSON does not have', () => {
    const written = (values: readonly number[], isInexact: boolean) => {
      const write = rowWriter(
        values.map((_, index) => ({ name: `${index}`, type: 'number', isInexact })),
      );
      const { text, kinds } = write((index) => values[index]!);
      return [
        ...text
          .slice(1, -1)
          .split(',')
          .map((member) => member.split(':')[1]),
        kinds,
      ];
    };
    const numbers = [0.1 + 0.2, 2 ** 53 - 1, 2 ** 59, 1e18, 1e21, -0, 1 / 3e7, NaN, -Infinity];
    const exact = ['0.30000000000000004', '9007199254740991', '576460752303423488'].concat([
      '1000000000000000000',
      '1e+21',
      '0',
      '3.3333333333333334e-8',
      'null',
      'null',
    ]);
    expect(written(numbers, false)).to.deep.equal([...exact, 'didddidnn']);
    expect(written(numbers, true)).to.deep.equal(
      ['0.3', '9007199254740991', '576460752303423000', '1000000000000000000', '1e+21', '0'].concat(
        ['3.33333333333333e-8', 'null', 'null', 'didddidnn'],
      ),
    );
  });
});
