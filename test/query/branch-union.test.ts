// Segments that a query reads with one scan.
import { expect } from 'chai';
import { sql, toStatement } from '../../src/duckdb/sql.js';
import {
  pathKey,
  type EventBranch,
  type LeafColumns,
  type BranchScan,
} from '../../src/schema/event-relation.js';
import { compile } from './golden-file.js';

const none: LeafColumns = { number: null, string: null, boolean: null, elsewhere: null };

function segment(
  name: string,
  x: Partial<LeafColumns>,
  parts: Partial<BranchScan> = {},
): EventBranch {
  const rows = sql`${name}`;
  const leaves = new Map([[pathKey(['x']), { ...none, ...x }]]);
  return {
    name,
    rows,
    parts: {
      rows,
      from: sql`wide`,
      narrow: sql`narrow`,
      files: { from: `${name}.parquet`, narrow: `${name}.narrow` },
      conditions: [],
      ...parts,
    },
    hasLossless: false,
    paths: { scores: { leaves, textPaths: new Set(), complete: true } },
  };
}

const statementOf = (query: string, ...branches: readonly EventBranch[]) =>
  toStatement(compile(`${query} | from: experiment('e')`, { branches }).rows);

const number = { number: 'scores/x' };

describe('segments that differ by their files alone', () => {
  it('are scanned together', () => {
    const { text, values } = statementOf(
      'measures: sum(scores.x)',
      segment('1', number),
      segment('2', number),
      segment('3', number),
    );
    expect(values).to.deep.include(['1.narrow', '2.narrow', '3.narrow']);
    expect(text).to.include(
      '(SELECT "scores/x" AS f0 FROM read_parquet($1, hive_partitioning = false) b)',
    );
  });

  it('are scanned together for their text, too', () => {
    const { values } = statementOf(
      'measures: max(input)',
      segment('1', number),
      segment('2', number),
    );
    expect(values).to.deep.include(['1.parquet', '2.parquet']);
  });

  const different: Readonly<Record<string, EventBranch>> = {
    'hold values of another type': segment('2', { string: 'scores/x' }),
    'have rows that were superseded': segment('2', number, { files: null }),
    'are read under a condition': segment('2', number, { conditions: [sql`NOT _deleted`] }),
    'hold no such value': { ...segment('2', number), paths: {} },
  };
  for (const [difference, other] of Object.entries(different))
    it(`are scanned apart from those that ${difference}`, () => {
      const { values } = statementOf('measures: max(scores.x)', segment('1', number), other);
      expect(values.filter(Array.isArray)).to.deep.equal([]);
    });

  it('are scanned apart for rows in an order', () => {
    const { values } = statementOf('select: id', segment('1', number), segment('2', number));
    expect(values.filter(Array.isArray)).to.deep.equal([]);
  });

  it('are one by one when there is one', () => {
    const { text } = statementOf('measures: sum(scores.x)', segment('1', number));
    expect(text).to.include('FROM narrow');
  });
});
