// How often the SELECTs of the branches are generated: a query can have a thousand columns and dozens of branches.
import { expect } from 'chai';
import { sql, toStatement } from '../../src/duckdb/sql.js';
import { pathKey, type EventBranch } from '../../src/schema/event-relation.js';
import { compile } from './golden-file.js';

const query = "select: metadata.a, metadata.b | from: experiment('e') | limit: 5";

const branch = (name: string, number: string): EventBranch => {
  const leaf = { number, string: null, boolean: null, elsewhere: null };
  const leaves = new Map(['a', 'b'].map((path) => [pathKey([path]), leaf]));
  return {
    name,
    rows: sql`${name}`,
    hasLossless: false,
    paths: { metadata: { leaves, textPaths: new Set(), complete: true } },
  };
};

describe('the branches of a query', () => {
  it('are generated once for all of its SELECTs', () => {
    let reads = 0;
    const counted = Object.defineProperty({ ...branch('counted', 'leaf') }, 'rows', {
      get: () => {
        reads += 1;
        return sql`counted`;
      },
    });
    const { rows, page } = compile(query, { branches: [counted] });
    expect(toStatement(rows).text).to.include('FROM counted');
    expect(toStatement(page!.valueRows).text).to.include('FROM counted');
    expect(reads).to.equal(1);
  });

  it('share the SQL of a path only if they store it alike', () => {
    const branches = [branch('1', 'leaf'), branch('2', 'leaf'), branch('3', 'other leaf')];
    const { text } = toStatement(compile(query, { branches }).rows);
    const reads = text.split(' UNION ALL ').map((select) => select.includes('"other leaf"'));
    expect(reads).to.deep.equal([false, false, true]);
  });
});
