// Objects with any keys: the values of all of them are checked.
import { expect } from 'chai';
import { operations } from '../../src/http/operations.js';

const oddKeys = ['', 'a', 'a\nb', '\r', '\u2028', '\u2029', '\ufeff', '__proto__'];

/** The patterns for keys anywhere in a schema. */
function keyPatterns(schema: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { patternProperties = {} } = schema as { patternProperties?: object };
  return [...Object.keys(patternProperties), ...Object.values(schema).flatMap(keyPatterns)];
}

describe('objects with any keys', () => {
  it('have no key whose value goes unchecked', () => {
    const patterns = new Set(keyPatterns(operations));
    expect(patterns.size).to.be.greaterThan(0);
    for (const pattern of patterns)
      for (const key of oddKeys)
        expect(new RegExp(pattern, 'u').test(key), `${pattern}: ${JSON.stringify(key)}`).to.equal(
          true,
        );
  });
});
