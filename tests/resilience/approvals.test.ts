import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { browser } from '../oauth/browser.ts';
import { oauthClient } from '../oauth/client.ts';
import { PASSWORD } from '../oauth/world.ts';
import { listen } from '../support/listen.ts';
import { applyTo, keyOn } from '../support/operator.ts';
import { embeddedDatabase, type OwnDatabase } from '../support/postgres.ts';
import { aServer, type Server } from '../support/server.ts';
import { until } from '../support/until.ts';
import { randomOf } from './traffic.ts';

/** A night of it: TEST_KILLS=200. */
const KILLS = Number(process.env.TEST_KILLS ?? 6);

const workspace = (port: number) => `
workspace: till
users:
  - { email: ada@example.com, name: Ada, role: admin }
agents:
  - name: Payer
    workflow_type: assistant
    model: offline
    instructions: Pay.
    tools:
      - http: { name: pay, method: POST, url: "http://127.0.0.1:${port}/pay", input_schema: { type: object, properties: { amount: { type: number } }, required: [amount] }, allow_hosts: ["127.0.0.1:${port}"] }
        requires_approval: true
`;

interface Message {
  readonly role: string;
  readonly content: string;
}

interface Thread {
  readonly status: string;
  readonly waiting_for: { readonly approval_ids: readonly string[] } | null;
  readonly messages: readonly Message[];
}

interface Approval {
  readonly id: string;
  readonly status: string;
  readonly arguments_digest: string;
}

/** On a machine that is too busy to renew its leases, a run or a turn is given up after some takeovers: then nobody is told. */
const GIVEN_UP = 'given up';

/** A call that waits, and how to see what the agent made of it. */
interface Asked {
  readonly amount: number;
  readonly approval: Approval;
  /** What the model, or the program, was told of the call in the end; null before. */
  told(): Promise<string | null>;
  /** Where it stands, for the message of a failure. */
  state(): Promise<unknown>;
}

