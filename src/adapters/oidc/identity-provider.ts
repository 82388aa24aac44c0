import type { IdentityProvider } from '../../application/ports/identity-provider.ts';
import type { OpenIdConnectSettings } from './provider.ts';

/** The first sign-in loads the libraries: most processes never see one. */
export const identityProvider = (settings: OpenIdConnectSettings): IdentityProvider => {
  let opened: Promise<IdentityProvider> | null = null;
  const open = () => {
    opened ??= import('./provider.ts').then(({ openIdConnect }) => openIdConnect(settings));
    return opened;
  };
  return {
    begin: async (maxAgeSeconds) => (await open()).begin(maxAgeSeconds),
    finish: async (query, pending) => (await open()).finish(query, pending),
    ended: async (logoutToken) => (await open()).ended(logoutToken),
    examine: async () => (await open()).examine(),
  };
};
