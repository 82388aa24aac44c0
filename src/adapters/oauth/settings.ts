import type { AccountService } from '../../application/access/accounts.ts';
import type { OrganisationService } from '../../application/access/organisation.ts';
import type { IdentityProvider } from '../../application/ports/identity-provider.ts';
import type { RateLimiter } from '../../application/ports/limiter.ts';
import type { OAuthStore } from '../../application/ports/oauth.ts';
import type { Outbound } from '../../application/ports/outbound.ts';
import type { Clock, Ids, Log } from '../../application/ports/runtime.ts';
import type { Sealer } from '../../application/ports/secrets.ts';
import type { AgentRepository } from '../../application/ports/storage.ts';
import type { AgentResources } from './resources.ts';

/** The organisation at which people sign in. */
export interface Organisation {
  /** The words on the button. */
  readonly name: string;
  readonly provider: IdentityProvider;
  readonly service: OrganisationService;
  /** How old a sign-in there may be, so that it proves that a person is there now. */
  readonly maxAgeSeconds: number;
}

export interface AuthorizationServerSettings {
  /** The public address of this server, which is also its issuer identifier. */
  readonly issuer: string;
  /** The address of the console, whose client the server knows without registration. */
  readonly console: string;
  /** The guide for developers. */
  readonly documentation: string;
  /** Whether clients may register themselves. */
  readonly registration: 'open' | 'closed';
  /** Whether clients may publish a document about themselves instead; `off` where the server cannot fetch any. */
  readonly clientDocuments: 'auto' | 'off';
  readonly resources: AgentResources;
  /** Every process with the same key serves the same clients and browsers. */
  readonly key: Uint8Array;
  /** What these signed is still believed. */
  readonly olderKeys: readonly Uint8Array[];
  readonly accounts: AccountService;
  /** Where people sign in besides here; null: nowhere. */
  readonly organisation: Organisation | null;
  /** Whether there is a form for passwords. */
  readonly passwords: boolean;
  readonly agents: Pick<AgentRepository, 'findVisible' | 'listVisible'>;
  readonly store: OAuthStore;
  readonly outbound: Outbound;
  readonly sealer: Sealer;
  readonly limiter: RateLimiter;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly log: Log;
}
