import type { Context } from './context.ts';

const ONE_YEAR = 'max-age=31536000';

/**
 * Lets browsers use TLS from now on (RFC 6797) where the public address has it, but not on a connection of which a proxy says
 * that it has none.
 */
export const requireTls = ({ res, headers }: Context, address: string): void => {
  if (address.startsWith('https:') && headers['x-forwarded-proto'] !== 'http') res.setHeader('Strict-Transport-Security', ONE_YEAR);
  else res.removeHeader('Strict-Transport-Security');
};
