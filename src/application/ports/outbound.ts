export interface OutboundRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** From outside: nothing about it is trusted. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | null;
}

export interface OutboundTerms {
  /** For everything together: the name, the connections, the redirects and the body. */
  readonly timeoutSeconds: number;
  /** Of the body, both as it travels and once it is decompressed. */
  readonly maxBytes: number;
  /** How many are followed; with 0 a redirect is an answer like any other. */
  readonly redirects: number;
  readonly httpsOnly?: boolean;
  /** Hosts (`host` or `host:port`) that may be at private addresses, besides those that the configuration names. */
  readonly allowedHosts?: readonly string[];
  /** `beginning`: the body is cut at `maxBytes`, and what breaks after the head is no failure. Absent: `whole`. */
  readonly read?: 'whole' | 'beginning';
  /** Gets each piece of a body that is read whole, as it arrives. */
  onPiece?(head: OutboundHead, piece: Uint8Array): void;
}

export interface OutboundHead {
  readonly status: number;
  /** By lower-case name, without cookies. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface OutboundAnswer extends OutboundHead {
  readonly body: Uint8Array;
  /** Whether the body broke off before its end, and before `maxBytes`: a `beginning` alone may. */
  readonly brokeOff?: boolean;
  /** The address that answered: another one than was asked if redirects were followed. */
  readonly url: string;
}

/** `refused`: Portico does not send this. The others: it was sent, or could have been, and nothing usable came back. */
export type OutboundReason = 'refused' | 'unreachable' | 'timeout' | 'too_large' | 'invalid_answer';

/** No answer, and why. The message may be shown to the author of the address: it names the host and nothing that was found behind it. */
export class OutboundFailure extends Error {
  readonly reason: OutboundReason;
  /** The host that the message names; null if it names none. */
  readonly host: string | null;

  constructor(
    reason: OutboundReason,
    message: string,
    { host = null, cause }: { readonly host?: string | null; readonly cause?: unknown } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'OutboundFailure';
    this.reason = reason;
    this.host = host;
  }
}

/** HTTP requests to addresses that came from outside, never to a place that only Portico can reach. */
export interface Outbound {
  /** Any status is an answer. Rejects with OutboundFailure, or with the signal's reason when it aborts. */
  send(request: OutboundRequest, terms: OutboundTerms, signal: AbortSignal): Promise<OutboundAnswer>;
}

/** An address behind the name of a host. */
export interface HostAddress {
  readonly address: string;
  readonly family: number;
}

/** Hosts that others chose, for connections of other protocols than HTTP. */
export interface ReachableHosts {
  /** The addresses to connect to, and no others. Rejects with OutboundFailure if the host is not found, or one of them is not to be reached. */
  addressesOf(host: string, port: number, signal: AbortSignal): Promise<readonly HostAddress[]>;
}
