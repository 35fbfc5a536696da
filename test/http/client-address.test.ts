// Whose address the limits apply to behind a proxy. The tests connect from 127.0.0.1.
import { expect } from 'chai';
import type { RequestContext } from '../../src/http/state.js';
import { noteAddress } from '../../src/http/client-address.js';
import { sharedServer, type TestServer } from '../support/start-server.js';

const statusFor = async (server: TestServer, forwarded: string, key = 'wrong') => {
  const headers = { 'X-Forwarded-For': forwarded };
  return (await server.request('GET', '/ping', undefined, { key, headers })).status;
};
const attack = async (server: TestServer, forwarded: (n: number) => string) => {
  const statuses = [];
  for (let n = 0; n < 4; n += 1) statuses.push(await statusFor(server, forwarded(n)));
  return statuses;
};

describe('the address of a client', () => {
  const proxies = '127.0.0.1, 10.0.0.0/8, fd00::/8';

  const addressOf = (ip: string, forwarded: string, trustedProxies: string | null = proxies) => {
    const request = { ip, get: () => forwarded };
    noteAddress({ trustedProxies })({ request } as unknown as RequestContext);
    return request.ip;
  };

  for (const [what, ip, forwarded, address] of [
    ['of its connection without a header', '127.0.0.1', '', '127.0.0.1'],
    ['what a trusted proxy reports', '127.0.0.1', '192.0.2.1', '192.0.2.1'],
    ['the last one that is not trusted', '127.0.0.1', '8.8.8.8, 192.0.2.1,10.1.2.3', '192.0.2.1'],
    ['the first one if all are trusted', 'fd00::1', '10.0.0.2, 10.0.0.1', '10.0.0.2'],
    ['of its connection, if that is not trusted', '192.0.2.9', '192.0.2.1', '192.0.2.9'],
    ['IPv4 on a socket for both', '::ffff:10.0.0.1', '::FFFF:192.0.2.1', '192.0.2.1'],
    ['IPv4 in hexadecimal groups', '127.0.0.1', '::ffff:C000:201', '192.0.2.1'],
    ['an IPv6 network of 64 bits', '127.0.0.1', '2001:DB8::A:b:c:D', '2001:db8:0:0::/64'],
    ['one network in other spellings', '127.0.0.1', '2001:0db8:0::1', '2001:db8:0:0::/64'],
    ['the network of the connection', '2001:db8:1:2:3:4:5:6', '', '2001:db8:1:2::/64'],
    ['a network that begins with zeros', '::1', '', '0:0:0:0::/64'],
    ['a network without the zone', 'fe80::1%eth0', '', 'fe80:0:0:0::/64'],
    ['an IPv4 address with a port', '127.0.0.1', '192.0.2.1:1234,10.0.0.1:80', '192.0.2.1'],
    ['an IPv6 network with a port', '127.0.0.1', '[2001:db8::1]:443', '2001:db8:0:0::/64'],
    ['an IPv6 network in brackets', '127.0.0.1', '[2001:db8::1]', '2001:db8:0:0::/64'],
    ['behind a proxy with a zone', 'fd00::1%eth0', '192.0.2.1', '192.0.2.1'],
    ['that of the proxy which reports none', '127.0.0.1', '192.0.2.1, unknown', '127.0.0.1'],
    ['that of the proxy which reports a text', '127.0.0.1', '192.0.2.1, x, 10.0.0.1', '10.0.0.1'],
  ] as const)
    it(`is ${what}`, () => {
      expect(addressOf(ip, forwarded)).to.equal(address);
    });

  it('is that of its connection without trusted proxies', () => {
    expect(addressOf('127.0.0.1', '192.0.2.1', null)).to.equal('127.0.0.1');
    expect(addressOf('2001:db8::1', '192.0.2.1', null)).to.equal('2001:db8:0:0::/64');
  });
});

describe('invalid keys behind a proxy', () => {
  const EVALSTORE_WRONG_KEYS = '3';
  const direct = sharedServer({ environment: { EVALSTORE_WRONG_KEYS } });
  const behind = sharedServer({
    environment: { EVALSTORE_WRONG_KEYS, EVALSTORE_TRUSTED_PROXIES: '127.0.0.0/8' },
  });

  it('lock out their address alone', async () => {
    expect(await attack(behind(), (n) => `203.0.113.${n}, 192.0.2.1`)).to.deep.equal([
      401, 401, 401, 429,
    ]);
    expect(await statusFor(behind(), '192.0.2.1', behind().key)).to.equal(429);
    expect(await statusFor(behind(), '192.0.2.2', behind().key)).to.equal(200);
    expect(await statusFor(behind(), '192.0.2.2')).to.equal(401);
  });

  it('are counted for 64 bits of IPv6', async () => {
    expect(await attack(behind(), (n) => `2001:db8:0:1::${n}`)).to.deep.equal([401, 401, 401, 429]);
    expect(await statusFor(behind(), '2001:db8:0:2::1')).to.equal(401);
  });

  it('are counted by the address of the connection when the header is not trusted', async () => {
    expect(await attack(direct(), (n) => `192.0.2.${n}`)).to.deep.equal([401, 401, 401, 429]);
  });
});
