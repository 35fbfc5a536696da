// The conformance queries on a real cluster, and single faults that they have to find.
import { expect } from 'chai';
import { conformanceQueries, difference } from '../../src/query/trino/conformance.js';
import { sharedEngine } from '../query/fixture.js';
import { writeRecorded, type Recorded } from './recorded.js';
import { startTrino, type RunningTrino } from './running-trino.js';

/** Rules of the compiler, each by what its SQL has, and what it would have without the rule. */
const faults: readonly (readonly [string, RegExp, string])[] = [
  ['a pattern that ends at a last newline', /\\z'/g, "$'"],
  ['any text as a number', /regexp_like\(/g, 'TRUE OR regexp_like('],
  ['division by zero', /nullif\(/g, 'coalesce('],
  ['results that are not finite', /is_finite\(/g, 'NOT is_nan('],
  ['weeks and days in UTC', /date_add\('minute', -?300, /g, "date_add('minute', 0, "],
  [
    'times before the calendar',
    />= CAST\('0000-01-01 00:00:00'/g,
    ">= CAST('-0009-01-01 00:00:00'",
  ],
  ['nulls first', /NULLS LAST/g, 'NULLS FIRST'],
  ['values that repeat', /count\(DISTINCT /g, 'count('],
  ['letters beyond ASCII that ignore case', /\\212a\\017f/g, '\\00e4\\00f6'],
  ['wildcards of LIKE', /\\_/g, '_'],
  ['percentiles of unsorted numbers', /array_sort\(/g, '('],
  ['null-safe equality', /coalesce\(("\w+") = /g, 'nullif($1 = '],
  ['another kind in a list', /IN \(DOUBLE '0', DOUBLE '1e\+23'\)/g, "IN (DOUBLE '0')"],
  ['whole JSON text of strings', /json_extract_scalar\("output", '\$'\)/g, '"output"'],
];

describe('conformance on a cluster of two workers', () => {
  const engine = sharedEngine();
  let trino: RunningTrino;
  before(async () => {
    trino = await startTrino(18_781);
  });
  after(() => trino.stop());

  const expected = async (query: ReturnType<typeof conformanceQueries>[number]) =>
    (await engine().all(query.texts)).map((row) => String(row['row']));

  it('has the answers of DuckDB', async () => {
    const recorded: Recorded[] = [];
    for (const query of conformanceQueries()) {
      const { sql } = query.trino;
      const rows = await trino.rows(sql);
      expect(difference(query, await expected(query), rows)).to.equal(null);
      recorded.push({ name: query.name, sql, rows });
    }
    writeRecorded(recorded);
  });

  for (const [name, rule, without] of faults)
    it(`finds a fault: ${name}`, async () => {
      const found: unknown[] = [];
      for (const query of conformanceQueries()) {
        const sql = query.trino.sql.replaceAll(rule, without);
        if (sql === query.trino.sql) continue;
        const rows = await trino.rows(sql).catch((error: unknown) => [[error]]);
        found.push(difference(query, await expected(query), rows));
      }
      expect(found.some((each) => each !== null)).to.equal(true);
    });
});
