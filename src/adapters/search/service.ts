import {
  type Outbound,
  type OutboundAnswer,
  OutboundFailure,
  type OutboundRequest,
} from '../../application/ports/outbound.ts';
import type { SearchResult } from '../../application/ports/search.ts';
import { DomainError } from '../../domain/errors.ts';
import { isObject } from '../../domain/json.ts';

/** What an engine takes that asks for a key. */
export interface KeyedEngine {
  readonly apiKey: string;
  readonly outbound: Outbound;
  readonly baseUrl?: string;
}

/** A search engine with an HTTP API. */
export interface Service {
  readonly name: string;
  /** The setting that configures it, for error messages. */
  readonly variable: string;
  /** Without a slash at the end. */
  readonly baseUrl: string;
  /** What its own statuses mean, as the end of a sentence that begins with its name. */
  readonly meanings: Readonly<Record<number, string>>;
}

const TERMS = { timeoutSeconds: 10, maxBytes: 5_000_000, redirects: 0 };

const unavailable = (why: string, cause?: unknown) =>
  new DomainError('unavailable', `The web cannot be searched: ${why}`, { cause });

const invalidAnswer = ({ name, variable }: Service) =>
  unavailable(`what ${name} answered is no search result. Is ${variable} right?`);

const meaningOf = ({ variable, meanings }: Service, status: number): string => {
  const known = meanings[status];
  if (known !== undefined) return known;
  if (status === 429) return 'takes no more searches for the moment: its rate limit is spent';
  if (status === 401 || status === 403) return `does not accept ${variable}`;
  if (status >= 500) return `has an error of its own (status ${status})`;
  return `answered with status ${status}; is ${variable} right?`;
};

const parsed = (body: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return null;
  }
};

/** The JSON object that the service answers. Its host may be at a private address, because the operator configured it. */
export const ask = async (
  service: Service,
  outbound: Outbound,
  { path, ...request }: Omit<OutboundRequest, 'url'> & { readonly path: string },
  signal: AbortSignal,
): Promise<Readonly<Record<string, unknown>>> => {
  const terms = { ...TERMS, allowedHosts: [new URL(service.baseUrl).host] };
  let answer: OutboundAnswer;
  try {
    answer = await outbound.send({ ...request, url: service.baseUrl + path }, terms, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof OutboundFailure) throw unavailable(error.message, error);
    throw error;
  }
  if (answer.status !== 200) throw unavailable(`${service.name} ${meaningOf(service, answer.status)}.`);
  const body = parsed(answer.body);
  if (isObject(body)) return body;
  throw invalidAnswer(service);
};

const textOf = (value: unknown, max: number) =>
  typeof value === 'string' ? value.slice(0, max).toWellFormed().replaceAll('\0', '').replace(/\s+/g, ' ').trim() : '';

/** The address of a page of the web; null for anything else. */
export const webAddress = (value: unknown): string | null => {
  const url = typeof value === 'string' && value.length <= 4096 ? URL.parse(value) : null;
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : null;
};

/** The usable entries among a service's results. */
export const resultsOf = (
  service: Service,
  entries: unknown,
  names: { readonly snippet: string; readonly text?: (value: string) => string },
  limit: number,
): readonly SearchResult[] => {
  if (!Array.isArray(entries)) throw invalidAnswer(service);
  const results = new Map<string, SearchResult>();
  const read = names.text ?? ((value: string) => value);
  for (const entry of entries) {
    const url = isObject(entry) ? webAddress(entry.url) : null;
    if (!isObject(entry) || url === null || results.has(url)) continue;
    results.set(url, {
      url,
      title: read(textOf(entry.title, 500)),
      snippet: read(textOf(entry[names.snippet], 2_000)),
    });
    if (results.size >= limit) break;
  }
  return [...results.values()];
};

/** As many whole words of a query as a service accepts. */
export const shortened = (
  query: string,
  { characters, words }: { readonly characters: number; readonly words: number },
): string => {
  const whole = query.trim().split(/\s+/).slice(0, words).join(' ');
  if (whole.length <= characters) return whole;
  const cut = whole.slice(0, characters + 1);
  return (cut.includes(' ') ? cut.slice(0, cut.lastIndexOf(' ')) : cut.slice(0, characters)).toWellFormed();
};
