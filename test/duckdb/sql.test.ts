import { expect } from 'chai';
import { join, sql, toStatement } from '../../src/duckdb/sql.js';

describe('SQL fragments', () => {
  it('hold any number of parts', () => {
    const values = Array.from({ length: 200_000 }, (_, index) => sql`${index}`);
    const { text, values: parameters } = toStatement(sql`SELECT 1 WHERE 1 IN (${join(values)})`);
    expect(text).to.match(/^SELECT 1 WHERE 1 IN \(\$1, \$2, .*\$200000\)$/);
    expect(parameters).to.have.length(200_000);
  });
});
