import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** What an address is used for, if it is not on the public internet. */
export type AddressClass =
  | 'unspecified'
  | 'loopback'
  | 'private'
  | 'shared'
  | 'link-local'
  | 'multicast'
  | 'documentation'
  | 'transition'
  | 'reserved';

/** From the IANA special-purpose registries. `reserved` also has the address at which Azure serves its virtual machines. */
const blocks: Readonly<Record<AddressClass, readonly string[]>> = {
  unspecified: ['0.0.0.0/8', '::/128'],
  loopback: ['127.0.0.0/8', '::1/128'],
  private: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7', 'fec0::/10'],
  shared: ['100.64.0.0/10'],
  'link-local': ['169.254.0.0/16', 'fe80::/10'],
  multicast: ['224.0.0.0/4', 'ff00::/8'],
  documentation: ['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '2001:db8::/32', '3fff::/20'],
  transition: ['192.88.99.0/24', '2001::/32', '2002::/16', '64:ff9b:1::/48'],
  reserved: ['192.0.0.0/24', '198.18.0.0/15', '168.63.129.16/32', '240.0.0.0/4', '2001::/23'],
};

const listOf = (ranges: readonly string[]) => {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', bits] = range.split('/');
    list.addSubnet(network, Number(bits), isIPv4(network) ? 'ipv4' : 'ipv6');
  }
  return list;
};

const lists = Object.entries(blocks).map(([name, ranges]) => [name as AddressClass, listOf(ranges)] as const);
/** The part of IPv6 that is assigned for the internet; the rest is reserved. */
const globalUnicast = listOf(['2000::/3']);

const groupsOf = (address: string): readonly number[] => {
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [before = [], after = []] = canonical.split('::').map((half) => half.split(':').filter((group) => group !== ''));
  const zeros = canonical.includes('::') ? 8 - before.length - after.length : 0;
  return [...before, ...Array<string>(zeros).fill('0'), ...after].map((group) => Number.parseInt(group, 16));
};

/** The 96-bit prefixes of IPv6 addresses that contain an IPv4 address: mapped, translated, compatible, NAT64. */
const embeddings = ['0:0:0:0:0:ffff', '0:0:0:0:ffff:0', '0:0:0:0:0:0', '64:ff9b:0:0:0:0'];

const embeddedIPv4 = (address: string): string | null => {
  const groups = groupsOf(address);
  const prefix = groups.slice(0, 6).map((group) => group.toString(16));
  const [high = 0, low = 0] = groups.slice(6);
  if (!embeddings.includes(prefix.join(':')) || (prefix.every((group) => group === '0') && high === 0 && low <= 1)) return null;
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
};

const classIn = (address: string, family: 'ipv4' | 'ipv6') => lists.find(([, list]) => list.check(address, family))?.[0] ?? null;

/** null for an address on the public internet; `reserved` for a text that is not an address. */
export const classOf = (address: string): AddressClass | null => {
  if (isIPv4(address)) return classIn(address, 'ipv4');
  if (!isIPv6(address)) return 'reserved';
  // Only addresses on a link of this machine have a zone.
  if (address.includes('%')) return 'link-local';
  const inner = embeddedIPv4(address);
  if (inner !== null) return classIn(inner, 'ipv4');
  return classIn(address, 'ipv6') ?? (globalUnicast.check(address, 'ipv6') ? null : 'reserved');
};

/** Whether a host that the operator allows may have such an address. No service runs at the others. */
export const isPermissible = (kind: AddressClass): boolean => ['loopback', 'private', 'shared', 'link-local'].includes(kind);
