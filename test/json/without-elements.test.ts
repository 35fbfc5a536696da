// Elements that are removed from the arrays in JSON text: the same as by parsing, filtering and printing it.
import { expect } from 'chai';
import * as fc from 'fast-check';
import { canonicalJson } from '../../src/json/canonical.js';
import type { JsonValue } from '../../src/json/json.js';
import { bytesOfJson, stringOfJson } from '../../src/json/json-text.js';
import { mergeIntoText } from '../../src/json/merge-text.js';
import { objectInOrder } from '../../src/json/ordered.js';
import { parseJsonDocument } from '../../src/json/parse.js';
import { stepBytes } from '../../src/json/stored-text.js';
import { stringifyJson } from '../../src/json/stringify.js';
import { isJsonObject, keysOf, memberOf, membersOf } from '../../src/json/tree.js';
import { withoutElements, type Removals } from '../../src/json/without-elements.js';
import { endOfSteps } from '../support/end-of-steps.js';
import { compact, modelArbitrary, spell, withoutRepeatedKeys } from './json-arbitrary.js';

const removals = (values: readonly string[], below: Readonly<Record<string, Removals>> = {}) => ({
  values: new Set(values),
  below: new Map(Object.entries(below)),
});

function removed(json: string, from: Removals, isExact = true): string {
  const bytes = Buffer.from(`before${json}after`);
  const text = { bytes, start: 'before'.length, end: bytes.length - 'after'.length };
  return stringOfJson(endOfSteps(withoutElements(text, from, isExact)));
}

const canonicalOf = (value: JsonValue): string => canonicalJson(stringifyJson(value));

function removedByParsing(value: JsonValue, { values, below }: Removals): JsonValue {
  if (Array.isArray(value))
    return (value as readonly JsonValue[]).filter((part) => !values.has(canonicalOf(part)));
  if (!isJsonObject(value)) return value;
  const members = Array.from(membersOf(value), ([name, part]) => {
    const removals = below.get(name);
    return [name, removals === undefined ? part : removedByParsing(part, removals)] as const;
  });
  return objectInOrder(new Map(members));
}

/** Removes the elements that `isChosen` from all arrays that a path leads to. */
function chosenIn(value: JsonValue, isChosen: () => boolean): Removals {
  const chosen = Array.isArray(value) ? (value as readonly JsonValue[]).filter(isChosen) : [];
  const below: readonly (readonly [string, Removals])[] = isJsonObject(value)
    ? keysOf(value).map((name) => [name, chosenIn(memberOf(value, name) ?? null, isChosen)])
    : [];
  return { values: new Set(chosen.map(canonicalOf)), below: new Map(below) };
}

describe('json/without-elements', () => {
  it('removes equal elements with their commas', () => {
    const from = removals(['1', '"x"', '{"a":1,"b":[2]}']);
    expect(removed('[1,2,1,1,3,1]', from)).to.equal('[2,3]');
    expect(removed('[1,"x",1]', from)).to.equal('[]');
    expect(removed('[]', from)).to.equal('[]');
    expect(removed('[{"b":[2],"a":1},[1],{"a":1}]', from)).to.equal('[[1],{"a":1}]');
  });

  it('follows the names, and leaves everything else', () => {
    const from = removals([], { 'a"b': removals(['1'], { c: removals(['2']) }) });
    expect(removed('{"x":[1],"a\\"b":[1,2],"y":1}', from)).to.equal('{"x":[1],"a\\"b":[2],"y":1}');
    expect(removed('{"a\\"b":{"c":[1,2],"d":[2]}}', from)).to.equal('{"a\\"b":{"c":[1],"d":[2]}}');
    expect(removed('{"a\\"b":1}', from)).to.equal('{"a\\"b":1}');
    expect(removed('[1]', from)).to.equal('[1]');
  });

  it('compares numbers as doubles', () => {
    expect(
      removed('[1e400,12345678901234567890,1]', removals(['1e999', '12345678901234567000'])),
    ).to.equal('[1]');
  });

  it('removes what parsing and filtering would', () => {
    fc.assert(
      fc.property(modelArbitrary, fc.infiniteStream(fc.boolean()), (model, choices) => {
        const { value, plain } = parseJsonDocument(spell(withoutRepeatedKeys(model), compact));
        const from = chosenIn(value, () => choices.next().value as boolean);
        const expected = stringifyJson(removedByParsing(value, from));
        expect(removed(stringifyJson(value), from, !plain)).to.equal(expected);
      }),
    );
  });
});

describe('a large text', () => {
  const elements = Array.from({ length: 300_000 }, (_, index) => `{"role":"user ${index}"}`);
  const texts = {
    'many elements': `[${elements.join()}]`,
    'one element of many': `[[${elements.join()}]]`,
    'many members': `{${elements.map((element, index) => `"${index}":${element}`).join()}}`,
  };

  for (const [name, text] of Object.entries(texts)) {
    const bytes = Buffer.from(`{"a":${text}}`);
    const base = { bytes, start: 0, end: bytes.length };
    const steps = Math.floor(bytes.length / stepBytes);

    it(`of ${name} is searched in steps`, () => {
      const from = removals([], { a: removals(['1'], { b: removals(['1']) }) });
      expect([...withoutElements(base, from, false)].length).to.be.within(steps, 2 * steps);
    });

    it(`of ${name} is merged in steps`, () => {
      const patch = bytesOfJson('{"b":1,"a":{"c":1}}');
      expect([...mergeIntoText(base, patch, {})].length).to.be.within(steps, 2 * steps);
    });
  }
});
