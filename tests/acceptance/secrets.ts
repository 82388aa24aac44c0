import { expect } from 'chai';
import type { Installation } from './installations.ts';
import { anInvoice, clientOf, dataOf, type Platform, type RunBody } from './platform.ts';
import { keyFor } from './workspaces.ts';

/** A key as one may mistype or misplace it: the checksum does not fit. */
const WRONG_KEY = 'svc-0123456789abcdefghijABCDEFGHIJ0123456789';

/** Runs after the others: it looks at everything that they left behind. */
export const secrets = (platform: () => Platform) =>
  describe('secrets', () => {
    before(function () {
      if (!platform().server) this.skip();
    });

    it('stay out of what is logged when they are sent where they do not belong', async () => {
      const { call, key, baseUrl } = platform();
      const wrong = [
        { 'x-api-key': WRONG_KEY },
        { authorization: `Bearer ${WRONG_KEY}` },
        { authorization: `Bearer ${key}`, 'x-api-key': WRONG_KEY },
      ];
      for (const headers of wrong) {
        const response = await fetch(`${baseUrl}/api/v1/agents`, { headers: headers as Record<string, string> });
        expect(response.status).to.equal(401);
        expect(await response.text()).not.to.include('svc-0');
      }
      await call('/api/v1/runs', { query: { api_key: key, 'x-api-key': key } });
      await call(`/api/v1/runs/${key}`);
      await call(`/api/v1/${key}`);
      await call('/api/v1/runs', { headers: { traceparent: key, 'user-agent': key } });
      const use = clientOf(platform());
      const agentId = await use.agent('Invoice reader');
      await use.create(agentId, { files: [{ file_key: key, file_name: key, content_type: 'text/plain' }] });
      await call(`/api/v1/agents/${agentId}/run`, {
        method: 'POST',
        raw: `{"user_message": "${key}`,
        headers: { 'content-type': 'application/json' },
      });
    });

    it('stay out of the words of a model provider that repeats its key', async () => {
      const { key } = await keyFor(platform(), 'neighbour@example.com');
      const use = clientOf(platform(), key);
      const created = dataOf<RunBody>(await use.create(await use.agent('Hopeless'), { user_message: 'Hello.' }));
      const { run } = await use.ended(created.id);
      expect(run.status).to.equal('failed');
      expect(run.error).to.be.a('string').and.not.to.equal('');
    });

    it('are in no answer, and in no line of the log', async () => {
      const { answers, server, secrets: known } = platform();
      const use = clientOf(platform());
      const [upload] = await use.upload(await use.agent('Invoice reader'), [anInvoice('SECRET-1')]);
      const { searchParams: parameters } = new URL(upload?.upload_url ?? '');
      const signature = parameters.get('signature') ?? parameters.get('X-Amz-Signature') ?? '';
      const log = await (server as Installation).logs();
      expect(signature).to.have.length.greaterThan(20);
      expect(log).not.to.include(signature);
      expect(known.size).to.be.greaterThan(6);
      const said = answers.map(({ text, headers }) => `${text}${JSON.stringify([...headers])}`).join('\n');
      for (const [name, secret] of known) {
        expect(secret.length, name).to.be.greaterThan(12);
        expect(log.includes(secret), `${name} in the log`).to.equal(false);
        expect(said.includes(secret), `${name} in an answer`).to.equal(false);
      }
    });

    it('nothing that was sent made an error, and every line of the log is JSON', async () => {
      const lines = (await (platform().server as Installation).logs()).trim().split('\n');
      expect(lines.length).to.be.greaterThan(100);
      for (const line of lines) {
        expect(line, lines.slice(lines.indexOf(line), lines.indexOf(line) + 14).join('\n')).to.match(/^\{.*\}$/);
        const { level, msg } = JSON.parse(line) as { level: string; msg: string };
        expect(level, line).to.be.oneOf(['debug', 'info', 'warn']);
        expect(msg, line).to.be.a('string');
        expect(line).not.to.match(/\\n\s+at /);
      }
      expect(platform().answers.filter(({ status }) => status >= 500)).to.deep.equal([]);
    });
  });
