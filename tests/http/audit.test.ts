import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { documentTag } from '../../src/adapters/http/tags.ts';
import { readWorkspaceFile } from '../../src/adapters/workspace-file/read.ts';
import { AccountService, KeyService } from '../../src/composition/modules/access.ts';
import { DocumentPosting, DocumentService } from '../../src/composition/modules/documents.ts';
import {
  DocumentRepository,
  OAuthStore,
  UserRepository,
  WebhookQueue,
} from '../../src/composition/modules/postgres.ts';
import { WorkspaceService } from '../../src/composition/modules/workspace.ts';
import { hashOf, type ShownEntry } from '../../src/domain/audit-chain.ts';
import { callApi, sendToApi } from '../support/api.ts';
import { anId } from '../support/builders.ts';
import { aPlace, serveHere } from '../support/here.ts';
import { documentMaker } from './documents-made.ts';

interface Entry extends ShownEntry {
  readonly at: string;
  readonly action: string;
  readonly actor: { readonly type: string; readonly id: string | null; readonly name: string | null };
  readonly via: { readonly kind: string; readonly id: string | null; readonly address: string | null };
  readonly subject: { readonly type: string; readonly id: string; readonly name: string | null };
  readonly details: Readonly<Record<string, string | number | boolean | null>>;
}

interface Page {
  readonly entries: readonly Entry[];
  readonly names: Readonly<Record<string, string>>;
  readonly next: number | null;
}

const file = (users = '') => `
workspace: acme
users:
  - { email: ada@example.com, name: Ada, role: admin }
  - { email: max@example.com, name: Max, role: member }${users}
webhooks:
${['*', 'audit.*', 'run.*'].map((events, index) => `  - { url: 'http://127.0.0.1:9/${index}', events: ['${events}'], secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }`).join('\n')}
connections:
  - { name: ledger, type: postgresql, url: "\${LEDGER_URL}" }
agents:
  - name: Reader
    workflow_type: document_extraction
    model: offline
    instructions: Read.
    document_schema: { type: object, properties: { total: { type: number } } }
    review: always
    system_of_record: { connection: ledger, entity: public.bills, columns: { total: /total }, document_id_column: document_id }
`;

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

