// Units of time in named time zones: days and longer ones begin at local midnight, whatever the clocks do.
import { expect } from 'chai';
import * as fc from 'fast-check';
import { identifier, join, sql, type Sql } from '../../src/duckdb/sql.js';
import { bucket, midnightOf } from '../../src/query/value/time.js';
import { bucketUnits } from '../fuzz/expression.js';
import { bucketStart, instantAt, inYears } from '../fuzz/timestamps.js';
import { sharedEngine } from './fixture.js';

const zones = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/Havana',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Apia',
];

const day = 86_400_000_000n;

const micros = (time: string): bigint => BigInt(Date.parse(time)) * 1000n;
const [first, last] = [micros('0001-01-03T00:00Z'), micros('9999-12-29T00:00Z')];

/** Times of this century, in which clocks change, more often than others. */
const instant = fc.oneof(
  { weight: 4, arbitrary: fc.bigInt(micros('2000-01-01T00:00Z'), micros('2037-12-31T00:00Z')) },
  { weight: 1, arbitrary: fc.bigInt(micros('1890-01-01T00:00Z'), micros('2000-01-01T00:00Z')) },
  { weight: 1, arbitrary: fc.bigInt(first, last) },
);

/** The expressions that SQL and the model of the tests evaluate. */
const cases = fc.record({
  zone: fc.constantFrom(...zones),
  unit: fc.constantFrom(...bucketUnits),
  instant,
});

type Case = typeof cases extends fc.Arbitrary<infer T> ? T : never;

describe('time zones', () => {
  const engine = sharedEngine();

  const evaluate = async (expressions: readonly Sql[]): Promise<readonly unknown[]> => {
    const columns = expressions.map(
      (each, index) => sql`epoch_us(${each}) AS ${identifier(`c${index}`)}`,
    );
    const [row = {}] = await engine().all(sql`SELECT ${join(columns)}`);
    return expressions.map((_, index) => row[`c${index}`]);
  };

  const checkAll = (
    compiled: (each: Case) => Sql,
    expected: (each: Case) => bigint | null,
  ): Promise<void> =>
    fc.assert(
      fc.asyncProperty(fc.array(cases, { minLength: 1, maxLength: 50 }), async (list) => {
        expect(await evaluate(list.map(compiled))).to.deep.equal(list.map(expected));
      }),
      { numRuns: 30 },
    );

  it('cut times where the local unit begins', () =>
    checkAll(
      ({ zone, unit, instant: at }) =>
        bucket(unit, sql`make_timestamp(${at})`, { timeZone: zone }).form('timestamp'),
      ({ zone, unit, instant: at }) => bucketStart(unit, at, zone),
    ));

  it('give days without a time their local midnight', () =>
    checkAll(
      ({ zone, instant: at }) => midnightOf(sql`date_trunc('day', make_timestamp(${at}))`, zone),
      ({ zone, instant: at }) => inYears(instantAt(zone, at - (((at % day) + day) % day))),
    ));

  it('are known to the engine if a request may name them', async () => {
    const rows = await engine().all(sql`SELECT name FROM pg_timezone_names()`);
    const known = new Set(rows.map(({ name }) => name));
    expect(Intl.supportedValuesOf('timeZone').filter((name) => !known.has(name))).to.deep.equal([]);
  });
});
