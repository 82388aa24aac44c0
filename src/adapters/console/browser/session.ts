import { signal } from '@preact/signals';
import { leaveFor } from './closing.ts';
import { untilBack } from './connection.ts';
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

/** Where the tab keeps whose it was last. */
const OWNER = 'portico.person';

/** Whose page this is, from the first token until it is left. */
let person: string | null = null;
/** Whether the session of this browser now belongs to another person, who signed in after this page was opened. */
let isAnotherIn = false;

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

class NoAnswer extends Error {
  constructor(options?: ErrorOptions) {
    super('The server does not answer at the moment.', options);
  }
}

const noAnswer = (cause: unknown): never => {
  throw new NoAnswer({ cause });
};

/** A server or proxy that cannot answer at the moment says nothing of the session: that is no answer. */
const send = async (url: string, init: RequestInit): Promise<Response> => {
  const answer = await fetch(url, init).catch(noAnswer);
  if (answer.status === 429 || answer.status > 499) throw new NoAnswer();
  return answer;
};

/** What the tab keeps of another person, written and not sent or about to be posted, is not for this one. */
const enterAs = (user: string) => {
  const owner = sessionStorage.getItem(OWNER);
  if (owner !== null && owner !== user) sessionStorage.clear();
  sessionStorage.setItem(OWNER, user);
  person = user;
};

const exchange = async (code: string, verifier: string): Promise<boolean> => {
  const form = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: REDIRECT,
    client_id: CLIENT,
    code_verifier: verifier,
  };
  const body = new URLSearchParams(form);
  const answer = await send(`${auth}/oauth/token`, { method: 'POST', body, credentials: 'omit' });
  if (!answer.ok) return false;
  const {
    access_token: value,
    expires_in: seconds,
    user_id: user,
  } = (await answer.json().catch(noAnswer)) as { access_token: string; expires_in: number; user_id: string };
  if (person === null) enterAs(user);
  isAnotherIn = user !== person;
  // The page shows the name and what was read of the person before, who would decide in the name of this one.
  if (isAnotherIn) return false;
  token = { value, until: Date.now() + seconds * 1000 };
  state.value = 'in';
  return true;
};

/** The browser sends the cookie of the authorization server to the same origin only. */
export const renewsHere = new URL(auth).origin === location.origin;

/** By the session of the authorization server, without a page. */
const renewed = async (): Promise<boolean> => {
  if (!renewsHere) return false;
  const { pending, url } = await request('none');
  const answer = await send(url, { credentials: 'same-origin', cache: 'no-store' });
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
  const { pending, url } = await request(again || isAnotherIn ? 'login' : null);
  sessionStorage.setItem(PENDING, JSON.stringify({ ...pending, back: back ?? pending.back }));
  leaveFor(url);
};

let renewing: Promise<boolean> | null = null;
/** Whether the user is signing out. */
let isLeaving = false;

/** A valid token. If the session is over it waits until the user has signed in again, so that nothing that is being written is lost. */
export const accessToken = async (): Promise<string> => {
  // A token that is asked for by the session at the moment in which that ends would keep it alive.
  if (isLeaving) return new Promise(() => {});
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

/** By the answer in this address, by the session, or by the page of the authorization server. */
const enter = async (): Promise<void> => {
  if (location.pathname === `${ROOT}/signed-in`) {
    const pending = JSON.parse(sessionStorage.getItem(PENDING) ?? 'null') as Pending | null;
    sessionStorage.removeItem(PENDING);
    const code = pending && codeIn(new URL(location.href), pending);
    history.replaceState(null, '', code === null ? ROOT : pending?.back);
    if (pending && code && (await exchange(code, pending.verifier))) return;
  }
  if (!(await renewed())) await signIn();
};

/** Does something, and again once the authorization server is back where it did not answer. */
const untilDone = async (action: () => Promise<void>): Promise<void> => {
  for (;;) {
    try {
      return await action();
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
    }
    await untilBack();
  }
};

/** Signs in. */
export const start = async (): Promise<void> => {
  if (location.origin !== new URL(base).origin)
    return location.replace(new URL(location.pathname + location.search, base));
  if (location.pathname === `${ROOT}/signed-out`) {
    state.value = 'out';
    return;
  }
  try {
    await untilDone(enter);
  } catch (error) {
    state.value = { failed: error instanceof Error ? error.message : String(error) };
  }
};

const endSession = async (body: URLSearchParams): Promise<void> => {
  const options = {
    method: 'POST',
    credentials: 'same-origin',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  } as const;
  // First: the other windows ask for new tokens once their own are refused.
  if (renewsHere) await send(`${auth}/oauth/sign-out`, options);
  await send(`${auth}/oauth/revoke`, { method: 'POST', body, credentials: 'omit' });
  leaveFor(renewsHere ? `${ROOT}/signed-out` : `${auth}/oauth/grants`);
};

/** Ends the session of this browser, and the access of every window of the console. */
export const signOut = (): Promise<void> => {
  const body = new URLSearchParams({ client_id: CLIENT, token: token?.value ?? '' });
  token = null;
  isLeaving = true;
  return untilDone(() => endSession(body));
};
