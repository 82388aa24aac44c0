import type { Client } from './client.ts';
import { CliFailure } from './failures.ts';
import { type Agent, agents } from './wire.ts';

const MAX_NAMED = 10;

/** The agent with this id or name; upper and lower case are one where that leaves no doubt. */
export const findAgent = async (client: Client, wanted: string): Promise<Agent> => {
  const { value } = await client.call({ path: 'agents', answer: agents });
  const exact = value.agents.find(({ id, name }) => name === wanted || id === wanted.toLowerCase());
  const alike = value.agents.filter(({ name }) => name.toLowerCase() === wanted.toLowerCase());
  const found = exact ?? (alike.length === 1 ? alike[0] : undefined);
  if (found) return found;
  const names = value.agents.slice(0, MAX_NAMED).map(({ name }) => name);
  const known =
    names.length === 0 ? 'you can see no agent' : `you can see ${names.join(', ')}${value.agents.length > MAX_NAMED ? ', …' : ''}`;
  throw new CliFailure(`there is no agent "${wanted}": ${known}`);
};
