import { expect } from 'chai';
import * as fc from 'fast-check';
import { deepMerge, type MergeRules } from '../../src/json/deep-merge.js';
import { bytesOfJson, stringOfJson, type JsonBytes } from '../../src/json/json-text.js';
import { mergeIntoText } from '../../src/json/merge-text.js';
import { parseJson } from '../../src/json/parse.js';
import { stepBytes } from '../../src/json/stored-text.js';
import { stringifyJson } from '../../src/json/stringify.js';
import { endOfSteps } from '../support/end-of-steps.js';
import { compact, modelArbitrary, spell, withoutRepeatedKeys } from './json-arbitrary.js';

function amidOthers(text: string): JsonBytes {
  const bytes = Buffer.from(`before${text}after`);
  return { bytes, start: 'before'.length, end: bytes.length - 'after'.length };
}

function merge(base: string, patch: string, rules: MergeRules = {}): string {
  return stringOfJson(endOfSteps(mergeIntoText(amidOthers(base), amidOthers(patch), rules)));
}

const objectArbitrary = modelArbitrary
  .filter(({ kind }) => kind === 'object')
  .map((model) => stringifyJson(parseJson(spell(withoutRepeatedKeys(model), compact))));

const members = (from: number, to: number, value: string) =>
  Array.from({ length: to - from }, (_, index) => `"é${from + index}":${value}`).join();

describe('json/merge-text', () => {
  it('merges objects, replaces other values, and adds new members last', () => {
    const base = '{"a":{"x":1,"y":{"z":2}},"b":[1],"c":"d","e":{}}';
    const patch = '{"n":{"m":1},"e":{"f":1},"c":{"g":[]},"b":null,"a":{"y":{"w":4},"x":5}}';
    expect(merge(base, patch)).to.equal(
      '{"a":{"x":5,"y":{"z":2,"w":4}},"b":null,"c":{"g":[]},"e":{"f":1},"n":{"m":1}}',
    );
    expect(merge('{}', '{}')).to.equal('{}');
    expect(merge('{}', '{"a":1,"b":2}')).to.equal('{"a":1,"b":2}');
  });

  it('copies what the patch does not name without reading it', () => {
    const base = '{"a":{"not":JSON},"b":1e400,"c\\n":[1.0]}';
    expect(merge(base, '{"b":12345678901234567890,"c\\n":2}')).to.equal(
      '{"a":{"not":JSON},"b":12345678901234567890,"c\\n":2}',
    );
  });

  it('replaces at merge paths and leaves dropped keys out, as deepMerge does', () => {
    const base = '{"a":{"b":{"x":1},"c":{"x":1}},"__proto__":1}';
    const patch =
      '{"a":{"b":{"y":2},"c":{"y":2,"constructor":1}},"__proto__":2,"d":{"prototype":1}}';
    const rules = {
      mergePaths: [
        ['a', 'b'],
        ['d', 'x'],
      ],
      droppedKeys: new Set(['__proto__', 'constructor', 'prototype']),
    };
    expect(merge(base, patch, rules)).to.equal(
      '{"a":{"b":{"y":2},"c":{"x":1,"y":2}},"__proto__":1,"d":{}}',
    );
  });

  it('finds each of many names', () => {
    expect(merge(`{${members(0, 3000, '1')}}`, `{${members(1500, 4500, '2')}}`)).to.equal(
      `{${members(0, 1500, '1')},${members(1500, 4500, '2')}}`,
    );
  });

  it('finds and adds many names in steps', () => {
    const base = bytesOfJson(`{"a":{${members(0, 50_000, '{}')}}}`);
    const patch = bytesOfJson(`{"a":{${members(50_000, 150_000, '{}')}}}`);
    const steps = [...mergeIntoText(base, patch, {})].length;
    // Each text is walked, and the result written.
    expect(steps).to.be.at.least(Math.floor((base.end + 2 * patch.end) / stepBytes));
  });

  it('agrees with deepMerge', () => {
    fc.assert(
      fc.property(
        objectArbitrary,
        objectArbitrary,
        fc.array(fc.array(fc.constantFrom('a', 'b', ''), { minLength: 1, maxLength: 2 })),
        fc.uniqueArray(fc.constantFrom('a', 'b', '__proto__')),
        (base, patch, mergePaths, dropped) => {
          const rules = { mergePaths, droppedKeys: new Set(dropped) };
          const merged = deepMerge(parseJson(base), parseJson(patch), rules);
          expect(merge(base, patch, rules)).to.equal(stringifyJson(merged));
        },
      ),
      { numRuns: 500 },
    );
  });
});