describe('the audit log', () => {
  let place: Awaited<ReturnType<typeof aPlace>>;
  let server: Awaited<ReturnType<typeof serveHere>>;
  let idOf: Awaited<ReturnType<typeof server.apply>>;
  let ada: string;
  let max: string;
  let adaId: string;
  let keyId: string;

  before(async () => {
    place = await aPlace();
    server = await serveHere({ ...place.settings, RATE_LIMIT_RUNS: '1000000' });
    idOf = await server.apply(file(), { LEDGER_URL: place.settings.DATABASE_URL });
    const { id, key } = await server.container
      .get(KeyService)
      .create({ email: 'ada@example.com', name: 'Laptop', lifetimeDays: null, scopes: null });
    [ada, keyId] = [key, id];
    max = await server.key('max@example.com');
    adaId = idOf('users', 'ada@example.com');
    await server.composition.database.pool.query(
      'create table public.bills (document_id uuid unique, total numeric check (total > 0))',
    );
  });
  after(async () => {
    await server.stop();
    await place.remove();
  });

  const call = <Data = unknown>(path: string, request: Parameters<typeof callApi>[3] = {}, key = ada) =>
    callApi<{ data: Data; code?: string; errors?: unknown }>(server.url, key, path, request);
  const list = async (query = '') => (await call<Page>(`/audit?limit=1000${query}`)).body.data;
  /** What is in the log since the last time. */
  let seen = 0;
  const fresh = async (): Promise<readonly Entry[]> => {
    const { entries } = await list(`&after=${seen}`);
    seen = entries.at(-1)?.sequence ?? seen;
    return entries;
  };
  const during = async (work: () => Promise<unknown>) => {
    await fresh();
    await work();
    return fresh();
  };
  const only = (entries: readonly Entry[]): Entry => {
    expect(entries.map(({ action }) => action)).to.have.length(1);
    return entries[0] as Entry;
  };
  const byKey = () => ({
    actor: { type: 'user', id: adaId, name: 'Ada' },
    via: { kind: 'api_key', id: keyId, address: '127.0.0.1' },
  });
  const operator = {
    actor: { type: 'operator', id: null, name: 'operator' },
    via: { kind: 'command', id: null, address: null },
  };
  const newDocument = documentMaker(
    () => ({ baseUrl: server.url, composition: server.composition, agentId: (name) => idOf('agents', name) }),
    () => ada,
  );
  const tagOf = async (id: string) => {
    const document = await server.container.get(DocumentRepository).find(id);
    return document ? documentTag(document) : '';
  };
  const review = async (id: string, decision: string, headers = {}) =>
    call(`/documents/${id}/review`, { body: { decision }, headers: { 'if-match': await tagOf(id), ...headers } });

  it('has what an operator applies: the file, and each user that it adds, changes or removes', async () => {
    const apply = (text: string, prune = false) =>
      server.container
        .get(WorkspaceService)
        .apply(readWorkspaceFile(text, { LEDGER_URL: place.settings.DATABASE_URL }), { dryRun: false, prune });
    const eve = (name: string) => file(`\n  - { email: eve@example.com, name: ${name}, role: viewer }`);
    const actions = async (text: string, prune?: boolean) =>
      (await during(() => apply(text, prune))).map(({ action, subject: { name } }) => [action, name]);
    const { entries } = await list();
    expect(entries[0]).to.deep.include({ sequence: 1, action: 'workspace.applied', ...operator });
    expect(entries[0]?.subject.name).to.equal('acme');
    expect(await actions(eve('Eve'))).to.deep.equal([
      ['workspace.applied', 'acme'],
      ['user.created', 'Eve'],
    ]);
    expect(await actions(eve('Eva'))).to.deep.include(['user.changed', 'Eva']);
    expect(await actions(file(), true)).to.deep.equal([
      ['workspace.applied', 'acme'],
      ['user.disabled', 'Eva'],
    ]);
    const dry = { dryRun: true, prune: false };
    const trying = () =>
      server.container
        .get(WorkspaceService)
        .apply(readWorkspaceFile(file(), { LEDGER_URL: 'postgres://nowhere/x' }), dry);
    expect(await during(trying)).to.deep.equal([]);
  });

  it('has keys that are made, rotated and revoked, by users and the operator', async () => {
    let made = { id: '', key: '' };
    const created = only(
      await during(async () => {
        made = (await call<typeof made>('/keys', { body: { name: 'Phone' } })).body.data;
      }),
    );
    expect(created).to.deep.include({ ...byKey(), action: 'key.created', details: { user_id: adaId } });
    expect(created.subject).to.deep.equal({ type: 'key', id: made.id, name: 'Phone' });
    expect(JSON.stringify(created)).not.to.include(made.key);
    const rotated = only(await during(() => call(`/keys/${made.id}/rotate?overlap_seconds=60`, { method: 'POST' })));
    expect(rotated).to.deep.include({ action: 'key.rotated', details: { user_id: adaId, replaces: made.id } });
    const revoked = only(await during(() => call(`/keys/${made.id}`, { method: 'DELETE' })));
    expect(revoked).to.deep.include({ ...byKey(), action: 'key.revoked' });
    expect(await during(() => call(`/keys/${made.id}`, { method: 'DELETE' })), 'twice is once').to.deep.equal([]);
    const keys = server.container.get(KeyService);
    const terms = { email: 'max@example.com', name: 'CI', lifetimeDays: null, scopes: null };
    const [first, last] = await during(async () => keys.revoke((await keys.create(terms)).id));
    expect(first).to.deep.include({ ...operator, action: 'key.created' });
    expect(last).to.deep.include({ ...operator, action: 'key.revoked' });
    expect(await during(() => call(`/keys/${anId()}`, { method: 'DELETE' })), 'a refusal').to.deep.equal([]);
  });

  it('has sign-ins, invitations and passwords, and failed sign-ins of those whom it knows', async () => {
    const accounts = server.container.get(AccountService);
    const invited = only(await during(() => call(`/users/${adaId}/invite`, { method: 'POST' })));
    expect(invited).to.deep.include({ ...byKey(), action: 'user.changed', details: { changed: ['invitation'] } });
    expect(invited.subject).to.deep.equal({ type: 'user', id: adaId, name: 'Ada' });
    const { url } = await accounts.invite('max@example.com');
    expect(only(await fresh())).to.deep.include({ ...operator, action: 'user.changed' });
    const token = url.slice(url.lastIndexOf('/') + 1);
    const password = 'copper lantern under the bridge';
    const accepted = only(await during(() => accounts.accept(token, password, '192.0.2.9')));
    expect(accepted).to.deep.include({ action: 'user.changed', details: { changed: ['password'] } });
    expect([accepted.actor.name, accepted.via.address]).to.deep.equal(['Max', '192.0.2.9']);
    const attempt = (email: string, word: string) =>
      accounts
        .signIn({ email, password: word, address: '192.0.2.0/24', ip: '192.0.2.10', browser: null })
        .catch(() => {});
    const failed = only(await during(() => attempt('max@example.com', 'wrong')));
    expect(failed).to.deep.include({
      action: 'sign_in.failed',
      via: { kind: 'console', id: null, address: '192.0.2.10' },
    });
    expect(await during(() => attempt('nobody@example.com', 'wrong'))).to.deep.equal([]);
  });

  it('has people who are added, changed, disabled and enabled, and nothing that stays as it was', async () => {
    const added = only(
      await during(() => call('/users', { body: { email: 'eli@example.com', name: 'Eli', role: 'member' } })),
    );
    expect(added).to.deep.include({ ...byKey(), action: 'user.created' });
    const { id } = added.subject;
    const change = async (body: object) =>
      (await during(() => call(`/users/${id}`, { method: 'PATCH', body }))).map(({ action, details, subject }) => {
        expect(subject.id).to.equal(id);
        return [action, details];
      });
    expect(await change({ name: 'Elias', role: 'viewer' })).to.deep.equal([
      ['user.changed', { changed: ['name', 'role'] }],
    ]);
    expect(await change({ name: 'Elias' })).to.deep.equal([]);
    expect(await change({ disabled: true })).to.deep.equal([['user.disabled', {}]]);
    expect(await change({ disabled: true })).to.deep.equal([]);
    expect(await change({ disabled: false })).to.deep.equal([['user.enabled', {}]]);
    expect(await during(() => call(`/users/${adaId}`, { method: 'PATCH', body: { disabled: true } }))).to.deep.equal(
      [],
    );
  });

  it('has programs that were given access, and lost it', async () => {
    const store = server.container.get(OAuthStore);
    const grant = {
      id: anId(),
      userId: adaId,
      clientId: 'c',
      clientName: 'Editor',
      clientHost: 'app.example',
      resource: 'urn:api',
      agentId: null,
      scopes: [],
      createdAt: new Date(),
      usedAt: null,
      expiresAt: new Date(Date.now() + 60_000),
    };
    const by = {
      actor: { type: 'user', id: adaId, name: null },
      via: { kind: 'console', id: null, address: '::1' },
    } as const;
    const created = only(await during(() => store.saveGrant(grant, 'hash', by)));
    expect(created).to.deep.include({ action: 'grant.created', details: { user_id: adaId } });
    const revoked = only(await during(() => call(`/grants/${grant.id}`, { method: 'DELETE' })));
    expect(revoked).to.deep.include({ ...byKey(), action: 'grant.revoked' });
    expect(revoked.subject).to.deep.equal({ type: 'grant', id: grant.id, name: 'Editor' });
  });

  it('has the version of an agent that is published', async () => {
    const text = file().replace('instructions: Read.', 'instructions: Read it well.');
    await server.apply(text, { LEDGER_URL: place.settings.DATABASE_URL });
    const agent = idOf('agents', 'Reader');
    const published = only(await during(() => call(`/agents/${agent}/versions/1/publish`, { method: 'POST' })));
    expect(published).to.deep.include({ ...byKey(), action: 'agent.published', details: { version: 3, from: 1 } });
    expect(published.subject).to.deep.equal({ type: 'agent', id: agent, name: 'Reader' });
  });

  it('has what is done to a document, with the name of its agent, and nothing that was refused', async () => {
    const id = await newDocument('Reader');
    const subject = { type: 'document', id, name: 'Reader' };
    const done = async (action: string, work: () => Promise<{ status: number }>, more: object = {}) => {
      const entry = only(
        await during(async () => {
          expect((await work()).status, action).to.equal(200);
        }),
      );
      expect(entry, action).to.deep.include({ ...byKey(), action, subject, ...more });
    };
    const patch = async (total: number) =>
      call(`/documents/${id}`, {
        method: 'PATCH',
        body: { patch: [{ op: 'replace', path: '/total', value: total }] },
        headers: { 'if-match': await tagOf(id) },
      });
    await done('document.changed', () => patch(471_147), { details: { revision: 2 } });
    expect(await during(() => patch(471_147)), 'a patch that changes nothing').to.deep.equal([]);
    expect(await during(() => call(`/documents/${id}`, { method: 'POST' })), 'not approved').to.deep.equal([]);
    await done('document.rejected', () => review(id, 'reject'), { details: { revision: 2 } });
    await done('document.reopened', () => review(id, 'reopen'));
    await done('document.approved', () => review(id, 'approve'));
    expect(await during(() => review(id, 'approve')), 'a decision that is taken').to.deep.equal([]);
    await done('document.trashed', () => call(`/documents/${id}`, { method: 'DELETE' }));
    expect(await during(() => call(`/documents/${id}`, { method: 'DELETE' })), 'twice is once').to.deep.equal([]);
    await done('document.restored', () => call(`/documents/${id}/restore`, { method: 'POST' }));
    await done('document.processed', () => call(`/documents/${id}`, { method: 'POST' }), {
      details: { revision: 2, outcome: 'written' },
    });
    expect(JSON.stringify((await list(`&subject=${id}`)).entries), 'a value').not.to.include('471147');
  });

  it('says by which door: the command line is known by what it says of itself', async () => {
    const id = await newDocument('Reader');
    const entry = only(await during(() => review(id, 'approve', { 'user-agent': 'portico-cli/1' })));
    expect(entry.via).to.deep.equal({ kind: 'command', id: keyId, address: '127.0.0.1' });
  });

  it('has a delivery as one entry, whatever came of it, and those of workers', async () => {
    const outcomeOf = async (total: number, work: (id: string) => Promise<unknown>) => {
      const id = await newDocument('Reader', { data: { total } });
      await review(id, 'approve');
      return only(await during(() => work(id).catch(() => {})));
    };
    const byClient = (id: string) => call(`/documents/${id}`, { method: 'POST' });
    expect(await outcomeOf(-1, byClient)).to.deep.include({
      ...byKey(),
      details: { revision: 1, outcome: 'rejected' },
    });
    const worker = { retry: { firstSeconds: 1, chance: 0 }, signal: new AbortController().signal };
    const posting = server.container.get(DocumentPosting);
    const workspaceId = (await server.container.get(UserRepository).find(adaId))?.workspaceId ?? '';
    const byPolicy = await outcomeOf(3, (id) => posting.processByPolicy(workspaceId, id, worker));
    expect(byPolicy).to.deep.include({
      action: 'document.processed',
      actor: { type: 'system', id: null, name: 'Portico' },
      via: { kind: 'system', id: null, address: null },
      details: { revision: 1, outcome: 'written' },
    });
  });

  it('has a delivery whose process died, once it is known to be lost', async () => {
    const id = await newDocument('Reader');
    await review(id, 'approve');
    await server.composition.database.pool.query(
      `update documents set status = 'processing', fence = fence + 1, attempted_revision = 1, lease_expires_at = now() - interval '1 second' where id = $1`,
      [id],
    );
    const lost = only(await during(() => server.container.get(DocumentRepository).recoverDeliveries()));
    expect(lost).to.deep.include({
      action: 'document.processed',
      subject: { type: 'document', id, name: 'Reader' },
      details: { outcome: 'unknown', revision: 1 },
    });
  });

  it('has what the operator restores', async () => {
    const id = await newDocument('Reader');
    await call(`/documents/${id}`, { method: 'DELETE' });
    const restored = only(await during(() => server.container.get(DocumentService).restoreAny(id)));
    expect(restored).to.deep.include({ ...operator, action: 'document.restored' });
  });

  it('says what a document is called now beside the chain, as long as it is there', async () => {
    const id = await newDocument('Reader');
    await during(() => review(id, 'approve'));
    const page = await list(`&subject=${id}`);
    expect(page.entries.map(({ subject }) => subject.name)).to.deep.equal(['Reader']);
    expect(page.names).to.deep.equal({ [id]: (await call<{ name: string }>(`/documents/${id}`)).body.data.name });
    await server.composition.database.pool.query("update agents set visible_to = '{}' where id = $1", [
      idOf('agents', 'Reader'),
    ]);
    expect((await list(`&subject=${id}`)).names, 'of an agent that is hidden').to.deep.equal({});
    await server.composition.database.pool.query('update agents set visible_to = null where id = $1', [
      idOf('agents', 'Reader'),
    ]);
  });

  it('has exports of documents, without what was searched for', async () => {
    const agent = idOf('agents', 'Reader');
    const exported = only(
      await during(async () =>
        (await sendToApi(server.url, ada, `/documents/export?q=secretword&agent_id=${agent}`)).text(),
      ),
    );
    expect(exported).to.deep.include({
      ...byKey(),
      action: 'documents.exported',
      details: { agent_id: agent, run_id: null },
    });
    expect(JSON.stringify(exported)).not.to.include('secretword');
  });

  it('has records that were written, without their values, and none that was refused', async () => {
    const connection = idOf('connections', 'ledger');
    const path = `/connections/${connection}/records`;
    const insert = (total: number) =>
      call(path, { body: { entity: 'public.bills', values: { document_id: anId(), total } } });
    const inserted = only(
      await during(async () => {
        expect((await insert(815_815)).status).to.equal(201);
      }),
    );
    expect(inserted).to.deep.include({
      ...byKey(),
      action: 'record.inserted',
      subject: { type: 'record', id: connection, name: 'public.bills' },
      details: { outcome: 'written', rows: 1 },
    });
    expect(JSON.stringify(inserted)).not.to.include('815815');
    const update = { entity: 'public.bills', key_column: 'total', key_value: 815_815, values: { total: 5 } };
    expect(only(await during(() => call(path, { method: 'PATCH', body: update })))).to.deep.include({
      action: 'record.updated',
      details: { outcome: 'written', rows: 1 },
    });
    expect(await during(() => insert(-5)), 'the system refuses it').to.deep.equal([]);
  });

  it('is for administrators with a key that is not limited', async () => {
    for (const path of ['/audit', '/audit/export'])
      expect((await call(path, {}, max)).body.code).to.equal('admin_only');
    const limited = await server.key('ada@example.com', ['runs:read']);
    expect((await call('/audit', {}, limited)).body.code).to.equal('missing_scope');
    expect((await call('/audit?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z')).status).to.equal(400);
    for (const wrong of ['limit=1001', 'limit=0', 'action=document', 'action=nothing.*', 'subject=x', 'after=-1'])
      expect((await call(`/audit?${wrong}`)).status, wrong).to.equal(400);
  });

  it('is exported as it is chained, which is an act of its own', async () => {
    const answer = await sendToApi(server.url, ada, '/audit/export');
    expect(answer.headers.get('content-type')).to.equal('application/x-ndjson');
    const lines = (await answer.text()).trimEnd().split('\n');
    const exported = lines.map((line) => JSON.parse(line) as Entry);
    let previous = '0'.repeat(64);
    for (const [index, entry] of exported.entries()) {
      expect(entry.sequence).to.equal(index + 1);
      expect(entry.previous).to.equal(previous);
      expect(hashOf(entry, sha256)).to.equal(entry.hash);
      previous = entry.hash;
    }
    expect(exported.at(-1)).to.deep.include({ ...byKey(), action: 'audit.exported' });
    expect((await list()).entries).to.deep.equal(exported);
  });

  it('is read in pages, by who, what, and when', async () => {
    const { entries } = await list();
    const paged: Entry[] = [];
    let after = 0;
    for (;;) {
      const { data } = (await call<Page>(`/audit?limit=7&after=${after}`)).body;
      paged.push(...data.entries);
      if (data.next === null) break;
      after = data.next;
    }
    expect(paged).to.deep.equal(entries);
    const backwards: Entry[] = [];
    for (let place = ''; ; ) {
      const { data } = (await call<Page>(`/audit?order=newest&limit=7${place}`)).body;
      backwards.push(...data.entries);
      if (data.next === null) break;
      place = `&after=${data.next}`;
    }
    expect(backwards).to.deep.equal(entries.toReversed());
    const sequences = (some: readonly Entry[]) => some.map(({ sequence }) => sequence);
    const found = async (query: string) => sequences((await list(query)).entries);
    const those = (isIt: (entry: Entry) => boolean) => sequences(entries.filter(isIt));
    expect(await found('&action=document.*')).to.deep.equal(those(({ action }) => action.startsWith('document.')));
    expect(await found('&actor=ADA@example.com')).to.deep.equal(those(({ actor }) => actor.id === adaId));
    expect(await found(`&actor=ada@example.com&action=key.created&subject=${adaId}`)).to.deep.equal([]);
    const { at } = entries[9] as Entry;
    expect(await found(`&from=${at}`)).to.deep.equal(those((entry) => entry.at >= at));
    expect(await found(`&to=${at}`)).to.deep.equal(those((entry) => entry.at <= at));
  });

  it('is told of in the log of events and to webhooks, every thousand entries', async () => {
    const { container } = server;
    const queue = container.get(WebhookQueue);
    const collectAll = async () => {
      while ((await queue.collect()).hasMore);
    };
    await collectAll();
    await server.composition.database.pool.query(
      `insert into audit_acts (workspace_id, action, actor_type, via_kind, subject_type, subject_id, details)
       select workspace_id, 'audit.exported', 'system', 'system', 'user', id, '{}' from users, generate_series(1, 1000) where id = $1`,
      [adaId],
    );
    await fresh();
    const { data } = (
      await call<{ events: readonly { type: string; run_id: null; data: { sequence: number; hash: string } }[] }>(
        '/events?types=audit.*&order=newest&limit=1',
      )
    ).body;
    const [event] = data.events;
    const { entries } = await list('&after=999');
    expect(event).to.deep.include({ type: 'audit.checkpoint', run_id: null });
    expect(event?.data).to.deep.equal({ sequence: 1000, hash: entries[0]?.hash });
    await collectAll();
    const works = (await queue.lease(10_000, 10_000, 60)).filter((work) => work.event === 'audit.checkpoint');
    expect(works.map(({ subject }) => subject)).to.deep.equal(
      [1, 2].map(() => ({ kind: 'checkpoint', checkpoint: event?.data })),
    );
    const told = new Set(works.map(({ webhook }) => webhook.id));
    const { rows } = await server.composition.database.pool.query<{ id: string }>(
      `select id from webhooks where events && array['*', 'audit.*']`,
    );
    expect(told).to.deep.equal(new Set(rows.map(({ id }) => id)));
  });
});
