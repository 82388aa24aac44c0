import { signal } from '@preact/signals';
import { auth, base, ROOT } from './settings.ts';

/** `in`: there is a token; `out`: the user has signed out; `over`: the session ended while the page was open. */
type State = 'starting' | 'in' | 'out' | 'over' | { readonly failed: string };

export const state = signal<State>('starting');

const CLIENT = 'portico-console';
const REDIRECT = `${base}/console/signed-in`;
const PENDING = 'portico.signing-in';
/** A token is renewed this long before it ends. */
const EARLY_MS = 60_000;

/** In memory only: no other page, and no reload, finds it. */
let token: { readonly value: string; readonly until: number } | null = null;

const SIGNS: Readonly<Record<string, string>> = { '+': '-', '/': '_', '=': '' };
const base64url = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes)).replaceAll(/[+/=]/g, (sign) => SIGNS[sign] ?? '');
const random = () => base64url(crypto.getRandomValues(new Uint8Array(32)));

interface Pending {
  readonly verifier: string;
  readonly state: string;
  /** Where the user was. */
  readonly back: string;
}

const request = async (prompt: 'none' | 'login' | null) => {
  if (!('subtle' in crypto))
    throw new Error('Browsers sign in over https or on localhost only: open this page by such an address.');
  const pending: Pending = { verifier: random(), state: random(), back: location.pathname + location.search };
  const challenge = base64url(
    new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(pending.verifier))),
  );
  const query = new URLSearchParams({
    client_id: CLIENT,
    redirect_uri: REDIRECT,
    response_type: 'code',
    state: pending.state,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...(prompt && { prompt }),
  });
  return { pending, url: `${auth}/oauth/authorize?${query}` };
};

/** The code in the address that the server answered, if it is the answer to this request. */
const codeIn = (url: URL, pending: Pending): string | null => {
  const isOurs = url.searchParams.get('state') === pending.state && url.searchParams.get('iss') === auth;
  return isOurs ? url.searchParams.get('code') : null;
};

const exchange = async (code: string, verifier: string): Promise<boolean> => {
  const asked = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: REDIRECT,
    client_id: CLIENT,
    code_verifier: verifier,
  };
  const body = new URLSearchParams(asked);
  const answer = await fetch(`${auth}/oauth/token`, { method: 'POST', body, credentials: 'omit' });
  if (!answer.ok) return false;
  const { access_token: value, expires_in: seconds } = (await answer.json()) as {
    access_token: string;
    expires_in: number;
  };
  token = { value, until: Date.now() + seconds * 1000 };
  state.value = 'in';
  return true;
};

/** By the session of the authorization server, without a page; the browser sends its cookie to the same origin only. */
const renewed = async (): Promise<boolean> => {
  if (new URL(auth).origin !== location.origin) return false;
  const { pending, url } = await request('none');
  const answer = await fetch(url, { credentials: 'same-origin', cache: 'no-store' });
  const code = answer.ok ? codeIn(new URL(answer.url), pending) : null;
  return code !== null && exchange(code, pending.verifier);
};

/** Leaves for the page where users sign in, also one who is signed in (`again`), and comes back to where the user was. */
export const signIn = async ({
  back,
  again = false,
}: {
  readonly back?: string;
  readonly again?: boolean;
} = {}): Promise<void> => {
  const { pending, url } = await request(again ? 'login' : null);
  sessionStorage.setItem(PENDING, JSON.stringify({ ...pending, back: back ?? pending.back }));
  location.assign(url);
};

let renewing: Promise<boolean> | null = null;

/** A valid token. If the session is over it waits until the user has signed in again, so that nothing that is being written is lost. */
export const accessToken = async (): Promise<string> => {
  if (token && token.until - EARLY_MS > Date.now()) return token.value;
  renewing ??= renewed().finally(() => {
    renewing = null;
  });
  if ((await renewing) && token) return token.value;
  state.value = 'over';
  throw new Error('Your session is over.');
};

/** The server refused the token: it was revoked, in another window or by a new password. */
export const forgetToken = (): void => {
  token = null;
};

/** Signs in: by the answer in this address, by the session, or by the page of the authorization server. */
export const start = async (): Promise<void> => {
  if (location.origin !== new URL(base).origin)
    return location.replace(new URL(location.pathname + location.search, base));
  if (location.pathname === `${ROOT}/signed-out`) {
    state.value = 'out';
    return;
  }
  try {
    if (location.pathname === `${ROOT}/signed-in`) {
      const pending = JSON.parse(sessionStorage.getItem(PENDING) ?? 'null') as Pending | null;
      sessionStorage.removeItem(PENDING);
      const code = pending && codeIn(new URL(location.href), pending);
      history.replaceState(null, '', code === null ? ROOT : pending?.back);
      if (pending && code && (await exchange(code, pending.verifier))) return;
    }
    if (!(await renewed())) await signIn();
  } catch (error) {
    state.value = { failed: error instanceof Error ? error.message : String(error) };
  }
};

/** Ends the session of this browser, and the access of every window of the console. */
export const signOut = async (): Promise<void> => {
  const body = new URLSearchParams({ client_id: CLIENT, token: token?.value ?? '' });
  token = null;
  await fetch(`${auth}/oauth/revoke`, { method: 'POST', body, credentials: 'omit' });
  const isHere = new URL(auth).origin === location.origin;
  const options = {
    method: 'POST',
    credentials: 'same-origin',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  } as const;
  if (isHere) await fetch(`${auth}/oauth/sign-out`, options);
  location.assign(isHere ? `${ROOT}/signed-out` : `${auth}/oauth/grants`);
};
