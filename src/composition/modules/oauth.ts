import { createHmac } from 'node:crypto';
import { ContainerModule } from 'inversify';
import { commonPasswords, scryptPasswords } from '../../adapters/oauth/passwords.ts';
import { oneTimeTokens } from '../../adapters/oauth/secrets.ts';
import { aesSealer } from '../../adapters/system/sealer.ts';
import { accountService } from '../../application/access/accounts.ts';
import type { Config } from '../config.ts';
import { provider } from '../provide.ts';
import { bounds, port, service } from '../tokens.ts';

const { accounts, passwords, commonPasswords: common, oneTimeTokens: tokens, limiter, clock } = port;
const { links } = bounds;

/** People and their passwords, and what the authorization server protects its records with. */
export const oauthModule = ({ authUrl }: Config, encryptionKey: Uint8Array) =>
  new ContainerModule((options) => {
    const provide = provider(options);
    const derived = (purpose: string) => createHmac('sha256', encryptionKey).update(purpose).digest();
    options.bind(passwords).toConstantValue(scryptPasswords());
    options.bind(common).toConstantValue(commonPasswords());
    options.bind(tokens).toConstantValue(oneTimeTokens);
    options.bind(links).toConstantValue({ invitation: (token) => `${authUrl}/oauth/invitation/${token}` });
    options.bind(bounds.oauth).toConstantValue({ key: derived('oauth keys'), sealer: aesSealer(derived('oauth records')) });
    provide(service.accounts, accountService, { accounts, passwords, commonPasswords: common, tokens, limiter, clock, links });
  });
