// Every value of some rows, as their text has it, against what their leaf columns give.
import { expect } from 'chai';
import type { Row } from '../../src/duckdb/rows.js';
import { parseJson } from '../../src/json/parse.js';
import { stringifyJson } from '../../src/json/stringify.js';
import type { JsonValue } from '../../src/json/json.js';
import { doubleHolds, isJsonObject, membersOf } from '../../src/json/tree.js';
import type { JsonColumn } from '../../src/schema/event-columns.js';
import {
  pathStorage,
  type LeafColumns,
  type SegmentPaths,
} from '../../src/schema/event-relation.js';
import { listedColumns } from '../../src/store/segment/leaf-selection.js';

interface Path {
  readonly column: JsonColumn;
  readonly steps: readonly string[];
}

/** The JSON text of every value of a row that keys alone lead to, by column and steps. */
function valuesOf(row: Row): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  const walk = (column: JsonColumn, steps: readonly string[], value: JsonValue): void => {
    if (steps.length > 0 && value !== null)
      values.set(JSON.stringify({ column, steps }), stringifyJson(value));
    if (isJsonObject(value))
      for (const [key, part] of membersOf(value)) walk(column, [...steps, key], part);
  };
  for (const column of listedColumns) {
    const text = row[column];
    if (typeof text === 'string') walk(column, [], parseJson(text));
  }
  return values;
}

/** The JSON text that the leaf columns give; undefined when it has to be read from the row's text. */
function leafText(row: Row, leaf: LeafColumns): string | null | undefined {
  const held = [leaf.number, leaf.string, leaf.boolean]
    .flatMap((name) => (name === null ? [] : [row[name]]))
    .filter((value) => value !== null);
  expect(held.length).to.be.lessThan(2);
  const elsewhere = leaf.elsewhere !== null && row[leaf.elsewhere] === true;
  if (!elsewhere) return held.length === 0 ? null : JSON.stringify(held[0]);
  expect(held).to.deep.equal([]);
  return undefined;
}

const isSame = (leaf: string | null, text: string | null): boolean =>
  leaf === text ||
  (leaf !== null &&
    text !== null &&
    /^[-\d]/.test(text) &&
    doubleHolds(text) &&
    Object.is(Number(leaf), Number(text)));

/** From where values came. */
export interface Counts {
  leaf: number;
  elsewhere: number;
  text: number;
}

/** Checks every path of the rows and every listed path; returns from where values came. */
export function checkPaths(rows: readonly Row[], paths: SegmentPaths): Counts {
  const counts = { leaf: 0, elsewhere: 0, text: 0 };
  const values = rows.map(valuesOf);
  const all = new Set(values.flatMap((of) => [...of.keys()]));
  for (const column of listedColumns)
    for (const key of paths[column]?.leaves.keys() ?? [])
      all.add(JSON.stringify({ column, steps: JSON.parse(key) as string[] }));
  for (const path of all) {
    const { column, steps } = JSON.parse(path) as Path;
    const storage = pathStorage(paths, column, steps);
    expect(storage, `${path} occurs`).not.to.equal('absent');
    if (storage === 'text') counts.text++;
    if (typeof storage === 'string') continue;
    for (const [index, row] of rows.entries()) {
      const text = values[index]?.get(path) ?? null;
      const leaf = leafText(row, storage);
      if (leaf === undefined) expect(text, `${path} elsewhere`).not.to.equal(null);
      else expect(isSame(leaf, text), `${path}: leaf ${leaf}, text ${text}`).to.equal(true);
      if (text !== null) counts[leaf === undefined ? 'elsewhere' : 'leaf']++;
    }
  }
  return counts;
}
