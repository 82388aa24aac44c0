import { hash } from 'node:crypto';
import { ContainerModule } from 'inversify';
import { signInLinks } from '../../adapters/oauth/sign-in-links.ts';
import { accountService } from '../../application/access/accounts.ts';
import { authenticationService } from '../../application/access/authentication.ts';
import { grantService } from '../../application/access/grants.ts';
import { keyService, ownKeyService } from '../../application/access/keys.ts';
import { operatedPeople } from '../../application/access/operated-people.ts';
import { organisationService } from '../../application/access/organisation.ts';
import { peopleService } from '../../application/access/people.ts';
import { profileService } from '../../application/access/profiles.ts';
import { auditService } from '../../application/audit/audit.ts';
import { presence } from '../../application/shared/presence.ts';
import { Config } from '../config.ts';
import { token } from '../module.ts';
import { RateLimiter } from './outside.ts';
import {
  AccessTokens,
  AccountRepository,
  AuditLog,
  DocumentRepository,
  KeyRepository,
  OAuthStore,
  PeopleRepository,
  SignInRepository,
  UserRepository,
  WorkspaceRepository,
} from './postgres.ts';
import { ApiKeys, Clock, CommonPasswords, Ids, Log, OAuthSecrets, OneTimeTokens, Passwords } from './system.ts';

export const AuthenticationService = token(authenticationService);
export const KeyService = token(keyService);
export const OwnKeyService = token(ownKeyService);
export const GrantService = token(grantService);
export const AccountService = token(accountService);
export const PeopleService = token(peopleService);
export const OrganisationService = token(organisationService);
export const SignInLinks = token(signInLinks);
export const OperatedPeople = token(operatedPeople);
export const AuditService = token(auditService);
export const ProfileService = token(profileService);
export const Presence = token(presence);

/** Who may. */
export const access = new ContainerModule(({ bind }) => {
  bind(AuthenticationService).toDynamicValue(({ get }) =>
    authenticationService({ apiKeys: get(ApiKeys), keys: get(KeyRepository), accessTokens: get(AccessTokens) }),
  );
  bind(KeyService).toDynamicValue(({ get }) =>
    keyService({
      users: get(UserRepository),
      keys: get(KeyRepository),
      apiKeys: get(ApiKeys),
      ids: get(Ids),
      clock: get(Clock),
    }),
  );
  bind(OwnKeyService).toDynamicValue(({ get }) =>
    ownKeyService({
      users: get(UserRepository),
      keys: get(KeyRepository),
      apiKeys: get(ApiKeys),
      ids: get(Ids),
      clock: get(Clock),
      log: get(Log),
    }),
  );
  bind(GrantService).toDynamicValue(({ get }) => grantService({ store: get(OAuthStore), log: get(Log) }));
  bind(AccountService).toDynamicValue(({ get }) => {
    const { authUrl } = get(Config);
    return accountService({
      accounts: get(AccountRepository),
      passwords: get(Passwords),
      commonPasswords: get(CommonPasswords),
      tokens: get(OneTimeTokens),
      limiter: get(RateLimiter),
      audit: get(AuditLog),
      clock: get(Clock),
      settings: get(Config),
      links: { invitation: (link) => `${authUrl}/oauth/invitation/${link}` },
    });
  });
  bind(PeopleService).toDynamicValue(({ get }) =>
    peopleService({
      people: get(PeopleRepository),
      invitations: get(AccountService),
      settings: get(Config),
      ids: get(Ids),
      clock: get(Clock),
      log: get(Log),
    }),
  );
  bind(OrganisationService).toDynamicValue(({ get }) => {
    const { oidcRoles: roles, oidcProvision: provision, oidcWorkspace: workspace } = get(Config);
    return organisationService({
      signIns: get(SignInRepository),
      settings: { roles, provision, workspace },
      ids: get(Ids),
      clock: get(Clock),
      log: get(Log),
    });
  });
  bind(SignInLinks).toDynamicValue(({ get }) =>
    signInLinks({
      issuer: get(Config).authUrl,
      store: get(OAuthStore),
      sealer: get(OAuthSecrets).sealer,
      clock: get(Clock),
    }),
  );
  bind(OperatedPeople).toDynamicValue(({ get }) =>
    operatedPeople({
      people: get(PeopleRepository),
      workspaces: get(WorkspaceRepository),
      links: get(SignInLinks),
      settings: get(Config),
      ids: get(Ids),
      clock: get(Clock),
    }),
  );
  bind(AuditService).toDynamicValue(({ get }) =>
    auditService({
      audit: get(AuditLog),
      documents: get(DocumentRepository),
      sha256: (text) => hash('sha256', text),
    }),
  );
  bind(Presence).toDynamicValue(({ get }) => presence({ clock: get(Clock), settings: get(Config) }));
  bind(ProfileService).toDynamicValue(({ get }) => profileService({ users: get(UserRepository) }));
});
