import { createHmac, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import pg from 'pg';
import { printed } from '../support/program.ts';
import { receiver, type Seen } from '../support/receiver.ts';
import type { Installation, Kind } from './installations.ts';

const key = randomBytes(24);
const secret = `whsec_${key.toString('base64')}`;

const workspace = (hooks: readonly string[]) => `
workspace: hooks
users:
  - { email: hooks@example.com, name: Hooks, role: admin }
agents:
  - name: Reader
    workflow_type: document_extraction
    model: offline
    instructions: Read it.
    document_schema: { type: object, properties: { total: { type: number } } }
webhooks:
${hooks.map((hook) => `  - ${hook}`).join('\n')}
`;

interface Message {
  readonly type: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** What a receiver may trust; throws where the signature does not fit. */
const trusted = ({ headers, body }: Seen): Message => {
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  const expected = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  expect(headers['webhook-signature']).to.equal(expected);
  return JSON.parse(body);
};

/** On a server of its own, with somebody who listens. */
export const webhooks = (kind: Kind) =>
  describe('webhooks', () => {
    let server: Installation;
    let close: () => Promise<void>;
    let hold = false;
    let seen: Seen[];
    let url: string;
    let apiKey: string;
    let agentId: string;

    const apply = (text: string, ...more: string[]) =>
      server.command(['apply', '-f', '-', '--json', ...more], { WEBHOOK_SECRET: secret }, text);
    const hook = () => `{ url: "${url}/in?token=hush-token", events: ["*"], secret: "\${WEBHOOK_SECRET}" }`;
    const call = async (method: string, path: string, body?: object) => {
      const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
      const answer = await fetch(`${server.baseUrl}/api/v1/${path}`, {
        method,
        headers,
        ...(body && { body: JSON.stringify(body) }),
      });
      const { data } = (await answer.json()) as { data: Record<string, unknown> };
      return data;
    };
    const run = () => call('POST', `agents/${agentId}/run`, { user_message: 'Total: 12' });
    const untilSeen = async (isEnough: (types: readonly string[]) => boolean) => {
      const giveUp = Date.now() + 60_000;
      for (;;) {
        const types = seen.map(({ body }) => JSON.parse(body).type as string);
        if (isEnough(types)) return;
        if (Date.now() > giveUp)
          throw new Error(`Only these arrived: ${types.join(', ')}. ${(await server.logs()).slice(-2000)}`);
        await sleep(20);
      }
    };
    const inDatabase = async (text: string) => {
      const client = new pg.Client({ connectionString: await server.databaseUrl() });
      await client.connect();
      await client.query(text).finally(() => client.end());
    };

    before(async function () {
      const listening = await receiver((response) => {
        if (!hold) response.writeHead(200).end('thanks');
      });
      ({ url, seen, close } = listening);
      const made = await kind.make({ OUTBOUND_ALLOWED_HOSTS: listening.host, DEMO: 'false' });
      if (!made) return this.skip();
      server = made;
      await server.start();
      const applied = await apply(workspace([hook()]));
      expect(applied.code, applied.stderr).to.equal(0);
      const created = await server.command(['keys', 'create', '--user', 'hooks@example.com', '--json']);
      apiKey = printed<{ key: string }>(created).key;
      const { agents } = (await call('GET', 'agents')) as { agents: readonly { id: string }[] };
      agentId = agents[0]?.id ?? '';
    });
    beforeEach(() => {
      hold = false;
      seen.length = 0;
    });
    after(async () => {
      await close?.();
      await server?.close();
    });

    it('tell of a run and its document what the API shows', async () => {
      const queued = await run();
      await untilSeen((types) => types.includes('run.completed'));
      const messages = seen.map(trusted);
      expect(messages.map(({ type }) => type)).to.deep.equal([
        'run.queued',
        'run.running',
        'document.ready',
        'run.completed',
      ]);
      expect(messages[0]?.data).to.deep.equal(queued);
      const detail = await call('GET', `runs/${queued.id}`);
      const { data } = messages[3] as Message;
      expect(data).to.deep.equal(Object.fromEntries(Object.keys(data).map((name) => [name, detail[name]])));
      const documentId = String(messages[2]?.data.id);
      const { document_data, duplicates, hold, ...shown } = await call('GET', `documents/${documentId}`);
      expect(messages[2]?.data).to.deep.equal(shown);
      seen.length = 0;
      await call('DELETE', `documents/${documentId}`);
      await untilSeen((types) => types.includes('document.trashed'));
      expect(trusted(seen[0] as Seen).data).to.include({ id: documentId, status: 'trashed' });
    });

    it('are sent again, under the same id, after a kill before the answer', async () => {
      // The message of the test before may come again too: it was answered, but perhaps not yet stored as delivered.
      const ofRuns = () => seen.filter((each) => trusted(each).type.startsWith('run.'));
      hold = true;
      await run();
      await untilSeen((types) => types.includes('run.queued'));
      const before = ofRuns()[0]?.headers['webhook-id'];
      await server.kill();
      hold = false;
      seen.length = 0;
      await server.start();
      await inDatabase(`update webhook_deliveries set due_at = now() where status = 'pending' and claimed;
        update run_leases set expires_at = now()`);
      await untilSeen((types) => types.includes('run.completed'));
      const again = ofRuns();
      expect(again.map((each) => trusted(each).type).slice(0, 2)).to.deep.equal(['run.queued', 'run.running']);
      expect(again[0]?.headers['webhook-id']).to.equal(before);
    });

    it('are listed, and sent once more when the operator says so', async () => {
      const listed = printed<{ webhooks: Record<string, unknown>[] }>(
        await server.command(['webhooks', 'list', '--json']),
      );
      const [webhook] = listed.webhooks;
      expect(webhook)
        .to.include({ workspace: 'hooks', url: `${url}/in`, failed: 0 })
        .and.have.deep.property('events', ['*']);
      const args = [
        'webhooks',
        'deliveries',
        '--webhook',
        String(webhook?.id),
        '--status',
        'delivered',
        '--limit',
        '1',
        '--json',
      ];
      const { deliveries } = printed<{ deliveries: Record<string, unknown>[] }>(await server.command(args));
      expect(deliveries).to.have.length(1);
      expect(deliveries[0]).to.include({
        url: `${url}/in`,
        status: 'delivered',
        last_status: 200,
        last_error: null,
        last_response: 'thanks',
      });
      const id = String(deliveries[0]?.id);
      const history = await server.command(['webhooks', 'attempts', id, '--json']);
      const { attempts } = printed<{ attempts: Record<string, unknown>[] }>(history);
      expect(attempts[0]).to.include({ status: 200, error: null, response: 'thanks' });
      expect(attempts[0]?.duration_ms).to.be.a('number');
      const again = await server.command(['webhooks', 'redeliver', id, '--json']);
      expect(printed(again)).to.deep.equal({ id, status: 'pending' });
      await untilSeen((types) => types.length > 0);
      expect(seen[0]?.headers['webhook-id']).to.equal(id);
      const unknown = await server.command(['webhooks', 'redeliver', '0197a3f0-5a5e-7c3e-9d0a-3f5b8c1d2e4f']);
      expect(unknown).to.include({ code: 1, stderr: 'portico: There is no such delivery.\n' });
      expect((await server.command(['webhooks', 'deliveries', '--status', 'lost'])).code).to.equal(2);
      for (const command of [
        ['webhooks', 'list'],
        ['webhooks', 'deliveries'],
      ]) {
        const { code, stdout } = await server.command(command);
        expect(code).to.equal(0);
        expect(stdout).to.not.include('hush-token').and.not.include(secret);
      }
    });

    if (!kind.commandsElsewhere) {
      it('are what the workspace file says, by their whole address', async () => {
        const changes = async (text: string, ...more: string[]) => {
          const { changes: all } = printed<{ changes: { kind: string; action: string; name: string }[] }>(
            await apply(text, ...more),
          );
          return all.filter(({ kind }) => kind === 'webhooks').map(({ action, name }) => `${action} ${name}`);
        };
        const other = `{ url: "${url}/in?token=other", events: ["run.failed"], secret: first }`;
        expect(await changes(workspace([hook(), other]))).to.deep.equal([`keep ${url}/in`, `create ${url}/in`]);
        expect(await changes(workspace([hook(), other.replace('first', 'second')]))).to.deep.equal([
          `keep ${url}/in`,
          `change ${url}/in`,
        ]);
        expect(await changes(workspace([hook()]))).to.deep.equal([`keep ${url}/in`, `missing ${url}/in`]);
        expect(await changes(workspace([hook()]), '--prune')).to.deep.equal([`keep ${url}/in`, `remove ${url}/in`]);
        expect(await changes(workspace([hook()]))).to.deep.equal([`keep ${url}/in`]);
      });

      it('are refused with every error of the file, none of which repeats a secret', async () => {
        const bad = [
          '{ url: "https://user:hush-1@example.com/", events: ["*"], secret: "whsec_hush-2!" }',
          '{ url: "https://example.com/?hush-3", events: [], secret: s }',
          '{ url: "https://example.com/?hush-3", events: ["*"], secret: s }',
        ];
        const { code, stderr } = await server.command(['apply', '-f', '-'], {}, workspace(bad));
        expect(code).to.equal(1);
        for (const [line, path] of [
          [12, 'webhooks[0].url must not hold'],
          [12, 'webhooks[0].secret must be base64'],
          [13, 'webhooks[1].events must name'],
          [14, 'webhooks[2].url is the address of'],
        ]) {
          expect(stderr).to.match(new RegExp(`stdin:${line}:\\d+ ${String(path).replace(/[[\]]/g, '\\$&')}`));
        }
        expect(stderr).to.not.include('hush');
      });
    }

    it('leave no secret in the log or in the database', async () => {
      const client = new pg.Client({ connectionString: await server.databaseUrl() });
      await client.connect();
      const { rows } = await client
        .query('select * from webhooks, lateral (select json_agg(d) from webhook_deliveries d) deliveries')
        .finally(() => client.end());
      for (const text of [await server.logs(), JSON.stringify(rows)]) {
        expect(text).to.not.include('hush-token').and.not.include(key.toString('base64'));
      }
    });
  });
