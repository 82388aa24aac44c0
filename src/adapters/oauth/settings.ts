import type { AccountService } from '../../application/access/accounts.ts';
import type { RateLimiter } from '../../application/ports/limiter.ts';
import type { OAuthStore } from '../../application/ports/oauth.ts';
import type { Outbound } from '../../application/ports/outbound.ts';
import type { Clock, Ids, Log } from '../../application/ports/runtime.ts';
import type { Sealer } from '../../application/ports/secrets.ts';
import type { AgentRepository } from '../../application/ports/storage.ts';
import type { AgentResources } from './resources.ts';

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
  readonly accounts: AccountService;
  readonly agents: Pick<AgentRepository, 'findVisible' | 'listVisible'>;
  readonly store: OAuthStore;
  readonly outbound: Outbound;
  readonly sealer: Sealer;
  readonly limiter: RateLimiter;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly log: Log;
}
