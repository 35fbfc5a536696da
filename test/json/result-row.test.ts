import { expect } from 'chai';
import {
  kindOfNumber,
  rowWriter,
  type ResultColumn,
  type ResultValue,
} from '../../src/json/result-row.js';

/** The texts of values that all columns have one of, and their kinds. */
function written(
  values: readonly ResultValue[],
  column: Pick<ResultColumn, 'type'> & Partial<ResultColumn>,
) {
  const columns = values.map((_, index) => ({ name: `${index}`, ...column }));
  const { text, kinds } = rowWriter(columns)((index) => values[index]!);
  const names = columns.map(({ name }) => `"${name}":`);
  expect(text.match(/"\d+":/g)).to.deep.equal(names);
  const texts = text
    .slice(1, -1)
    .split(/,?"\d+":/)
    .slice(1);
  return [...texts, kinds];
}

describe('json/result-row', () => {
  it('tells integers, doubles and numbers that a double does not hold apart', () => {
    const kinds = ['0', '-12', '9007199254740991', '1e3', '0.5', '-1.25e-7', '1.10']
      .concat(['9007199254740992', '9007199254740993', '1e300', '1e400', '0.12345678901234567890'])
      .map(kindOfNumber);
    expect(kinds.join('')).to.equal('iiiidddlljjj');
  });

  it('writes values and their kinds', () => {
    expect(written([true, false, null], { type: 'boolean' })).to.deep.equal([
      'true',
      'false',
      'null',
      'bbn',
    ]);
    const strings = [String.raw`"é\"\n"`, '""', 'null', 'ssn'];
    expect(written(['é"\n', '', null], { type: 'string' })).to.deep.equal(strings);
    expect(written([1_735_689_600_000_000n, null], { type: 'timestamp' })).to.deep.equal([
      '"2025-01-01T00:00:00Z"',
      'null',
      'tn',
    ]);
    const json = ['"a"', '[1]', '{}', 'true', 'false', '1', '1.5', '1e400'];
    expect(written([...json, null], { type: 'json' })).to.deep.equal([
      ...json,
      'null',
      'sjjbbidjn',
    ]);
  });

  it('writes the names of columns as JSON', () => {
    const write = rowWriter([{ name: 'a"\n', type: 'boolean' }]);
    expect(write(() => true).text).to.equal(String.raw`{"a\"\n":true}`);
  });

  it('writes numbers with the digits that matter, and none that JSON does not have', () => {
    const numbers = [0.1 + 0.2, 2 ** 53 - 1, 2 ** 59, 1e18, 1e21, -0, 1 / 3e7, NaN, -Infinity];
    expect(written(numbers, { type: 'number' })).to.deep.equal(
      [
        '0.30000000000000004',
        '9007199254740991',
        '576460752303423488',
        '1000000000000000000',
      ].concat(['1e21', '0', '3.3333333333333334e-8', 'null', 'null', 'didddidnn']),
    );
  });
});
