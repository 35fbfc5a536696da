// The walk over the bytes of JSON objects finds the paths that a parser finds.
import { expect } from 'chai';
import * as fc from 'fast-check';
import { parseJson } from '../../src/json/parse.js';
import { stringifyJson } from '../../src/json/stringify.js';
import type { JsonValue } from '../../src/json/json.js';
import { isJsonObject, membersOf } from '../../src/json/tree.js';
import {
  addObject,
  emptyTree,
  pathsIn,
  type FoundPath,
} from '../../src/store/segment/path-tree.js';
import { objectTexts } from '../support/documents.js';

type Counts = Omit<FoundPath, 'steps'>;

const depthMax = 6;

/** By the JSON text of the steps. */
function pathsOf(texts: readonly string[]): ReadonlyMap<string, Counts> {
  const found = new Map<string, Counts>();
  const walk = (steps: readonly string[], value: JsonValue): void => {
    if (!isJsonObject(value) || steps.length === depthMax) return;
    for (const [key, part] of membersOf(value)) {
      const path = [...steps, key];
      const name = JSON.stringify(path);
      found.set(name, counted(found.get(name), stringifyJson(part)));
      walk(path, part);
    }
  };
  for (const text of texts) walk([], parseJson(text));
  return found;
}

function counted(before: Counts | undefined, text: string): Counts {
  const isString = text.startsWith('"');
  const isNumber = /^[-\d]/.test(text);
  const unfit = isString
    ? Buffer.byteLength(text) >= 258
    : isNumber && Math.abs(Number(text)) > Number.MAX_SAFE_INTEGER;
  const add = (count: keyof Counts, is: boolean) => (before?.[count] ?? 0) + Number(is);
  return {
    rows: add('rows', true),
    numbers: add('numbers', isNumber),
    strings: add('strings', isString),
    booleans: add('booleans', text === 'true' || text === 'false'),
    containers: add('containers', /^[[{]/.test(text)),
    unfit: add('unfit', unfit),
  };
}

function walked(...texts: readonly string[]) {
  const tree = emptyTree();
  for (const text of texts) addObject(tree, Buffer.from(`{${text}`), 1, false);
  const { paths, complete } = pathsIn(tree);
  const counts = paths.map(({ steps, ...rest }) => [JSON.stringify(steps), rest] as const);
  return { counts: new Map(counts), complete };
}

const nested = (depth: number, inner: string) =>
  `${'{"a":'.repeat(depth)}${inner}${'}'.repeat(depth)}`;

describe('the paths of JSON objects', () => {
  it('are those of a parser, with the types of their values', () => {
    const texts = objectTexts.map((text) => stringifyJson(parseJson(text)));
    const property = fc.property(fc.array(texts, { minLength: 1, maxLength: 8 }), (list) => {
      expect(walked(...list)).to.deep.equal({ counts: pathsOf(list), complete: true });
    });
    fc.assert(property, { numRuns: 300 });
  });

  it('are not looked for in arrays', () => {
    expect([...walked('{"a":[{"b":1},"}]",[{}]],"c":{}}').counts.keys()]).to.deep.equal([
      '["a"]',
      '["c"]',
    ]);
  });

  it('have six steps at most, and are not complete when there are longer ones', () => {
    expect(walked(nested(6, '1')).complete).to.equal(true);
    expect(walked(nested(6, '{}')).complete).to.equal(true);
    const deep = walked(nested(6, '{"b":1}'));
    expect(deep.complete).to.equal(false);
    expect(deep.counts.size).to.equal(6);
    expect(walked(nested(500, '"}"')).counts.size).to.equal(6);
  });

  it('are few, however many keys there are', () => {
    const texts = Array.from({ length: 300 }, (_, row) => {
      const own = Array.from({ length: 100 }, (__, index) => `"${row * 100 + index}":1`);
      return `{"common":1,${own.join()}}`;
    });
    const { counts, complete } = walked(...texts);
    expect(complete).to.equal(false);
    expect(counts.size).to.equal(2000);
    expect(counts.get('["common"]')?.rows).to.equal(300);
    const long = walked(
      ...Array.from({ length: 30 }, (_, row) => `{"${row}${'k'.repeat(50_000)}":1}`),
    );
    expect(long.complete).to.equal(false);
    expect(long.counts.size).to.be.lessThan(5);
  });
});
