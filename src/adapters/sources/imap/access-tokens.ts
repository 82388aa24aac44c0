import type { Outbound } from '../../../application/ports/outbound.ts';
import type { KeptToken } from '../../../application/ports/sources.ts';
import { DomainError } from '../../../domain/errors.ts';
import { isObject } from '../../../domain/json.ts';
import type { TokenGrant } from './address.ts';

/** Hands out access tokens for mailboxes. */
export interface AccessTokens {
  get(grant: TokenGrant, kept: KeptToken, signal: AbortSignal): Promise<string>;
}

const TERMS = { timeoutSeconds: 20, maxBytes: 256 * 1024, redirects: 0, httpsOnly: true };
const MOST_WORDS = 200;

const answerOf = (body: Uint8Array): Record<string, unknown> => {
  try {
    const answer: unknown = JSON.parse(new TextDecoder().decode(body));
    return isObject(answer) ? answer : {};
  } catch {
    return {};
  }
};

/** What the provider says is wrong: it names no secret, but anybody may have written it. */
const reasonOf = ({ error, error_description: description }: Record<string, unknown>, status: number): string => {
  const words = [error, description].filter((each) => typeof each === 'string').join(': ');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are taken out
  return words.replaceAll(/[\u0000-\u001f\u007f-\u009f]+/g, ' ').slice(0, MOST_WORDS) || `it answers ${status}`;
};

/** Asks the token endpoint of the provider each time: a session with a mail server lasts longer than a token. */
export const accessTokens = (outbound: Outbound): AccessTokens => ({
  async get({ tokenUrl, scope, clientId, clientSecret, refreshToken }, kept, signal) {
    const form = new URLSearchParams({
      client_id: clientId,
      ...(refreshToken === null
        ? { grant_type: 'client_credentials' }
        : { grant_type: 'refresh_token', refresh_token: kept.latest(refreshToken) }),
      ...(clientSecret !== null && { client_secret: clientSecret }),
      ...(scope !== null && { scope }),
    });
    const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' };
    const request = { method: 'POST' as const, url: tokenUrl, headers, body: form.toString() };
    const { status, body } = await outbound.send(request, TERMS, signal);
    const answer = answerOf(body);
    if (status === 200 && typeof answer.access_token === 'string' && answer.access_token !== '') {
      const { refresh_token: renewed } = answer;
      if (
        refreshToken !== null &&
        typeof renewed === 'string' &&
        renewed !== '' &&
        renewed !== kept.latest(refreshToken)
      )
        await kept.keep(refreshToken, renewed);
      return answer.access_token;
    }
    const host = new URL(tokenUrl).hostname;
    throw new DomainError(
      'unavailable',
      `${host} refuses an access token for the mailbox (${reasonOf(answer, status)}).`,
    );
  },
});
