// Many paths of a JSON text are read with one call, and kinds of values are planned once per column.
import { expect } from 'chai';
import { sql, toStatement } from '../../src/duckdb/sql.js';
import { kindCounts } from '../../src/query/sql/output.js';
import { compile } from './golden-file.js';

const branch = { name: 'buffer', rows: sql`buffer`, hasLossless: false, paths: null };

function textOf(names: readonly string[]): string {
  const list = names.map((name) => `metadata.${name}`).join(', ');
  return toStatement(
    compile(`select: ${list} | from: experiment('e')`, { branches: [branch] }).rows,
  ).text;
}

const extractions = (text: string): number => text.split('json_extract(').length - 1;

const named = (count: number) => Array.from({ length: count }, (_, index) => `p${index}`);

describe('many paths of a column', () => {
  it('are read with one call', () => {
    expect(extractions(textOf(named(900)))).to.equal(1);
  });

  it('are read one by one if they are few', () => {
    expect(extractions(textOf(named(15)))).to.equal(15);
  });

  it('leave those that need several calls to their own', () => {
    expect(extractions(textOf([...named(900), '"*".a']))).to.equal(3);
  });

  it('have SQL for their kinds that reads each as often as that of one', () => {
    const column = { name: 'p', type: 'json' } as const;
    const { text } = toStatement(kindCounts([column], sql`rows`));
    // The engine copies the operand of a CASE to each of its WHENs.
    expect(text).not.to.match(/CASE CASE/);
  });
});
