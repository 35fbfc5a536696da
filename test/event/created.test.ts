import { expect } from 'chai';
import { parseCreated } from '../../src/event/created.js';

describe('event/created', () => {
  const accepted: Readonly<Record<string, bigint>> = {
    '1970-01-01T00:00:00Z': 0n,
    '1970-01-01T00:00:00.123456789Z': 123_456n,
    '1970-01-01T00:00:00.5Z': 500_000n,
    '1969-12-31T23:59:59.999999Z': -1n,
    '1970-01-01T02:00:00+02:00': 0n,
    '1970-01-01T02:00:00+0200': 0n,
    '1969-12-31T16:30:00-0730': 0n,
    '1969-12-31 19:00:00.000001-05': 1n,
    '1970-01-01t00:01z': 60_000_000n,
    '1970-01-01T00:00:01': 1_000_000n,
    '1970-01-02': 86_400_000_000n,
    '2024-02-29T00:00:00Z': 1_709_164_800_000_000n,
  };
  for (const [text, micros] of Object.entries(accepted)) {
    it(`reads ${text}`, () => expect(parseCreated(text)).to.equal(micros));
  }

  const refused = [
    '',
    'yesterday',
    '1700000000',
    '2023-02-29T00:00:00Z',
    '2024-02-30T00:00:00Z',
    '2024-13-01T00:00:00Z',
    '2024-01-01T24:00:00Z',
    '2024-01-01T23:60:00Z',
    '2024-01-01T00:00:00.Z',
    '2024-01-01T00:00:00+25:00',
    '2024-01-01T00:00:00Z and more',
  ];
  for (const text of refused) {
    it(`does not take ${JSON.stringify(text)}`, () => expect(parseCreated(text)).to.equal(null));
  }
});
