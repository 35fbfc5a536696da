import { expect } from 'chai';
import { sql } from '../../src/duckdb/sql.js';
import { utcTimestamp } from '../../src/query/value/literal-value.js';
import { parsedTimestamp } from '../../src/query/value/timestamp-text.js';
import { sharedEngine } from './fixture.js';

/** As constants of a query, and as strings in rows. */
const texts: readonly (readonly [string, string | null])[] = [
  ['2024-01-02', '2024-01-02T00:00:00.000000'],
  ['2024-01-02T03:04', '2024-01-02T03:04:00.000000'],
  ['2024-01-02 03:04:05', '2024-01-02T03:04:05.000000'],
  ['2024-01-02T03:04:05Z', '2024-01-02T03:04:05.000000'],
  ['2024-01-02T03:04:05.1Z', '2024-01-02T03:04:05.100000'],
  ['2024-01-02T03:04:05.123456789Z', '2024-01-02T03:04:05.123456'],
  ['2024-01-02T03:04:05+01:00', '2024-01-02T02:04:05.000000'],
  ['2024-01-02T03:04:05-0530', '2024-01-02T08:34:05.000000'],
  ['2024-01-02T03:04Z', '2024-01-02T03:04:00.000000'],
  ['2024-01-02T03:04+02', '2024-01-02T01:04:00.000000'],
  ['2024-02-29', '2024-02-29T00:00:00.000000'],
  ['1969-12-31T23:59:59.999999Z', '1969-12-31T23:59:59.999999'],
  ['2023-02-29', null],
  ['2024-13-01', null],
  ['2024-01-02T25:00', null],
  ['2024-01-02T03:60', null],
  ['2024-1-2', null],
  ['2024', '2024-01-01T00:00:00.000000'],
  ['2024-02', '2024-02-01T00:00:00.000000'],
  ['2024-13', null],
  ['2024-', null],
  ['202', null],
  ['2024T03:04', null],
  ['2024-05-01T23:59', '2024-05-01T23:59:00.000000'],
  ['2024-05-01T24:00:00', null],
  ['2024-05-01 24:00+01:00', null],
  ['9999-12-31T24:00:00', null],
  ['2024-01-02T03:04+23:59', '2024-01-01T03:05:00.000000'],
  ['2024-01-02T03:04+24:00', null],
  ['2024-01-02T03:04+01:60', null],
  ['0000-01-01', '0000-01-01T00:00:00.000000'],
  ['0000-01-01T01:00+01', '0000-01-01T00:00:00.000000'],
  ['0000-01-01T00:00:00+00:01', null],
  ['9999-12-31T23:59:59.999999Z', '9999-12-31T23:59:59.999999'],
  ['9999-12-31T22:59-01', '9999-12-31T23:59:00.000000'],
  ['9999-12-31T23:59:59-00:01', null],
  ['-1-12-31T23:00:00Z', null],
  ['-000001-12-31T23:00:00Z', null],
  ['-2024-01-01', null],
  ['10000-01-01T00:00:00Z', null],
  ['+010000-01-01T00:00:00Z', null],
  ['20240102', null],
  ['2024-01-02 UTC', null],
  ['infinity', null],
  ['epoch', null],
  ['', null],
];

describe('ISO 8601 in queries', () => {
  const engine = sharedEngine();

  for (const [text, instant] of texts) {
    it(`reads ${JSON.stringify(text)} as ${instant ?? 'nothing'}, in a query and in a row`, async () => {
      expect(utcTimestamp(text)).to.equal(instant);
      const parsed = parsedTimestamp(sql`x`);
      const [row] = await engine().all(
        sql`SELECT strftime(${parsed}, '%Y-%m-%dT%H:%M:%S.%f') AS t FROM (VALUES (${text})) AS v(x)`,
      );
      expect(row?.['t']).to.equal(instant);
    });
  }
});
