import { errors, type Provider } from 'oidc-provider';
import type { OAuthStore } from '../../application/ports/oauth.ts';
import type { Clock, Ids } from '../../application/ports/runtime.ts';
import type { AgentRepository } from '../../application/ports/storage.ts';
import type { User } from '../../domain/access.ts';
import { DomainError } from '../../domain/errors.ts';
import { faceOf, isDocumentAddress } from './clients.ts';
import type { Forms } from './forms.ts';
import { consentPage, type Wanted } from './pages/consent.ts';
import { formTargetOf } from './pages/page.ts';
import { signInPage } from './pages/sign-in.ts';
import { NEW_GRANT_SECONDS, ROUTES } from './provider.ts';
import { type RequestContext, redirect, sendPage } from './request-context.ts';
import { AGENT_OF_CHOICE, API, asAsked, TOOLS } from './requests.ts';
import type { AgentResources } from './resources.ts';
import { sha256 } from './secrets.ts';
import type { Sessions } from './sessions.ts';
import { userIdOf } from './subjects.ts';

interface Dependencies {
  readonly provider: Provider;
  readonly issuer: string;
  readonly forms: Forms;
  readonly sessions: Sessions;
  readonly agents: Pick<AgentRepository, 'findVisible' | 'listVisible'>;
  readonly store: Pick<OAuthStore, 'saveGrant'>;
  readonly resources: AgentResources;
  readonly ids: Ids;
  readonly clock: Clock;
}

type Details = Awaited<ReturnType<Provider['interactionDetails']>>;

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

const viewerOf = ({ id: userId, workspaceId }: User) => ({ userId, workspaceId });

/** An authorization that waits for the user: signing in, then allowing or not. */
export const interactions = (dependencies: Dependencies) => {
  const { provider, issuer, forms, sessions, agents, store, resources, ids, clock } = dependencies;

  const detailsOf = async ({ req, res, path }: RequestContext): Promise<Details> => {
    const details = await provider.interactionDetails(req, res);
    if (!path.endsWith(`/${details.uid}`)) throw new errors.SessionNotFound('another authorization was begun meanwhile');
    return details;
  };

  const clientOf = async ({ params }: Details) => {
    const id = text(params.client_id);
    const name = (await provider.Client.find(id))?.clientName ?? null;
    return { id, name, documented: isDocumentAddress(id), ...faceOf(id, text(params.redirect_uri)) };
  };

  /** Makes the same request again, now that it is known who asks. */
  const again = (context: RequestContext, { params }: Details) =>
    redirect(context, `${issuer}${ROUTES.authorization}?${new URLSearchParams({ ...asAsked(params) })}`);

  const showSignIn = async (context: RequestContext, details: Details, email: string, error: DomainError | null) => {
    const formTargets = [formTargetOf(text(details.params.redirect_uri))];
    const client = await clientOf(details);
    const status = error === null ? 200 : error.kind === 'rate_limited' ? 429 : 400;
    if (error?.retryAfterSeconds) context.res.setHeader('Retry-After', error.retryAfterSeconds);
    const view = { token: forms.token(context), client, email, error: error?.message ?? null, formTargets };
    sendPage(context, status, signInPage(view));
  };

  const signIn = async (context: RequestContext, details: Details, fields: URLSearchParams) => {
    const email = fields.get('email') ?? '';
    try {
      await sessions.signIn(context, { email, password: fields.get('password') ?? '' });
    } catch (error) {
      if (error instanceof DomainError) return showSignIn(context, details, email, error);
      throw error;
    }
    again(context, details);
  };

  const wantedOf = async ({ params }: Details, user: User): Promise<Wanted> => {
    const resource = text(params.resource);
    if (resource === API) return { kind: 'api', scopes: text(params.scope).split(' ') };
    if (resource === AGENT_OF_CHOICE) return { kind: 'choice', agents: await agents.listVisible(viewerOf(user)) };
    const agentId = resources.agentIdOf(resource);
    const agent = agentId === null ? null : await agents.findVisible(viewerOf(user), agentId);
    if (!agent) throw new DomainError('not_found', 'The agent that was asked for is not there any more.');
    return { kind: 'agent', agent };
  };

  /** Who was asked, while they are still signed in. */
  const userOf = async (context: RequestContext, details: Details): Promise<User> => {
    const user = await sessions.user(context);
    if (!user || user.id !== userIdOf(details.session?.accountId ?? '')) throw new errors.SessionNotFound('nobody is signed in');
    return user;
  };

  const showConsent = async (context: RequestContext, details: Details, error: string | null) => {
    const user = await userOf(context, details);
    const [client, wanted] = await Promise.all([clientOf(details), wantedOf(details, user)]);
    const formTargets = [formTargetOf(text(details.params.redirect_uri))];
    const view = { token: forms.token(context), client, email: user.email, wanted, error, formTargets };
    sendPage(context, error === null ? 200 : 400, consentPage(view));
  };

  const answer = async (context: RequestContext, result: Parameters<Provider['interactionResult']>[2]) =>
    redirect(context, await provider.interactionResult(context.req, context.res, result, { mergeWithLastSubmission: false }));

  const allow = async (context: RequestContext, details: Details, chosen: string | null) => {
    const user = await userOf(context, details);
    const wanted = await wantedOf(details, user);
    const agent = wanted.kind === 'choice' ? wanted.agents.find(({ id }) => id === chosen) : wanted.kind === 'agent' ? wanted.agent : null;
    if (agent === undefined) return showConsent(context, details, 'Choose an agent first.');
    if (agent !== null && wanted.kind === 'choice') {
      details.params.resource = resources.urlOf(agent.id);
      await details.persist();
    }
    const client = await clientOf(details);
    const createdAt = clock.now();
    const grant = {
      ...{ id: ids.next(), userId: user.id, clientId: client.id, clientName: client.name, clientHost: client.host },
      ...{ resource: text(details.params.resource), agentId: agent?.id ?? null, scopes: wanted.kind === 'api' ? wanted.scopes : [TOOLS] },
      ...{ createdAt, usedAt: null, expiresAt: new Date(createdAt.getTime() + NEW_GRANT_SECONDS * 1000) },
    };
    await store.saveGrant(grant, sha256(client.id));
    await answer(context, { consent: { grantId: grant.id } });
  };

  const decide = async (context: RequestContext, details: Details, fields: URLSearchParams) => {
    switch (fields.get('action')) {
      case 'allow':
        return allow(context, details, fields.get('agent'));
      case 'switch':
        await sessions.end(context);
        return again(context, details);
      default:
        return answer(context, { error: 'access_denied', error_description: 'The user did not allow it.' });
    }
  };

  return {
    async show(context: RequestContext) {
      const details = await detailsOf(context);
      if (details.prompt.name === 'login') return showSignIn(context, details, text(details.params.login_hint).slice(0, 254), null);
      return showConsent(context, details, null);
    },
    async submit(context: RequestContext) {
      const fields = await forms.read(context);
      const details = await detailsOf(context);
      if (details.prompt.name === 'login') return signIn(context, details, fields);
      return decide(context, details, fields);
    },
  };
};
