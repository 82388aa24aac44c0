import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { v7 } from 'uuid';
import { percentile } from './compare.ts';
import { connected, type Program } from './processes.ts';
import type { Seeded } from './seed.ts';
import { sized } from './size.ts';

const CLIENTS = 50;
const LAPS = sized(20, 2);

const reply = JSON.stringify({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_790_000_000,
  model: 'slow',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Only you.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});

/** A model that gives no answer from `hold` to `release`. */
export const slowModel = async () => {
  let gate = Promise.withResolvers<void>();
  const server = createServer(async (incoming, response) => {
    incoming.resume();
    await gate.promise;
    response.writeHead(200, { 'content-type': 'application/json' }).end(reply);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    hold() {
      gate = Promise.withResolvers();
    },
    release: () => gate.resolve(),
    close: () => server.close().closeAllConnections(),
  };
};

type SlowModel = Awaited<ReturnType<typeof slowModel>>;

/** A conversation with an agent of the slow model. */
const idle = (url: string, { workspaceId, userId }: Seeded): Promise<string> =>
  connected(url, async (client) => {
    const agentId = v7();
    const id = v7();
    await client.query(
      `insert into agents (id, workspace_id, name, description, workflow_type, model, instructions) values ($1, $2, 'Slow', 'Answers when it is released', 'assistant', 'openai/slow', '')`,
      [agentId, workspaceId],
    );
    await client.query(
      `insert into conversations (id, workspace_id, agent_id, user_id, status) values ($1, $2, $3, $4, 'idle')`,
      [id, workspaceId, agentId, userId],
    );
    return id;
  });

interface Answered {
  readonly status: number;
  readonly ms: number;
}

const post = (url: string, headers: Record<string, string>, agent: Agent) =>
  new Promise<Answered>((resolve, reject) => {
    const began = performance.now();
    const options = { method: 'POST', agent, headers: { ...headers, 'content-type': 'application/json' } };
    const asking = request(url, options, (answer) => {
      answer.resume().once('end', () => resolve({ status: answer.statusCode ?? 0, ms: performance.now() - began }));
    });
    asking.once('error', reject).end('{"message":"Hello"}');
  });

/** All clients at once: the model answers the one that is let in when all the others are refused. */
const rush = async (
  url: string,
  headers: Record<string, string>,
  agent: Agent,
  model: SlowModel,
): Promise<readonly number[]> => {
  let refusals = 0;
  model.hold();
  const answers = await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      const one = await post(url, headers, agent);
      if (one.status === 409 && ++refusals === CLIENTS - 1) model.release();
      return one;
    }),
  );
  const refused = answers.filter(({ status }) => status === 409);
  if (refused.length !== CLIENTS - 1) throw new Error(`of ${CLIENTS} clients ${refused.length} were refused`);
  return refused.map(({ ms }) => ms);
};

const figures = (times: readonly number[]) => {
  const at = (part: number) => percentile(times, part).toFixed(0);
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${at(1)} ms`;
};

/** Fifty clients post to one conversation: how soon the 49 that come too late are refused, on new connections and on open ones. */
export const refusals = async (
  server: Program,
  url: string,
  seeded: Seeded,
  headers: Record<string, string>,
  model: SlowModel,
) => {
  const address = `${server.baseUrl}/api/v1/threads/${await idle(url, seeded)}/messages`;
  const lap = async (agent: Agent) => rush(address, headers, agent, model);
  const fresh: number[] = [];
  const first = await lap(new Agent());
  for (let done = 1; done < LAPS; done += 1) fresh.push(...(await lap(new Agent())));
  const kept = new Agent({ keepAlive: true });
  await lap(kept);
  const open: number[] = [];
  for (let done = 0; done < LAPS; done += 1) open.push(...(await lap(kept)));
  kept.destroy();
  console.log(`\n50 clients post to one conversation at once; 49 of them are refused (409) after (goal: max < 100 ms)`);
  console.log(`  the first time since the start: ${figures(first)}`);
  console.log(`  on new connections: ${figures(fresh)}`);
  console.log(`  on open connections: ${figures(open)}`);
};
