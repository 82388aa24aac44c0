import type { IncomingMessage } from 'node:http';
import path from 'node:path';
import { expect } from 'chai';
import { runDemo } from '../../src/adapters/demo/demo.ts';
import type { Ledger, LedgerRow } from '../../src/adapters/demo/ledger.ts';
import { batches, type Outcome } from '../../src/adapters/demo/samples.ts';
import { wrapped } from '../../src/adapters/demo/screen.ts';
import { listen } from '../support/listen.ts';

const samplesFolder = path.resolve(import.meta.dirname, '../../demo/samples');
const samples = new Map(batches.flatMap((batch) => batch.samples.map((sample) => [sample.file, sample])));
const KEY = 'svc-demo';

interface World {
  stop(): Promise<void>;
  readonly url: string;
  readonly requests: string[];
  readonly uploads: Map<string, number>;
  readonly ledger: Ledger;
}

const bodyOf = async (request: IncomingMessage) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
};

/** A server that speaks as much of the API as the demo uses; `override` says which samples end otherwise than they should. */
const world = async ({
  override = {},
  busyOnce = false,
}: {
  override?: Record<string, Outcome>;
  busyOnce?: boolean;
} = {}): Promise<World> => {
  const requests: string[] = [];
  const uploads = new Map<string, number>();
  const runs = new Map<string, string[]>();
  const asked = new Map<string, number>();
  const rows: LedgerRow[] = [];
  let busy = busyOnce;
  const outcomeOf = (file: string) => override[file] ?? samples.get(file)?.outcome;

  const document = (file: string, status: string) => ({
    id: `doc-${file}`,
    name: file,
    status,
    external_reference: null,
    document_data: {
      supplier: 'Some Supplier',
      invoice_number: samples.get(file)?.number,
      currency: 'EUR',
      total: 119,
      lines: [],
    },
    evidence: {
      '/total': {
        quote: `Total: 119\u001b[31m`,
        file_name: file,
        page: 1,
        approximate: false,
        support: 'exact',
        source: 'text',
        confidence: null,
        boxes: [{ page: 1, x: 0.1, y: 0.2, width: 0.3, height: 0.01 }],
      },
    },
    einvoice: null,
    error: status === 'error' ? 'duplicate key value violates unique constraint "each_invoice_once".' : null,
  });

  const run = (id: string, done: boolean) => ({
    id,
    status: done ? 'completed' : 'running',
    error: null,
    items: (runs.get(id) ?? []).map((file, index) => {
      const failed = outcomeOf(file) === 'unreadable';
      const status = done || index === 0 ? (failed ? 'failed' : 'completed') : 'running';
      return {
        index,
        file_names: [file],
        status,
        error: failed && status === 'failed' ? 'has no text layer.' : null,
        document_ids: [`doc-${file}`],
      };
    }),
  });

  const process = (id: string) => {
    const file = id.slice('doc-'.length);
    if (outcomeOf(file) !== 'processed') return document(file, 'error');
    const number = samples.get(file)?.number ?? '';
    rows.push({
      table: 'invoices',
      document_id: id,
      number,
      supplier: 'Some Supplier',
      date: '2026-11-01',
      currency: 'EUR',
      total: '119.00',
    });
    return document(file, 'processed');
  };

  const answer = async (
    request: IncomingMessage,
    url: URL,
  ): Promise<{ status: number; headers?: Record<string, string>; data?: unknown; detail?: string }> => {
    const [, , , kind = '', id = '', action] = url.pathname.split('/').map(decodeURIComponent);
    const call = `${request.method} ${kind}${action ? ` ${action}` : ''}`;
    requests.push(call);
    if (request.method === 'PUT') {
      uploads.set(id, (await bodyOf(request)).length);
      return { status: 200 };
    }
    if (request.headers['x-api-key'] !== KEY) return { status: 401, detail: 'A credential is needed.' };
    if (busy && call === 'POST documents') {
      busy = false;
      return { status: 429, headers: { 'Retry-After': '1' }, detail: 'Too many requests.' };
    }
    if (call === 'GET agents')
      return {
        status: 200,
        data: { agents: batches.map(({ agent }) => ({ id: agent, name: agent, description: 'Reads.' })) },
      };
    const body = request.method === 'POST' && action ? JSON.parse((await bodyOf(request)).toString()) : {};
    if (action === 'upload-urls') {
      const files = body.files.map((file: { file_name: string }) => ({
        ...file,
        file_key: file.file_name,
        method: 'PUT',
        headers: {},
        upload_url: new URL(`/api/v1/up/${file.file_name}`, baseUrl).href,
      }));
      return { status: 200, data: { files } };
    }
    if (action === 'run') {
      runs.set(
        `run-${runs.size}`,
        body.files.map((file: { file_name: string }) => file.file_name),
      );
      return { status: 200, data: { id: `run-${runs.size - 1}` } };
    }
    if (kind === 'runs') {
      const time = (asked.get(id) ?? 0) + 1;
      asked.set(id, time);
      if (time === 2)
        return { status: request.headers['if-none-match'] === '"1"' ? 304 : 500, detail: 'there was no If-None-Match' };
      return { status: 200, headers: { ETag: `"${time}"` }, data: run(id, time > 2) };
    }
    if (request.method === 'POST') return { status: 200, data: process(id) };
    return { status: 200, data: document(id.slice('doc-'.length), 'ready') };
  };

  const { baseUrl, stop } = await listen(async (request, response) => {
    const { status, headers, data, detail } = await answer(request, new URL(request.url ?? '/', 'http://localhost'));
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
    response.end(status === 304 ? undefined : JSON.stringify(detail === undefined ? { data } : { detail, status }));
  });
  return { stop, url: baseUrl, requests, uploads, ledger: { rows: async () => rows, clear: async () => 0 } };
};

