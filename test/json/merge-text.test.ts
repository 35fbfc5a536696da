import { expect } from 'chai';
import * as fc from 'fast-check';
import { deepMerge, type MergeRules } from '../../src/json/deep-merge.js';
import type { JsonObject } from '../../src/json/json.js';
import { stringOfJson } from '../../src/json/json-text.js';
import { mergeIntoText } from '../../src/json/merge-text.js';
import { parseJson } from '../../src/json/parse.js';
import { stringifyJson } from '../../src/json/stringify.js';
import { endOfSteps } from '../support/end-of-steps.js';
import { compact, modelArbitrary, spell, withoutRepeatedKeys } from './json-arbitrary.js';

function merge(base: string, patch: string, rules: MergeRules = {}): string {
  const bytes = Buffer.from(`before${base}after`);
  const place = { bytes, start: 'before'.length, end: bytes.length - 'after'.length };
  return stringOfJson(endOfSteps(mergeIntoText(place, parseJson(patch) as JsonObject, rules)));
}

const objectArbitrary = modelArbitrary
  .filter(({ kind }) => kind === 'object')
  .map((model) => stringifyJson(parseJson(spell(withoutRepeatedKeys(model), compact))));

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

  it('agrees with deepMerge', () => {
    fc.assert(
      fc.property(
        objectArbitrary,
        objectArbitrary,
        fc.array(fc.array(fc.constantFrom('a', 'b', ''), { minLength: 1, maxLength: 2 })),
        (base, patch, mergePaths) => {
          const merged = deepMerge(parseJson(base), parseJson(patch), { mergePaths });
          expect(merge(base, patch, { mergePaths })).to.equal(stringifyJson(merged));
        },
      ),
      { numRuns: 500 },
    );
  });
});
