import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { TurnWorker } from '../../src/composition/modules/conversations.ts';
import { RunWorker } from '../../src/composition/modules/worker.ts';
import { oauthClient } from '../oauth/client.ts';
import { openWorld } from '../oauth/world.ts';

export interface Shown {
  readonly id: string;
  readonly status: string;
  readonly run_id: string | null;
  readonly conversation_id: string | null;
  readonly arguments: object;
  readonly arguments_digest: string;
  readonly rehearsal: { readonly rows_affected: number; readonly rejected: string | null } | null;
  readonly decided_by: { readonly email: string } | null;
  readonly note: string | null;
}

export interface Run {
  readonly id: string;
  readonly status: string;
  readonly attempt: number;
  readonly waiting_for: { readonly approval_ids: readonly string[] } | null;
  readonly conversations: readonly { readonly id: string }[];
}

/** Whatever pays is outside, and counts what it was asked for. */
const bank = async () => {
  const paid: string[] = [];
  const server: Server = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => {
      paid.push(body);
      response.end('paid');
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { paid, host: `127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
};

const agent = (name: string, host: string, approval: string) => `
  - name: ${name}
    workflow_type: assistant
    model: offline
    instructions: Pay.
    tools:
      - http: { name: pay, method: POST, url: "http://${host}/pay", input_schema: { type: object, properties: { amount: { type: number } }, required: [amount] }, allow_hosts: ["${host}"] }
        requires_approval: ${approval}`;

/** A server with people, agents that pay, and workers; whatever is paid is counted outside. */
export const openPaying = async () => {
  const outside = await bank();
  const agents = agent('Payer', outside.host, 'true') + agent('Careful payer', outside.host, 'other_person');
  const world = await openWorld({ agents, env: { RATE_LIMIT_RUNS: '1000000' } });
  const oauth = oauthClient(world.baseUrl);
  const key = await world.key('ada@example.com');
  const ada = await oauth.consoleToken('ada@example.com');
  const bob = await oauth.consoleToken('bob@example.com');
  const workers = [world.composition.container.get(RunWorker), world.composition.container.get(TurnWorker)];
  for (const worker of workers) worker.start();

  const send = async (method: string, path: string, headers: Readonly<Record<string, string>>, body?: object) => {
    const answer = await fetch(`${world.baseUrl}/api/v1${path}`, {
      method,
      headers: { ...headers, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const { data, code } = (await answer.json()) as { data: unknown; code?: string };
    return { status: answer.status, code, data };
  };
  const withKey = () => ({ 'x-api-key': key });
  const read = async <T>(path: string) => (await send('GET', path, withKey())).data as T;
  const readRun = (id: string) => read<Run>(`/runs/${id}`);

  const until = async <T>(look: () => Promise<T>, isSo: (seen: T) => boolean): Promise<T> => {
    for (let tries = 0; tries < 300; tries += 1) {
      const seen = await look();
      if (isSo(seen)) return seen;
      await sleep(50);
    }
    throw new Error(`it never was so: ${JSON.stringify(await look())}`);
  };

  const decide = (
    { id, arguments_digest }: Pick<Shown, 'id' | 'arguments_digest'>,
    token: string,
    decision: string,
    note: string | null = null,
  ) => send('POST', `/approvals/${id}`, { authorization: `Bearer ${token}` }, { decision, arguments_digest, note });
  const start = async (message: string, name = 'Payer') => {
    const path = `/agents/${world.agent(name)}/run`;
    const { data } = await send('POST', path, withKey(), { user_message: message });
    return (data as Run).id;
  };
  const ended = (id: string) =>
    until(
      () => readRun(id),
      ({ status }) => status !== 'queued' && status !== 'running',
    );
  const paidFor = (amount: number) => outside.paid.filter((body) => body === JSON.stringify({ amount })).length;

  return {
    world,
    ada,
    bob,
    send,
    withKey,
    read,
    readRun,
    until,
    decide,
    start,
    ended,
    paidFor,
    async close() {
      for (const worker of workers) await worker.stop(1000);
      await world.stop();
      outside.close();
    },
  };
};

export type Paying = Awaited<ReturnType<typeof openPaying>>;
