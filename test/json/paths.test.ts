// The paths of JSON values: which are listed, and where listing ends.
import { expect } from 'chai';
import { typedPaths } from '../../src/json/paths.js';

const names = (value: unknown, start: readonly string[] = ['metadata']) =>
  typedPaths(JSON.stringify(value), start).map(({ name }) => JSON.parse(name) as readonly string[]);

const nested = (depth: number): unknown =>
  JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`);

describe('paths of a value', () => {
  it('have the types and the values that can be shown', () => {
    const text = `{"n": 1.50, "s": "a\\tb", "b": false, "none": null, "list": [{"x": 1}], "o": {"k": 1e400}, "t": "${'x'.repeat(201)}"}`;
    expect(
      typedPaths(text, ['input', 2]).map(({ name, type, value }) => [name, type, value]),
    ).to.deep.equal([
      ['["input",2]', 'object', null],
      ['["input",2,"n"]', 'number', '1.5'],
      ['["input",2,"s"]', 'string', '"a\\tb"'],
      ['["input",2,"b"]', 'boolean', 'false'],
      ['["input",2,"list"]', 'array', null],
      ['["input",2,"o"]', 'object', null],
      ['["input",2,"t"]', 'string', null],
      ['["input",2,"o","k"]', 'number', '1e400'],
    ]);
    expect(typedPaths('null', ['input'])).to.deep.equal([]);
  });

  it('have numbers with all their digits, but for those of more than 200 characters', () => {
    const text = `{"2": 9007199254740993, "1": 0.1000000000000000055511151231257827, "a": 1e400, "b": 2.0, "c": 1${'0'.repeat(199)}1}`;
    expect(typedPaths(text, []).map(({ name, type, value }) => [name, type, value])).to.deep.equal([
      ['[]', 'object', null],
      ['["2"]', 'number', '9007199254740993'],
      ['["1"]', 'number', '0.1000000000000000055511151231257827'],
      ['["a"]', 'number', '1e400'],
      ['["b"]', 'number', '2'],
      ['["c"]', 'number', null],
    ]);
  });

  it('have names that are names of objects elsewhere', () => {
    expect(typedPaths('{"__proto__": {"constructor": 1}}', ['input']).at(-1)).to.deep.equal({
      name: '["input","__proto__","constructor"]',
      type: 'number',
      value: '1',
    });
  });

  it('end at 100 parts below the first', () => {
    expect(names(nested(1_000)).map(({ length }) => length)).to.have.length(101);
    expect(names(nested(1_000)).at(-1)).to.have.length(101);
    expect(names(nested(100)), 'with the value itself').to.have.length(101);
  });

  it('are 500 of one value, those with few parts first', () => {
    const wide = Object.fromEntries(
      Array.from({ length: 700 }, (_, index) => [`k${index}`, { below: 1 }]),
    );
    expect(names(wide)).to.have.length(500);
    expect(names(wide).filter(({ length }) => length > 2)).to.deep.equal([]);
    const narrow = Object.fromEntries(Object.entries(wide).slice(0, 300));
    expect(names(narrow)).to.have.length(500);
    expect(names(narrow).filter(({ length }) => length === 3)).to.have.length(199);
  });

  it('have no names that are too long to be shown', () => {
    const long = 'k'.repeat(1_000);
    expect(names({ a: 1, [long]: { b: 1 } })).to.deep.equal([['metadata'], ['metadata', 'a']]);
  });
});
