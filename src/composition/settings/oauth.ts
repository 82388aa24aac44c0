import { address, oneOf, setting } from './setting.ts';

/** The authorization server. */
export const oauth = {
  authUrl: setting<string | null>(
    'AUTH_URL',
    address,
    null,
    'The public address of the authorization server, which is its OAuth issuer. Unset: that of `BASE_URL`.',
  ),
  oauthRegistration: setting<'open' | 'closed'>(
    'OAUTH_REGISTRATION',
    oneOf('open', 'closed'),
    'open',
    'Whether OAuth clients may register themselves; those that publish a metadata document need not.',
  ),
} as const;
