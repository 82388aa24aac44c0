import type * as Package from 'oidc-provider';
import * as helpers from 'oidc-provider/lib/helpers/errors.js';
import * as policy from 'oidc-provider/lib/helpers/interaction_policy/index.js';
import { Provider as Implementation } from 'oidc-provider/lib/provider.js';

// The entry of the package prints a warning on every Node that is not a long-term release yet; the modules behind it do not.
export type Provider = Package.Provider;
export const Provider: typeof Package.Provider = Implementation;
export const errors: typeof Package.errors = helpers;
export const interactionPolicy: typeof Package.interactionPolicy = policy;