describe('calls that a person approves, while the server is killed', function () {
  this.timeout(KILLS * 120_000 + 300_000);
  const seed = Number(process.env.TEST_SEED ?? randomInt(2 ** 31));
  const random = randomOf(seed);
  /** How often each amount was paid, as the bank outside counts. */
  const paid = new Map<number, number>();
  let bank: Awaited<ReturnType<typeof listen>>;
  let postgres: OwnDatabase;
  let server: Server;
  let key: string;
  let agent: string;

  before(async () => {
    console.log(`    seed: TEST_SEED=${seed}`);
    bank = await listen((request, response) => {
      let body = '';
      request.on('data', (part) => {
        body += part;
      });
      request.on('end', () => {
        const { amount } = JSON.parse(body) as { amount: number };
        paid.set(amount, (paid.get(amount) ?? 0) + 1);
        // A server is killed before, in and after the call.
        setTimeout(() => response.end('paid'), random() * 150);
      });
    });
    postgres = await embeddedDatabase();
    const leases = { RUN_LEASE_SECONDS: '4', CONVERSATION_LEASE_SECONDS: '4', TOOL_TIMEOUT_SECONDS: '2' };
    server = await aServer({ env: { DATABASE_URL: postgres.url, DEMO: 'false', ...leases } });
    await server.start();
    await applyTo(server, postgres.url, workspace(bank.port));
    key = await keyOn(server, postgres.url, 'ada@example.com');
    const invited = await server.command(['users', 'invite', 'ada@example.com']);
    const link = /\S+\/oauth\/invitation\/\S+/.exec(invited.stdout)?.[0] ?? '';
    const on = browser(server.baseUrl);
    await on.press(await on.open(link), 'Set the password', { password: PASSWORD, again: PASSWORD });
    agent = (await ask<{ agents: readonly { id: string }[] }>('GET', '/agents')).agents[0]?.id ?? '';
  });

  after(async () => {
    await server?.close();
    await bank?.stop();
    await postgres?.drop();
  });

  const request = async (method: string, path: string, headers: Readonly<Record<string, string>>, body?: object) =>
    fetch(`${server.baseUrl}/api/v1${path}`, {
      method,
      headers: { ...headers, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
  const ask = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const answer = await request(method, path, { 'x-api-key': key }, body);
    return ((await answer.json()) as { data: T }).data;
  };
  const thread = (id: string) => ask<Thread>('GET', `/threads/${id}`);
  const lastResult = ({ messages }: Thread) => messages.findLast(({ role }) => role === 'tool')?.content ?? null;

  interface Run {
    readonly id: string;
    readonly status: string;
    readonly status_reason: { readonly code: string } | null;
    readonly waiting_for: { readonly approval_ids: readonly string[] } | null;
    readonly conversations: readonly { readonly id: string }[];
  }
  const run = (id: string) => ask<Run>('GET', `/runs/${id}`);
  const begin = async (message: string) =>
    (await ask<Run>('POST', `/agents/${agent}/run`, { user_message: message })).id;
  const waitsFor = async (look: () => Promise<Pick<Run, 'waiting_for'>>): Promise<Approval> => {
    let id: string | undefined;
    await until('a call waits', async () => {
      id = (await look()).waiting_for?.approval_ids[0];
      return id !== undefined;
    });
    return ask<Approval>('GET', `/approvals/${id}`);
  };

  const inRun = async (amount: number): Promise<Asked> => {
    const id = await begin(`/pay {"amount": ${amount}}`);
    const told = async () => {
      const { status, status_reason: reason, conversations } = await run(id);
      if (reason?.code === 'worker_lost') return GIVEN_UP;
      return status === 'completed' ? lastResult(await thread(conversations[0]?.id ?? '')) : null;
    };
    return { amount, approval: await waitsFor(() => run(id)), told, state: () => run(id) };
  };

  const inConversation = async (amount: number): Promise<Asked> => {
    const first = await begin('Hello');
    await until('the conversation is there', async () => (await run(first)).status === 'completed');
    const id = (await run(first)).conversations[0]?.id ?? '';
    await ask('POST', `/threads/${id}/messages`, { message: `/pay {"amount": ${amount}}` });
    const told = async () => {
      const found = await thread(id);
      if (found.status !== 'idle' || found.waiting_for !== null) return null;
      return found.messages.at(-1)?.role === 'assistant' ? lastResult(found) : GIVEN_UP;
    };
    return { amount, approval: await waitsFor(() => thread(id)), told, state: () => thread(id) };
  };

  const overMcp = async (amount: number): Promise<Asked> => {
    const call = async () => {
      const message = {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'pay', arguments: { amount } },
      };
      const answer = await request('POST', `/agents/${agent}/mcp`, { 'x-api-key': key }, message);
      const { result } = (await answer.json()) as { result: { content: readonly { readonly text: string }[] } };
      return result.content[0]?.text ?? '';
    };
    const [id] = /[0-9a-f-]{36}/.exec(await call()) ?? expect.fail('the call does not wait');
    const told = async () => {
      const text = await call();
      return /a person has to approve|is being made/.test(text) ? null : text;
    };
    return { amount, approval: await ask<Approval>('GET', `/approvals/${id}`), told, state: call };
  };

  const decide = async ({ approval: { id, arguments_digest } }: Asked, token: string) => {
    const body = { decision: 'approve', arguments_digest };
    return (await request('POST', `/approvals/${id}`, { authorization: `Bearer ${token}` }, body)).status;
  };

  it(`are made at most once each, and once where the model was told so (${KILLS} kills)`, async () => {
    const oauth = oauthClient(server.baseUrl);
    const outcomes = { paid: 0, unknown: 0, givenUp: 0 };
    for (let round = 0; round < KILLS; round++) {
      const asked = await Promise.all([inRun(3 * round + 1), inConversation(3 * round + 2), overMcp(3 * round + 3)]);
      const token = await oauth.consoleToken('ada@example.com');
      // A program calls again after the decision; for the others, a look does no harm.
      const decisions = asked.map((each) =>
        decide(each, token)
          .then(() => each.told())
          .catch(() => null),
      );
      await sleep(random() * 400);
      await server.kill();
      await Promise.all(decisions);
      await server.start();
      for (const each of asked) {
        const { status } = await ask<Approval>('GET', `/approvals/${each.approval.id}`);
        expect(status).to.be.oneOf(['pending', 'approved']);
        if (status === 'pending') expect(await decide(each, token)).to.equal(200);
      }
      for (const { amount, told, state } of asked) {
        let answer: string | null = null;
        await until('the turn is over', async () => {
          answer = await told();
          return answer !== null;
        }).catch(async (error) => {
          throw new Error(`round ${round}, seed ${seed}: ${JSON.stringify(await state())}`, { cause: error });
        });
        const times = paid.get(amount) ?? 0;
        const outcome = answer === 'paid' ? 'paid' : answer === GIVEN_UP ? 'givenUp' : 'unknown';
        if (outcome === 'unknown') expect(answer).to.match(/not known whether the call took effect/);
        expect(times).to.be.within(outcome === 'paid' ? 1 : 0, 1, `${amount} was paid, seed ${seed}`);
        outcomes[outcome]++;
      }
    }
    console.log(
      `      ${outcomes.paid} paid, ${outcomes.unknown} with an unknown outcome, ${outcomes.givenUp} given up`,
    );
    expect(outcomes.paid).to.be.greaterThan(0);
  });
});
