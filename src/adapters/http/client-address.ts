import { isIP } from 'node:net';

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** The first 64 bits of an IPv6 address, which is the share of one customer of a network. */
const network = (address: string): string => {
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros =
    tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0');
  const groups = [...left, ...zeros, ...right].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
};

/** The key under which requests without a credential are counted: an IPv6 network counts as one client. */
export const clientKey = (address: string): string => {
  const plain = MAPPED.exec(address)?.[1] ?? address;
  const version = isIP(plain);
  if (version === 6) return network(plain);
  return version === 4 ? plain : 'unknown';
};
