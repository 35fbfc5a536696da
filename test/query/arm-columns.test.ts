// How often the SELECTs of the arms are generated: a query can have a thousand columns and dozens of arms.
import { expect } from 'chai';
import { sql, toStatement } from '../../src/duckdb/sql.js';
import { pathKey, type EventArm } from '../../src/schema/event-relation.js';
import { compile } from './golden-file.js';

const query = "select: metadata.a, metadata.b | from: experiment('e') | limit: 5";

const arm = (name: string, number: string): EventArm => {
  const leaf = { number, string: null, boolean: null, elsewhere: null };
  const leaves = new Map(['a', 'b'].map((path) => [pathKey([path]), leaf]));
  return {
    name,
    rows: sql`${name}`,
    hasLossless: false,
    paths: { metadata: { leaves, textPaths: new Set(), complete: true } },
  };
};

describe('the arms of a query', () => {
  it('are generated once for all of its SELECTs', () => {
    let reads = 0;
    const counted = Object.defineProperty({ ...arm('counted', 'leaf') }, 'rows', {
      get: () => {
        reads += 1;
        return sql`counted`;
      },
    });
    const { rows, page } = compile(query, { arms: [counted] });
    expect(toStatement(rows).text).to.include('FROM counted');
    expect(toStatement(page!.valueRows).text).to.include('FROM counted');
    expect(reads).to.equal(1);
  });

  it('share the SQL of a path only if they store it alike', () => {
    const arms = [arm('1', 'leaf'), arm('2', 'leaf'), arm('3', 'other leaf')];
    const { text } = toStatement(compile(query, { arms }).rows);
    const reads = text.split(' UNION ALL ').map((select) => select.includes('"other leaf"'));
    expect(reads).to.deep.equal([false, false, true]);
  });
});
