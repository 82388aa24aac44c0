import { connect as connectTcp, type LookupFunction } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import type { ImapFlow, ImapFlowOptions, ImapTransport } from 'imapflow';
import type { HostAddress, ReachableHosts } from '../../../application/ports/outbound.ts';
import type { KeptToken } from '../../../application/ports/sources.ts';
import type { AccessTokens } from './access-tokens.ts';
import type { MailboxAddress } from './address.ts';
import { mailFailure } from './failures.ts';

export interface MailSettings {
  readonly hosts: ReachableHosts;
  readonly tokens: AccessTokens;
  /** Certificates to trust instead of Node's. */
  readonly ca?: string;
  readonly timeoutSeconds?: number;
}

const TIMEOUT_SECONDS = 30;
/** Servers and routers end what is silent for longer. */
const MOST_IDLE_MS = 9 * 60 * 1000;
/** What a server may send in one piece: the headers of a mail, or a part of its text. */
const MOST_PIECE_BYTES = 16 * 1024 * 1024;
const MOST_TOKENS = 100_000;

/** Connects to the addresses that were checked, and no other: a second lookup could find others. */
const transportTo = (addresses: readonly HostAddress[], host: string, ca: string | undefined): ImapTransport => {
  const [first] = addresses;
  const lookup: LookupFunction = (_hostname, options, answer) =>
    options.all ? answer(null, [...addresses]) : answer(null, first?.address ?? '', first?.family ?? 0);
  const pinned = { host, lookup, autoSelectFamily: true };
  const tls: ConnectionOptions = { minVersion: 'TLSv1.2', ...(ca !== undefined && { ca }) };
  return {
    connect: ({ port, secure, servername }, onConnect) =>
      secure
        ? connectTls({ ...pinned, port, ...tls, ...(servername !== undefined && { servername }) }, onConnect)
        : connectTcp({ ...pinned, port }, onConnect),
    upgrade: (socket, { servername }, onSecure) =>
      connectTls({ socket, host, ...tls, ...(servername !== undefined && { servername }) }, onSecure),
  };
};

/** A connection on which the mailbox is selected. */
export interface Selected {
  readonly client: ImapFlow;
  readonly validity: bigint;
  /** Greater than each UID in it. */
  readonly nextUid: number;
}

/** Of servers that do not tell which UID is the next. */
const lastUid = async (client: ImapFlow): Promise<number> => {
  const uids = await client.search({ uid: '*' }, { uid: true });
  return Math.max(0, ...(uids || []));
};

/** A session with a mail server, which is opened again when the connection was lost. */
export const mailSession = (
  address: MailboxAddress,
  { hosts, tokens, token, ca, timeoutSeconds = TIMEOUT_SECONDS }: MailSettings & { readonly token: KeptToken },
  isReadOnly: boolean,
  signal: AbortSignal,
) => {
  let client: ImapFlow | null = null;
  let selected: Selected | null = null;
  /** Why the server refused the last command, of those whose failure the client only logs. */
  let refusal: unknown;

  const end = () => client?.close();
  signal.addEventListener('abort', end, { once: true });

  const optionsOf = async (addresses: readonly HostAddress[]): Promise<ImapFlowOptions> => {
    const { host, port, isImplicitTls, user, credential } = address;
    const auth =
      'password' in credential
        ? { user, pass: credential.password }
        : { user, accessToken: await tokens.get(credential, token, signal) };
    const ignored = () => {};
    const timeoutMs = timeoutSeconds * 1000;
    return {
      host,
      port,
      secure: isImplicitTls,
      ...(!isImplicitTls && { doSTARTTLS: true }),
      auth,
      transport: transportTo(addresses, host, ca),
      clientInfo: { name: 'Portico' },
      logger: {
        debug: ignored,
        info: ignored,
        error: ignored,
        warn: ({ err }: { readonly err?: unknown }) => {
          refusal = err;
        },
      },
      disableAutoIdle: true,
      maxIdleTime: MOST_IDLE_MS,
      connectionTimeout: timeoutMs,
      greetingTimeout: timeoutMs,
      socketTimeout: timeoutMs,
      maxLiteralSize: MOST_PIECE_BYTES,
      maxResponseSize: 2 * MOST_PIECE_BYTES,
      maxResponseTokens: MOST_TOKENS,
    };
  };

  const connected = async (): Promise<ImapFlow> => {
    signal.throwIfAborted();
    if (client?.usable) return client;
    selected = null;
    const addresses = await hosts.addressesOf(address.host, address.port, signal);
    const options = await optionsOf(addresses);
    const { ImapFlow } = await import('imapflow');
    client = new ImapFlow(options);
    // Each command fails by itself when the connection breaks; without a listener the process would end.
    client.on('error', () => {});
    await client.connect();
    // A client that connected after an abort is closed, and not used.
    if (signal.aborted) client.close();
    signal.throwIfAborted();
    return client;
  };

  /** Selects the mailbox anew, to see what it is now. */
  const select = async (): Promise<Selected> => {
    const opened = await connected();
    const { uidValidity: validity, uidNext } = await opened.mailboxOpen(address.mailbox, { readOnly: isReadOnly });
    selected = { client: opened, validity, nextUid: uidNext ?? (await lastUid(opened)) + 1 };
    return selected;
  };

  return {
    select,
    /** The mailbox as it was selected last. */
    current: async (): Promise<Selected> => (client?.usable && selected ? selected : select()),
    /** null while there is no connection. */
    client: () => (client?.usable ? client : null),
    /** Does work with the session; what it fails with is in words for people. */
    async during<T>(work: () => Promise<T>): Promise<T> {
      try {
        return await work();
      } catch (error) {
        signal.throwIfAborted();
        throw mailFailure(error, address);
      }
    },
    /** Of a command that answered `false`. */
    refused: (what: string): Error => (refusal instanceof Error ? refusal : new Error(what)),
    async close(): Promise<void> {
      signal.removeEventListener('abort', end);
      // A server that does not answer is not waited for.
      end();
    },
  };
};

export type MailSession = ReturnType<typeof mailSession>;
