// The address by which limits group requests: an IPv4 address, or the first 64 bits of an IPv6 address. It is that of the
// connection or, behind trusted proxies, the one that they report.
import { isIP, isIPv4, isIPv6, SocketAddress } from 'node:net';
import { LRUCache } from 'lru-cache';
import { type Config } from '../config.js';
import { addressList } from '../settings.js';
import type { Step } from './state.js';

/** The form of an IPv4 address on a socket that also takes IPv6. */
const mapped = /^::ffff:(?=[\d.]+$)/;

const zone = /%.*/;

/** Some proxies report the port, too. */
const withPort = /^(?:([\d.]+)|\[([^\]]+)\])(?::\d+)?$/;

/** The canonical form of an address; other texts stay. */
function parse(given: string): string {
  const address = given.trim().replace(withPort, '$1$2').replace(zone, '');
  if (!isIPv6(address)) return address;
  return new SocketAddress({ address, family: 'ipv6' }).address.replace(mapped, '');
}

/** A cache, since parsing takes 10 µs and most requests come from a few addresses. */
const parsed = new LRUCache<string, string>({ max: 1000, memoMethod: parse });

const cachedLengthMax = 100;

const canonical = (given: string): string =>
  given.length > cachedLengthMax ? parse(given) : parsed.memo(given);

const groupsOf = (part: string): readonly string[] => (part === '' ? [] : part.split(':'));

/** The first 64 bits of a canonical IPv6 address, since a client has all addresses that begin with them; others stay. */
function counted(address: string): string {
  if (!address.includes(':') || !isIPv6(address)) return address;
  const [head = [], tail = []] = address.split('::').map(groupsOf);
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  return `${[...head, ...zeros, ...tail].slice(0, 4).join(':')}::/64`;
}

/**
 * Each proxy appends the address from which it got the request, so the header is read from its end: what stands before an address
 * that is not trusted may be invented.
 */
export function noteAddress({ trustedProxies }: Pick<Config, 'trustedProxies'>): Step {
  const trusted = trustedProxies === null ? null : addressList(trustedProxies);
  const isTrusted = (address: string): boolean =>
    trusted !== null &&
    isIP(address) !== 0 &&
    trusted.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
  return ({ request }) => {
    let address = canonical(request.ip);
    const forwarded = trusted === null ? [] : request.get('x-forwarded-for').split(',');
    while (isTrusted(address)) {
      const before = canonical(forwarded.pop() ?? '');
      if (isIP(before) === 0) break;
      address = before;
    }
    request.ip = counted(address);
  };
}
