// The address of a client, for the limits: that of its connection or, behind trusted proxies, the one that they report.
import { isIP, isIPv4 } from 'node:net';
import { addressList, type Config } from '../config.js';
import type { Step } from './state.js';

/** The form of an IPv4 address on a socket that also takes IPv6. */
const mapped = /^::ffff:(?=[\d.]+$)/i;

const plain = (address: string): string => address.trim().replace(mapped, '');

/**
 * Each proxy appends the address from which it got the request, so the header is read from its end: what stands before an address
 * that is not trusted may be invented.
 */
export function noteAddress({ trustedProxies }: Pick<Config, 'trustedProxies'>): Step {
  const trusted = trustedProxies === null ? null : addressList(trustedProxies);
  if (trusted === null) return () => {};
  const isTrusted = (address: string): boolean =>
    isIP(address) !== 0 && trusted.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
  return ({ request }) => {
    const forwarded = request.get('x-forwarded-for').split(',').map(plain);
    let address = plain(request.ip);
    while (isTrusted(address)) {
      const before = forwarded.pop();
      if (before === undefined || isIP(before) === 0) break;
      address = before;
    }
    request.ip = address;
  };
}
