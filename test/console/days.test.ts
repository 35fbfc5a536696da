// The days of the activity of projects are those of the calendar.
import { expect } from 'chai';
import { dayStarts } from '../../src/console/screens/home/days.js';
import { inZone } from '../support/time-zone.js';

const startsAt = (name: string, days: number, now: string): readonly string[] =>
  inZone(name, () => dayStarts(days, new Date(now)).map((start) => new Date(start).toISOString()));

describe('the days of activity', () => {
  it('begin at local midnight, also before a change of the clocks', () => {
    expect(
      startsAt('Europe/Berlin', 10, '2026-11-01T11:00:00Z').filter((_, index) => index % 3 === 0),
    ).to.deep.equal([
      '2026-10-22T22:00:00.000Z',
      '2026-10-25T23:00:00.000Z',
      '2026-10-28T23:00:00.000Z',
      '2026-10-31T23:00:00.000Z',
    ]);
    expect(startsAt('America/New_York', 2, '2026-03-08T16:00:00Z')).to.deep.equal([
      '2026-03-07T05:00:00.000Z',
      '2026-03-08T05:00:00.000Z',
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
