import path from 'node:path';
import type { DeliverySettings } from '../application/webhooks/webhook-delivery.ts';
import type { PostingWorkerSettings } from '../application/worker/posting-worker.ts';
import { invalid, type ValidationError } from '../domain/errors.ts';
import type { Defect } from '../wire/kit/errors.ts';
import { token } from './module.ts';
import { limits, mcp, oauth, server, signIn, telemetry } from './settings/server.ts';
import type { Setting } from './settings/setting.ts';
import { storage } from './settings/storage.ts';
import { models, search, sources, systems, work } from './settings/work.ts';

/** Every setting: its variable, its default and what it is for. The table of docs/settings.md is printed from this list. */
export const settings = {
  ...server,
  ...storage,
  ...limits,
  ...work,
  ...models,
  ...systems,
  ...search,
  ...sources,
  ...oauth,
  ...signIn,
  ...mcp,
  ...telemetry,
} as const;

type Settings = typeof settings;
type Values = { readonly [K in keyof Settings]: Settings[K] extends Setting<infer T> ? T : never };

export interface Config extends Omit<Values, 'baseUrl' | 'authUrl' | 'contactEmail'> {
  readonly baseUrl: string;
  readonly authUrl: string;
  readonly contactEmail: string;
}
export const Config = token<Config>('Config');

/** Whether the server has the demo workspace: if nothing is set, with the embedded database alone. */
export const hasDemo = ({ demo, databaseUrl }: Pick<Config, 'demo' | 'databaseUrl'>): boolean =>
  demo ?? databaseUrl === null;

/** The folder that the demo watches: only where its server is one process, or several with this data in common. */
export const demoInbox = (config: Pick<Config, 'demo' | 'databaseUrl' | 'dataDir'>): string | null =>
  hasDemo(config) && config.databaseUrl === null ? path.resolve(config.dataDir, 'inbox') : null;

/** How events are sent: by the server to its webhooks, and by `portico listen`. */
export const deliverySettings: DeliverySettings = { timeoutSeconds: 15, firstRetrySeconds: 5 };

/** How workers post the documents of agents with `process: automatic`. */
export const postingSettings: PostingWorkerSettings = {
  concurrency: 16,
  perAgent: 4,
  leaseSeconds: 30,
  pollMs: 1000,
  firstRetrySeconds: 5,
};

/** The address for questions that a domain has by convention (RFC 2142); that of no domain where there is none, as on one's own machine. */
const supportOf = (baseUrl: string) => {
  const { hostname } = new URL(baseUrl);
  return `support@${/\.[a-z]+$/i.test(hostname) ? hostname : 'example.com'}`;
};

const mustSignInSomehow = ({ passwords, oidcIssuer, oidcClientId }: Values) => {
  if (passwords === 'off' && oidcIssuer === null)
    throw invalid({ path: 'PASSWORDS', message: 'must be on, as long as OIDC_ISSUER is not set' });
  if (oidcIssuer !== null && oidcClientId === null)
    throw invalid({ path: 'OIDC_CLIENT_ID', message: 'must be set with OIDC_ISSUER' });
};

/** The configuration of this environment; a DomainError names every bad variable, never a value. */
export const readConfig = (env: Readonly<Record<string, string | undefined>>): Config => {
  const errors: ValidationError[] = [];
  const entries = Object.entries(settings).map(([key, { env: name, codec, fallback }]) => {
    // A file of settings may have spaces, or the line ends of Windows, behind its values.
    const raw = env[name]?.trim();
    if (raw === undefined || raw === '') return [key, fallback];
    const result = codec.validate(raw, []);
    if (result._tag === 'Right') return [key, result.right];
    const [defect]: readonly Defect[] = result.left;
    errors.push({ path: name, message: `must be ${defect?.expected}` });
    return [key, fallback];
  });
  if (errors.length > 0) throw invalid(...errors);
  const values: Values = Object.fromEntries(entries);
  mustSignInSomehow(values);
  const baseUrl = values.baseUrl ?? `http://localhost:${values.port}`;
  return {
    ...values,
    baseUrl,
    authUrl: values.authUrl ?? baseUrl,
    contactEmail: values.contactEmail ?? supportOf(baseUrl),
  };
};
