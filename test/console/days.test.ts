// The days of the activity of projects are those of the server.
import { expect } from 'chai';
import { dayStarts } from '../../src/console/screens/home/days.js';

const setZone = (name: string | undefined) => {
  if (name === undefined) delete process.env['TZ'];
  else process.env['TZ'] = name;
};

const startsAt = (name: string, days: number, now: string): readonly string[] => {
  setZone(name);
  return dayStarts(days, new Date(now)).map((start) => new Date(start).toISOString());
};

describe('the days of activity', () => {
  const zone = process.env['TZ'];
  afterEach(() => setZone(zone));

  it('begin at the present offset from UTC, also before a change of the clocks', () => {
    expect(
      startsAt('Europe/Berlin', 10, '2026-11-01T11:00:00Z').filter((_, index) => index % 3 === 0),
    ).to.deep.equal([
      '2026-10-22T23:00:00.000Z',
      '2026-10-25T23:00:00.000Z',
      '2026-10-28T23:00:00.000Z',
      '2026-10-31T23:00:00.000Z',
    ]);
    expect(startsAt('America/New_York', 2, '2026-03-08T16:00:00Z')).to.deep.equal([
      '2026-03-07T04:00:00.000Z',
      '2026-03-08T04:00:00.000Z',
    ]);
  });

  it('end with the day that it is', () => {
    expect(startsAt('UTC', 1, '2026-01-02T00:00:00Z')).to.deep.equal(['2026-01-02T00:00:00.000Z']);
    expect(startsAt('UTC', 1, '2026-01-02T23:59:59Z')).to.deep.equal(['2026-01-02T00:00:00.000Z']);
    expect(startsAt('Asia/Tokyo', 1, '2026-01-02T14:00:00Z')).to.deep.equal([
      '2026-01-01T15:00:00.000Z',
    ]);
    expect(startsAt('Asia/Tokyo', 1, '2026-01-02T16:00:00Z')).to.deep.equal([
      '2026-01-02T15:00:00.000Z',
    ]);
  });
});
