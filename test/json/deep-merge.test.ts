import { expect } from 'chai';
import * as fc from 'fast-check';
import { deepMerge, type MergePath } from '../../src/json/deep-merge.js';
import { parseJson } from '../../src/json/parse.js';
import { stringifyJson } from '../../src/json/stringify.js';
import {
  exactTokens,
  type Model,
  compact,
  modelArbitrary,
  spell,
  withoutRepeatedKeys,
} from './json-arbitrary.js';

const merge = (base: string, patch: string, mergePaths: readonly MergePath[] = []): string =>
  stringifyJson(deepMerge(parseJson(base), parseJson(patch), { mergePaths }));

const droppedKeys = new Set(['__proto__', 'constructor', 'prototype']);

const mergeWithout = (base: string, patch: string): string =>
  stringifyJson(deepMerge(parseJson(base), parseJson(patch), { droppedKeys }));

const textArbitrary = modelArbitrary.map((model) => spell(model, compact));

describe('json/deep-merge', () => {
  it('merges objects by key at every depth, old keys first', () => {
    expect(merge('{"a":{"x":1,"y":{"z":2}},"b":1}', '{"c":3,"a":{"y":{"w":4},"x":5}}')).to.equal(
      '{"a":{"x":5,"y":{"z":2,"w":4}},"b":1,"c":3}',
    );
  });

  it('replaces arrays and scalars, and takes null as a value', () => {
    expect(merge('{"a":[1,2],"b":{"c":1},"d":1}', '{"a":[3],"b":null,"d":{"e":1}}')).to.equal(
      '{"a":[3],"b":null,"d":{"e":1}}',
    );
    expect(merge('{"a":1}', '[1]')).to.equal('[1]');
    expect(merge('[1]', '{"a":1}')).to.equal('{"a":1}');
  });

  it('takes __proto__, constructor and prototype as keys like any other', () => {
    const patch = '{"__proto__":{"p":1},"a":{"constructor":{"p":1},"prototype":1},"toString":2}';
    expect(merge('{"a":{"x":1}}', patch)).to.equal(
      '{"a":{"x":1,"constructor":{"p":1},"prototype":1},"__proto__":{"p":1},"toString":2}',
    );
    expect(merge(patch, '{"__proto__":{"q":1e400},"a":{"constructor":{"q":2}}}')).to.equal(
      '{"__proto__":{"p":1,"q":1e400},"a":{"constructor":{"p":1,"q":2},"prototype":1},"toString":2}',
    );
    expect(({} as { p?: number }).p).to.equal(undefined);
    expect(typeof {}.toString).to.equal('function');
  });

  it('leaves dropped keys out at any depth', () => {
    const patch =
      '{"__proto__":{"p":1},"a":{"constructor":{"p":1},"new":{"prototype":1,"ok":1}},"prototype":1}';
    expect(mergeWithout('{"a":{"x":1}}', patch)).to.equal('{"a":{"x":1,"new":{"ok":1}}}');
    expect(mergeWithout('{"a":{"x":1e400}}', patch)).to.equal('{"a":{"x":1e400,"new":{"ok":1}}}');
    expect(mergeWithout('{"__proto__":1}', '{"__proto__":2,"a":1}')).to.equal(
      '{"__proto__":1,"a":1}',
    );
    expect(({} as { p?: number }).p).to.equal(undefined);
  });

  it('keeps such keys in arrays, which are replaced as they are', () => {
    expect(mergeWithout('{"a":[]}', '{"a":[{"constructor":1}]}')).to.equal(
      '{"a":[{"constructor":1}]}',
    );
  });

  it('does not descend below merge paths', () => {
    const base = '{"a":{"b":{"x":1},"c":{"x":1}},"d":{"b":{"x":1}}}';
    const patch = '{"a":{"b":{"y":2},"c":{"y":2}},"d":{"b":{"y":2}}}';
    expect(merge(base, patch, [['a', 'b']])).to.equal(
      '{"a":{"b":{"y":2},"c":{"x":1,"y":2}},"d":{"b":{"x":1,"y":2}}}',
    );
    expect(merge(base, patch, [['a'], ['d', 'nowhere']])).to.equal(
      '{"a":{"b":{"y":2},"c":{"y":2}},"d":{"b":{"x":1,"y":2}}}',
    );
    expect(merge(base, patch, [[]])).to.equal(patch);
  });

  it('reads each name of a merge path once, however deep and wide the patch is', () => {
    const path = Array.from({ length: 50 }, () => 'a');
    let reads = 0;
    const counted = new Proxy<MergePath>([...path, 'b'], {
      get: (target, key) => {
        if (typeof key === 'string' && /^\d+$/.test(key)) reads += 1;
        return Reflect.get(target, key) as unknown;
      },
    });
    const wide = Array.from({ length: 20 }, (_, n) => `"k${n}":${n}`).join();
    const nested = (inner: string) =>
      path.reduce((below) => `{"a":${below},${wide}}`, `{"b":${inner}}`);
    expect(merge(nested('{"x":1}'), nested('{"y":2}'), [counted])).to.equal(nested('{"y":2}'));
    expect(merge(nested('{"x":1}'), nested('{"y":2}'))).to.equal(nested('{"x":1,"y":2}'));
    expect(reads).to.equal(counted.length);
  });

  it('keeps exact numbers and the order of integer keys of both sides', () => {
    expect(merge('{"b":1,"n":1e400}', '{"10":2,"m":12345678901234567890}')).to.equal(
      '{"b":1,"n":1e400,"10":2,"m":12345678901234567890}',
    );
    expect(merge('{"b":1}', '{"10":2,"2":3}')).to.equal('{"b":1,"10":2,"2":3}');
  });

  it('obeys the laws of a merge', () => {
    fc.assert(
      fc.property(textArbitrary, textArbitrary, (a, b) => {
        const printed = stringifyJson(parseJson(a));
        expect(merge(a, a)).to.equal(printed);
        expect(merge('{}', a)).to.equal(printed);
        expect(merge(a, '{}')).to.equal(a.startsWith('{') ? printed : '{}');
        expect(merge(a, b, [[]])).to.equal(stringifyJson(parseJson(b)));
        expect(merge(merge(a, b), b)).to.equal(merge(a, b));
      }),
      { numRuns: 300 },
    );
  });

  it('agrees with a merge of the documents as they are written', () => {
    fc.assert(
      fc.property(modelArbitrary, modelArbitrary, (base, patch) => {
        const left = withoutRepeatedKeys(base);
        const right = withoutRepeatedKeys(patch);
        const merged = merge(spell(left, compact), spell(right, compact));
        expect(exactTokens(merged)).to.deep.equal(
          exactTokens(spell(naiveMerge(left, right), compact)),
        );
      }),
      { numRuns: 500 },
    );
  });
});

function naiveMerge(base: Model, patch: Model): Model {
  if (patch.kind !== 'object') return patch;
  const members: [string, Model][] = base.kind === 'object' ? base.members.map((m) => [...m]) : [];
  for (const [name, value] of patch.members) {
    const old = members.find((member) => member[0] === name);
    if (old === undefined) members.push([name, naiveMerge({ kind: 'object', members: [] }, value)]);
    else old[1] = naiveMerge(old[1], value);
  }
  return { kind: 'object', members };
}
