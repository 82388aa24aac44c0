import type { Provider } from 'oidc-provider';
import { TOOLS, type User } from '../../domain/access.ts';
import { visitor } from '../../domain/audit.ts';
import { DomainError } from '../../domain/errors.ts';
import { AGENT_OF_CHOICE, API, CONSOLE, originalParameters } from './authorization-request.ts';
import { isDocumentAddress, originOf } from './clients.ts';
import type { Forms } from './forms.ts';
import { errors } from './oidc-provider.ts';
import { consentPage, type RequestedAccess } from './pages/consent.ts';
import { formTargetOf } from './pages/page.ts';
import { NEW_GRANT_SECONDS, ROUTES } from './provider.ts';
import { type RequestContext, redirect, sendPage } from './request-context.ts';
import { sha256 } from './secrets.ts';
import type { Sessions } from './sessions.ts';
import type { AuthorizationServerSettings } from './settings.ts';
import { signInForm } from './sign-in.ts';
import { userIdOf } from './subjects.ts';

interface Dependencies
  extends Pick<
    AuthorizationServerSettings,
    'organisation' | 'passwords' | 'issuer' | 'agents' | 'store' | 'resources' | 'ids' | 'clock'
  > {
  readonly provider: Provider;
  readonly forms: Forms;
  readonly sessions: Sessions;
}

type Details = Awaited<ReturnType<Provider['interactionDetails']>>;

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The agent that the access is for: null where it is for the API, undefined where the user chose none that is offered. */
const chosenAgent = (access: RequestedAccess, chosen: string | null) => {
  if (access.kind === 'api') return null;
  return access.kind === 'agent' ? access.agent : access.agents.find(({ id }) => id === chosen);
};

/** The user's part of an authorization: signing in, then allowing it or not. */
export const interactions = (dependencies: Dependencies) => {
  const { provider, issuer, forms, sessions, agents, store, resources, ids, clock } = dependencies;
  const signIn = signInForm({ ...dependencies, forms, sessions });

  const detailsOf = async ({ req, res, path }: RequestContext): Promise<Details> => {
    const details = await provider.interactionDetails(req, res);
    if (!path.endsWith(`/${details.uid}`))
      throw new errors.SessionNotFound('another authorization has begun in this browser');
    return details;
  };

  const clientOf = async ({ params }: Details) => {
    const id = text(params.client_id);
    const name = (await provider.Client.find(id))?.clientName ?? null;
    return { id, name, documented: isDocumentAddress(id), ...originOf(id, text(params.redirect_uri)) };
  };

  /** The client that asks, and where the form of a page may lead. */
  const purposeOf = async (details: Details) => ({
    client: text(details.params.client_id) === CONSOLE ? ('console' as const) : await clientOf(details),
    formTargets: [formTargetOf(text(details.params.redirect_uri))],
  });

  /** Sends the browser to make the same request once more, after the user has changed. */
  const repeatRequest = (context: RequestContext, { params }: Details) =>
    redirect(context, `${issuer}${ROUTES.authorization}?${new URLSearchParams({ ...originalParameters(params) })}`);

  const requestedAccess = async ({ params }: Details, user: User): Promise<RequestedAccess> => {
    const viewer = { userId: user.id, workspaceId: user.workspaceId };
    const resource = text(params.resource);
    const scopes = text(params.scope).split(' ');
    if (resource === API) return { kind: 'api', scopes };
    if (resource === AGENT_OF_CHOICE) return { kind: 'choice', agents: await agents.listVisible(viewer) };
    const agentId = resources.agentIdOf(resource);
    const agent = agentId === null ? null : await agents.findVisible(viewer, agentId);
    if (!agent) throw new DomainError('not_found', 'The agent that was asked for does not exist any more.');
    return { kind: 'agent', agent, scopes };
  };

  /** The user whom the authorization asks, if that user is still signed in. */
  const userOf = async (context: RequestContext, details: Details): Promise<User> => {
    const user = await sessions.user(context);
    if (!user || user.id !== userIdOf(details.session?.accountId ?? ''))
      throw new errors.SessionNotFound('the user is not signed in');
    return user;
  };

  const showConsent = async (context: RequestContext, details: Details, error: string | null) => {
    const user = await userOf(context, details);
    const [{ formTargets }, client, requested, token] = await Promise.all([
      purposeOf(details),
      clientOf(details),
      requestedAccess(details, user),
      forms.token(context),
    ]);
    const view = { formTargets, client, token, email: user.email, requested, error };
    sendPage(context, error === null ? 200 : 400, consentPage(view));
  };

  const finish = async (context: RequestContext, result: Parameters<Provider['interactionResult']>[2]) =>
    redirect(
      context,
      await provider.interactionResult(context.req, context.res, result, { mergeWithLastSubmission: false }),
    );

  const allow = async (context: RequestContext, details: Details, chosen: string | null) => {
    const user = await userOf(context, details);
    const access = await requestedAccess(details, user);
    const agent = chosenAgent(access, chosen);
    if (agent === undefined) return showConsent(context, details, 'Choose an agent first.');
    if (agent !== null && access.kind === 'choice') {
      details.params.resource = resources.urlOf(agent.id);
      await details.persist();
    }
    const client = await clientOf(details);
    const createdAt = clock.now();
    const grant = {
      id: ids.next(),
      userId: user.id,
      signInId: await sessions.signInId(context),
      clientId: client.id,
      clientName: client.name,
      clientHost: client.host,
      resource: text(details.params.resource),
      agentId: agent?.id ?? null,
      scopes: access.kind === 'choice' ? [TOOLS] : access.scopes,
      createdAt,
      usedAt: null,
      expiresAt: new Date(createdAt.getTime() + NEW_GRANT_SECONDS * 1000),
    };
    await store.saveGrant(grant, sha256(client.id), visitor(user.id, context.ip));
    await finish(context, { consent: { grantId: grant.id } });
  };

  const decide = async (context: RequestContext, details: Details, fields: URLSearchParams) => {
    switch (fields.get('action')) {
      case 'allow':
        return allow(context, details, fields.get('agent'));
      case 'switch':
        await sessions.end(context);
        return repeatRequest(context, details);
      default:
        return finish(context, { error: 'access_denied', error_description: 'The user did not allow it.' });
    }
  };

  return {
    async show(context: RequestContext) {
      const details = await detailsOf(context);
      if (details.prompt.name !== 'login') return showConsent(context, details, null);
      const comesBack = context.req.url?.endsWith('?signed-in') === true;
      if (comesBack && (await sessions.user(context))) return repeatRequest(context, details);
      await signIn.show(context, await purposeOf(details), text(details.params.login_hint).slice(0, 254));
    },
    async submit(context: RequestContext) {
      const fields = await signIn.receive(context);
      const details = await detailsOf(context);
      if (details.prompt.name !== 'login')
        return fields === null ? showConsent(context, details, null) : decide(context, details, fields);
      if (fields === null || (await signIn.submit(context, await purposeOf(details), fields)))
        repeatRequest(context, details);
    },
  };
};