const perform = async (there: World, over: { apiKey?: string; tty?: boolean; ledger?: Ledger } = {}) => {
  const lines: string[] = [];
  const out = (line: string) => lines.push(line);
  try {
    const code = await runDemo({
      baseUrl: there.url,
      apiKey: KEY,
      samplesFolder,
      out,
      ledger: there.ledger,
      tty: false,
      signal: new AbortController().signal,
      ...over,
    });
    return { code, text: lines.join('\n'), lines };
  } finally {
    await there.stop();
  }
};

describe('the demo', () => {
  it('sends every sample as it is, shows each step, and ends with the ledger and what it refused', async () => {
    const there = await world();
    const { code, text } = await perform(there);
    expect(code, text).to.equal(0);
    expect([...there.uploads.keys()]).to.have.members([...samples.keys()]);
    for (const call of [
      'GET  /api/v1/agents',
      '/upload-urls',
      'PUT  {upload_url}',
      '/run ',
      'GET  /api/v1/runs/run-0?wait=',
      'POST /api/v1/documents/{id}',
    ]) {
      expect(text).to.include(call);
    }
    for (const { file, about } of samples.values()) expect(text).to.include(file).and.to.include(about);
    expect(text).to.match(/1 of \d+ values stand in the text they were read from, 1 with their place on a page/);
    expect(text).to.match(/What the ledger refused\n\n {4}✗ castle-lane-dairy-copy\.pdf .*\n.*each_invoice_once/);
    expect(text).to.match(
      /12 files: 10 in the ledger, 1 refused by it, 1 that could not be read\.\nThat is as it should be\.$/,
    );
  });

  it('says in one line how to see a review, where the workspace is from before there were any', async () => {
    const { lines } = await perform(await world());
    expect(lines.filter((line) => line.includes('"Invoice auditor"'))).to.deep.equal([
      'There is no agent "Invoice auditor" here, so no review is shown: npx portico demo --apply brings the demo\'s workspace up to date.',
    ]);
  });

  it('says in one line how to see a bundle divided, where the workspace is from before there were any', async () => {
    const { lines } = await perform(await world());
    expect(lines.filter((line) => line.includes('"Post room"'))).to.deep.equal([
      'There is no agent "Post room" here, so no bundle is divided: npx portico demo --apply brings the demo\'s workspace up to date.',
    ]);
  });

  it('says what went otherwise than it should, and fails', async () => {
    const { code, text } = await perform(await world({ override: { 'pell-and-daughters.docx': 'refused' } }));
    expect(code).to.equal(1);
    expect(text).to.include('pell-and-daughters.docx should be processed and is refused.');
  });

  it('fails when a processed document is not in the ledger', async () => {
    const { code, text } = await perform(await world(), { ledger: { rows: async () => [], clear: async () => 0 } });
    expect(code).to.equal(1);
    expect(text).to.include('order-PO-7781.csv stands 0 times in the ledger.');
  });

  it('waits as long as the server asks when a limit is reached, then goes on', async () => {
    const { code, text } = await perform(await world({ busyOnce: true }));
    expect(code).to.equal(0);
    expect(text).to.include('going on in 1 s');
  });

  it('stops with the words of the server when it is refused, and never shows the key', async () => {
    const { code, lines, text } = await perform(await world(), { apiKey: 'svc-secret' });
    expect(code).to.equal(1);
    expect(lines.at(-1)).to.equal('The demo stopped. GET /api/v1/agents answered 401: A credential is needed.');
    expect(text).not.to.include('svc-secret');
  });

  it('stops with one line when nothing answers', async () => {
    const there = await world();
    await there.stop();
    const { code, lines } = await perform(there);
    expect(code).to.equal(1);
    expect(lines.at(-1)).to.equal(`The demo stopped. GET /api/v1/agents: ${there.url} could not be reached.`);
  });

  it('is coloured on a terminal only, and lets nothing from the wire steer that', async () => {
    const plain = await perform(await world());
    const coloured = await perform(await world(), { tty: true });
    expect(plain.text).not.to.include('\u001b');
    expect(coloured.text).to.include('\u001b[32m✓').and.to.include('“Total: 119”');
  });
});

describe('wrapped', () => {
  it('breaks between words only', () => {
    expect(wrapped('one two  three extraordinarily four', 9)).to.deep.equal([
      'one two',
      'three',
      'extraordinarily',
      'four',
    ]);
    expect(wrapped('', 9)).to.deep.equal([]);
  });
});
