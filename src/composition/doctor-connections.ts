import type { Check } from '../adapters/cli/operator.ts';
import type { Hop } from '../application/ports/connectors.ts';
import type { ConnectionOf } from '../application/ports/storage.ts';
import type { Config } from './config.ts';
import type { Composition } from './container.ts';
import { port, service } from './tokens.ts';

const TIME_MS = 60_000;

const statusOf: Record<Hop['status'], Check['status']> = { ok: 'ok', warn: 'warn', fail: 'fail', skipped: 'ok' };

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

const fromHere = async (connection: ConnectionOf, { container }: Composition): Promise<readonly Check[]> => {
  const name = `connection ${connection.workspace}/${connection.name}`;
  try {
    const hops = await container.get(port.connectors).open(connection).examine(AbortSignal.timeout(TIME_MS));
    return hops.map((hop) => ({ name: `${name}: ${hop.name}`, status: statusOf[hop.status], detail: hop.detail }));
  } catch (error) {
    return [{ name, status: 'fail', detail: reasonOf(error) }];
  }
};

/** Asks the gateway for one record, as somebody who sees the connection, with a key that lives as long as the question. */
const throughGateway = async (connection: ConnectionOf, gateway: string, { container }: Composition): Promise<Check> => {
  const name = `connection ${connection.workspace}/${connection.name}: through the gateway`;
  const { viewerEmail: email } = connection;
  if (email === null) return { name, status: 'warn', detail: 'nobody sees this connection, so nobody can ask the gateway for it' };
  const keys = container.get(service.keys);
  const { id, key } = await keys.create({ email, name: 'doctor', lifetimeDays: 1, scopes: null });
  try {
    const signal = AbortSignal.timeout(TIME_MS);
    const [table] = await container.get(port.connectors).open(connection).tables(signal);
    if (!table) return { name, status: 'warn', detail: 'it has no table to read' };
    const query = new URLSearchParams({ entity_id: `${table.schema}.${table.name}`, limit: '1' });
    const url = `${gateway}/v1/connections/${connection.id}/records?${query}`;
    const answer = await fetch(url, { headers: { 'x-api-key': key }, redirect: 'error', signal });
    await answer.body?.cancel();
    return answer.ok
      ? { name, status: 'ok', detail: 'a record was read' }
      : { name, status: 'fail', detail: `it answered ${answer.status}` };
  } catch (error) {
    return { name, status: 'fail', detail: error instanceof TypeError ? 'the gateway could not be reached' : reasonOf(error) };
  } finally {
    await keys.revoke(id);
  }
};

/** Each connection of every workspace, hop by hop, from here and through the gateway where there is one. */
export const examineConnections = async ({ egressUrl }: Config, composition: Composition): Promise<readonly Check[]> => {
  const checks: Check[] = [];
  for (const connection of await composition.container.get(port.connections).all()) {
    checks.push(...(await fromHere(connection, composition)));
    if (egressUrl !== null) checks.push(await throughGateway(connection, egressUrl, composition));
  }
  return checks;
};
