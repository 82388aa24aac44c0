import { BlockList, isIP, isIPv4 } from 'node:net';

/** From the IANA special-purpose registries; the first class that fits counts. `reserved` also has the address of Azure's own services. */
const blocks = {
  loopback: ['127.0.0.0/8', '::1/128'],
  unspecified: ['0.0.0.0/8', '::/128'],
  private: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7', 'fec0::/10'],
  shared: ['100.64.0.0/10'],
  'link-local': ['169.254.0.0/16', 'fe80::/10'],
  multicast: ['224.0.0.0/4', 'ff00::/8'],
  documentation: ['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '2001:db8::/32', '3fff::/20'],
  transition: ['192.88.99.0/24', '2001::/32', '2002::/16', '64:ff9b:1::/48'],
  reserved: ['192.0.0.0/24', '198.18.0.0/15', '168.63.129.16/32', '240.0.0.0/4', '2001::/23'],
};

/** What an address is used for, if it is not on the public internet. */
export type AddressClass = keyof typeof blocks;

/** The 96-bit prefixes of IPv6 addresses that contain an IPv4 address: mapped, translated, compatible, NAT64. */
const embeddings = ['::ffff:', '::ffff:0:', '::', '64:ff9b::'];

const listOf = (ranges: readonly string[]) => {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', bits] = range.split('/');
    list.addSubnet(network, Number(bits), isIPv4(network) ? 'ipv4' : 'ipv6');
    if (isIPv4(network)) for (const prefix of embeddings) list.addSubnet(prefix + network, 96 + Number(bits), 'ipv6');
  }
  return list;
};

const lists = Object.entries(blocks).map(([name, ranges]) => [name as AddressClass, listOf(ranges)] as const);
/** All of IPv4, and the part of IPv6 that is assigned for the internet; the rest is reserved. */
const assigned = listOf(['0.0.0.0/0', '2000::/3']);

/** null for an address on the public internet; `reserved` for a text that is not an address. */
export const classOf = (address: string): AddressClass | null => {
  if (!isIP(address)) return 'reserved';
  // Only addresses on a link of this machine have a zone.
  if (address.includes('%')) return 'link-local';
  const family = isIPv4(address) ? 'ipv4' : 'ipv6';
  return (
    lists.find(([, list]) => list.check(address, family))?.[0] ?? (assigned.check(address, family) ? null : 'reserved')
  );
};

/** Whether a host that the operator allows may have such an address. No service runs at the others. */
export const isPermissible = (kind: AddressClass): boolean =>
  ['loopback', 'private', 'shared', 'link-local'].includes(kind);
