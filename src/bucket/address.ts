// Where objects are: the bucket and the prefix that an address names, and which services may be asked without encryption.
import { lookup } from 'node:dns/promises';
import { BlockList, isIPv6 } from 'node:net';

export interface BucketAddress {
  readonly bucket: string;
  /** Begins all keys; empty, or it ends with a slash. */
  readonly prefix: string;
}

const form = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/+|\/(.*?[^/])\/*)?$/;

/** Null unless the text is `s3://bucket` or `s3://bucket/prefix`. */
export function bucketAddress(text: string): BucketAddress | null {
  const found = form.exec(text);
  if (found === null) return null;
  const [, bucket = '', prefix = ''] = found;
  return { bucket, prefix: prefix === '' ? '' : `${prefix}/` };
}

/** Loopback, private and link-local addresses: their packets do not leave the network. */
const ownNetworks = new BlockList();
for (const [network, bits] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
] as const)
  ownNetworks.addSubnet(network, bits);
ownNetworks.addAddress('::1', 'ipv6');
for (const [network, bits] of [
  ['fc00::', 7],
  ['fe80::', 10],
] as const)
  ownNetworks.addSubnet(network, bits, 'ipv6');

/** Whether all addresses of the host are in the own network. @throws Error if the name is unknown */
export async function isInOwnNetwork(host: string): Promise<boolean> {
  const found = await lookup(host.replace(/^\[(.*)\]$/, '$1'), { all: true });
  return found.every(({ address }) =>
    ownNetworks.check(address, isIPv6(address) ? 'ipv6' : 'ipv4'),
  );
}
