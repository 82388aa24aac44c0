import { type Portico, portico, type Retry } from '../../client/portico.ts';
import { parseJson } from '../../domain/json-number.ts';
import { type Agent, read } from './answers.ts';
import type { CliDependencies, Environment } from './dependencies.ts';
import { CliFailure, howToGetAKey } from './failures.ts';

const baseUrl = (env: Environment): string => {
  const text = env.PORTICO_URL || 'http://localhost:3000';
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw new CliFailure('PORTICO_URL must be an address such as http://localhost:3000');
  if (url.username !== '' || url.password !== '')
    throw new CliFailure('PORTICO_URL must not contain a user name or a password');
  return url.href;
};

const apiKey = (env: Environment): string => {
  const key = env.PORTICO_API_KEY?.trim();
  if (!key) throw new CliFailure('PORTICO_API_KEY is not set: this command needs an API key', [howToGetAKey]);
  if (!/^[\x21-\x7e]{1,200}$/.test(key))
    throw new CliFailure('PORTICO_API_KEY contains characters that no API key has', [howToGetAKey]);
  return key;
};

const whyAgain = (status: Retry['status']): string => {
  if (status === null) return 'the server cannot be reached';
  return status === 429 ? 'too many requests' : `the server answered ${status}`;
};

const noteOf = ({ status, seconds }: Retry): string => `${whyAgain(status)}; trying again in ${Math.ceil(seconds)} s`;

/** Notes a pause that a person notices. */
export const retryNotes = (note: (line: string) => void) => (retry: Retry) => {
  if (retry.seconds >= 1) note(noteOf(retry));
};

/** Where the server is, and the key for it. */
export const credentials = (env: Environment) => ({ baseUrl: baseUrl(env), apiKey: apiKey(env) });

/** The client of the server at PORTICO_URL. */
export const connect = (
  { env, version }: Pick<CliDependencies, 'env' | 'version'>,
  signal: AbortSignal,
  note: (line: string) => void,
): Portico =>
  portico({ ...credentials(env), userAgent: `portico-cli/${version}`, signal, parseJson, onRetry: retryNotes(note) });

const MAX_NAMED = 10;

/** The agent with this id or name; the case of a name matters only if two differ by nothing else. */
export const findAgent = async (client: Portico, wanted: string): Promise<Agent> => {
  const { agents } = await read('agents', client.get('/api/v1/agents'));
  const exact = agents.find(({ id, name }) => name === wanted || id === wanted.toLowerCase());
  const alike = agents.filter(({ name }) => name.toLowerCase() === wanted.toLowerCase());
  const agent = exact ?? (alike.length === 1 ? alike[0] : undefined);
  if (agent) return agent;
  const names = agents.slice(0, MAX_NAMED).map(({ name }) => name);
  const known =
    names.length === 0
      ? 'you can see no agent'
      : `you can see ${names.join(', ')}${agents.length > MAX_NAMED ? ', …' : ''}`;
  throw new CliFailure(`there is no agent "${wanted}": ${known}`);
};

/** Its id, for a filter by agent; undefined without one. */
export const agentIdOf = async (client: Portico, wanted: string | undefined): Promise<string | undefined> =>
  wanted === undefined ? undefined : (await findAgent(client, wanted)).id;
