import { expect } from 'chai';
import { readWorkspaceFile } from '../../src/adapters/workspace-file/read.ts';
import { DoctorService } from '../../src/composition/modules/doctor.ts';
import { WebhookQueue } from '../../src/composition/modules/postgres.ts';
import { WorkspaceService } from '../../src/composition/modules/workspace.ts';
import { openWorld, type World } from '../mcp/world.ts';
import { callApi } from '../support/api.ts';

const file = (name: string, admin: string) => `
workspace: ${name}
users:
  - { email: ${admin}, name: Ada, role: admin }
  - { email: member@${name}.example, name: Bob, role: member }
webhooks:
  - { url: "http://127.0.0.1:9/services/T0HUSH/B0HUSH/hush?token=hush", events: [run.queued], secret: whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw }
agents:
  - { name: Clerk, workflow_type: assistant, model: offline, instructions: Help. }
`;

interface Delivery {
  readonly id: string;
  readonly run_id: string;
  readonly status: string;
  readonly attempts: number;
  readonly last_attempt: object | null;
  readonly address: string;
}

interface Webhook {
  readonly id: string;
  readonly disabled_at: string | null;
}

interface Attempts {
  readonly data: { readonly attempts: readonly { readonly number: number; readonly started_at: string }[] };
}

interface Page {
  readonly data: { readonly deliveries: readonly Delivery[]; readonly next: string | null };
}

describe('the deliveries of a workspace', () => {
  let world: World;
  let [ada, bob, eve] = ['', '', ''];
  before(async () => {
    world = await openWorld({ workspace: file('acme', 'ada@example.com') });
    const { container } = world.composition;
    await container
      .get(WorkspaceService)
      .apply(readWorkspaceFile(file('other', 'eve@example.com'), {}), { dryRun: false, prune: false });
    const keyOf = (email: string) => world.key({ email });
    [ada, bob, eve] = [
      await keyOf('ada@example.com'),
      await keyOf('member@acme.example'),
      await keyOf('eve@example.com'),
    ];
    for (let made = 0; made < 3; made += 1)
      await callApi(world.baseUrl, ada, `/agents/${world.agentId('Clerk')}/run`, { body: { user_message: 'Hello' } });
    const queue = container.get(WebhookQueue);
    let all = 0;
    while (all < 3) {
      await queue.collect();
      all = (await list()).deliveries.length;
    }
  });
  after(() => world.stop());

  const call = <T>(path: string, as: string, body?: object) => callApi<T>(world.baseUrl, as, path, { body });
  const list = async (query = '', as = ada) => (await call<Page>(`/deliveries${query}`, as)).body.data;

  it('are listed newest first, by page and by status, with what came of the last attempt, and without the secrets of the address', async () => {
    const all = await list();
    expect(all.next).to.equal(null);
    const first = await list('?limit=2');
    const rest = await list(`?limit=2&after=${first.next}`);
    expect([...first.deliveries, ...rest.deliveries]).to.deep.equal(all.deliveries);
    expect(rest.next).to.equal(null);
    const [work] = await world.composition.container.get(WebhookQueue).lease(1, 1, 60);
    if (!work) throw new Error('nothing is due');
    const attempt = { status: 503, error: 'The receiver answered 503.', response: 'Down.' };
    await world.composition.container.get(WebhookQueue).fail(work.lease, { ...attempt, durationMs: 12 }, null);
    const failed = await list('?status=failed');
    expect(failed.deliveries).to.have.length(1);
    expect(failed.deliveries[0]).to.deep.include({
      id: work.lease.id,
      status: 'failed',
      attempts: 1,
      last_attempt: attempt,
    });
    expect(failed.deliveries[0]?.address).to.equal('http://127.0.0.1:9/services/…');
    expect((await list('?status=pending')).deliveries).to.have.length(2);
  });

  it('go to an address whose secret parts are not shown: the same one stays, another is another webhook', async () => {
    const { container } = world.composition;
    const apply = async (text: string) => {
      const changes = await container
        .get(WorkspaceService)
        .apply(readWorkspaceFile(text, {}), { dryRun: true, prune: true });
      expect(JSON.stringify(changes)).to.not.match(/hush/i);
      return changes.filter(({ kind }) => kind === 'webhooks').map(({ action, name }) => `${action} ${name}`);
    };
    const text = file('acme', 'ada@example.com');
    const shown = 'http://127.0.0.1:9/services/…';
    expect(await apply(text)).to.deep.equal([`keep ${shown}`]);
    expect(await apply(text.replace('[run.queued]', '[run.failed]'))).to.deep.equal([`change ${shown}`]);
    for (const other of [text.replace('B0HUSH', 'B1HUSH'), text.replace('token=hush', 'token=hush2')])
      expect(await apply(other)).to.deep.equal([`create ${shown}`, `remove ${shown}`]);
    const { rows } = await world.composition.database.pool.query('select * from webhooks');
    expect(JSON.stringify(rows)).to.include(shown).and.not.match(/hush/i);
  });

  it('have a history of their attempts, which goes on when they are sent again', async () => {
    const queue = world.composition.container.get(WebhookQueue);
    const attemptsOf = async (id: string) =>
      (await call<Attempts>(`/deliveries/${id}/attempts`, ada)).body.data.attempts;
    const [failed] = (await list('?status=failed')).deliveries;
    if (!failed) throw new Error('nothing failed');
    const response = '<script>x</script>\n'.repeat(50);
    await call(`/deliveries/${failed.id}/redeliver`, ada, {});
    for (const work of await queue.lease(3, 3, 60)) {
      if (work.lease.id === failed.id)
        await queue.fail(work.lease, { status: null, error: 'It did not answer.', response, durationMs: 15_000 }, null);
      else await queue.release(work.lease);
    }
    const [second, first, ...more] = await attemptsOf(failed.id);
    expect(more).to.deep.equal([]);
    const { started_at: at, ...rest } = second ?? expect.fail();
    expect(rest).to.deep.equal({ number: 2, duration_ms: 15_000, status: null, error: 'It did not answer.', response });
    expect(at).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(first).to.include({
      number: 1,
      duration_ms: 12,
      status: 503,
      error: 'The receiver answered 503.',
      response: 'Down.',
    });
    const waiting = (await list('?status=pending')).deliveries[0];
    expect(await attemptsOf(waiting?.id ?? '')).to.deep.equal([]);
  });

  it('are sent again by an administrator', async () => {
    const failed = (await list('?status=failed')).deliveries[0];
    const { status, body } = await call<{ data: object }>(`/deliveries/${failed?.id}/redeliver`, ada, {});
    expect([status, body.data]).to.deep.equal([200, { id: failed?.id }]);
    expect((await list('?status=failed')).deliveries).to.have.length(0);
    expect((await list()).deliveries.find(({ id }) => id === failed?.id)).to.include({
      status: 'pending',
      attempts: 0,
    });
  });

  it('end where their webhook is disabled, which is shown with the time and the reason, until the file is applied again', async () => {
    const { container } = world.composition;
    const webhooks = async (as: string) =>
      (await call<{ data: { webhooks: readonly Webhook[] } }>('/webhooks', as)).body.data.webhooks;
    const shown = {
      address: 'http://127.0.0.1:9/services/…',
      events: ['run.queued'],
      disabled_at: null,
      disabled_reason: null,
    };
    const [webhook, ...more] = await webhooks(ada);
    expect(more).to.deep.equal([]);
    expect(webhook).to.deep.include(shown);
    expect(JSON.stringify(webhook)).to.not.match(/hush|whsec/i);
    const before = (await list('?status=pending')).deliveries.map(({ id }) => id);
    await container.get(WebhookQueue).disable(webhook?.id ?? '', 'The receiver answered that it is gone (410).');
    const [disabled] = await webhooks(ada);
    expect(disabled).to.include({ disabled_reason: 'The receiver answered that it is gone (410).' });
    expect(disabled?.disabled_at).to.match(/^\d{4}-\d\d-\d\dT/);
    expect(
      (await webhooks(eve)).map(({ disabled_at: at }) => at),
      'in another workspace',
    ).to.deep.equal([null]);
    expect(await call('/webhooks', bob)).to.nested.include({ status: 403, 'body.code': 'admin_only' });
    expect((await list('?status=disabled')).deliveries.map(({ id }) => id)).to.deep.equal(before);
    const again = `/deliveries/${before[0]}/redeliver`;
    const refused = await call<{ detail: string }>(again, ada, {});
    expect(refused).to.nested.include({ status: 409, 'body.code': 'conflict' });
    expect(refused.body.detail).to.match(/disabled.*apply/i);
    const checks = await world.composition.container.get(DoctorService).webhooks();
    expect(checks.find(({ name }) => name === 'webhook acme/http://127.0.0.1:9/services/…'))
      .to.include({ status: 'warn' })
      .and.have.property('detail')
      .that.match(/^disabled since \d{4}-.*: The receiver answered that it is gone \(410\)\. .*apply/);
    expect(checks.find(({ name }) => name === 'webhook other/http://127.0.0.1:9/services/…')).to.include({
      status: 'ok',
    });
    const apply = async (dryRun: boolean) => {
      const spec = readWorkspaceFile(file('acme', 'ada@example.com'), {});
      const changes = await container.get(WorkspaceService).apply(spec, { dryRun, prune: false });
      return changes.find(({ kind }) => kind === 'webhooks')?.action;
    };
    expect([await apply(true), await apply(false), await apply(false)]).to.deep.equal(['change', 'change', 'keep']);
    expect((await webhooks(ada))[0]).to.deep.include(shown);
    expect((await list('?status=disabled')).deliveries, 'what was missed stays on record').to.have.length(
      before.length,
    );
    for (const id of before) expect((await call(`/deliveries/${id}/redeliver`, ada, {})).status).to.equal(200);
    expect((await list('?status=pending')).deliveries.map(({ id }) => id)).to.deep.equal(before);
  });

  it('are not there for another workspace, refused to members, and cannot be sent to a webhook that was removed', async () => {
    const [one] = (await list()).deliveries;
    const again = `/deliveries/${one?.id}/redeliver`;
    expect((await list('', eve)).deliveries).to.deep.equal([]);
    const history = `/deliveries/${one?.id}/attempts`;
    expect((await call(history, ada)).status).to.equal(200);
    for (const unseen of [await call(again, eve, {}), await call(history, eve)])
      expect(unseen).to.nested.include({ status: 404, 'body.code': 'not_found' });
    for (const refused of [await call('/deliveries', bob), await call(again, bob, {}), await call(history, bob)])
      expect(refused).to.nested.include({ status: 403, 'body.code': 'admin_only' });
    await world.query('update webhooks set removed_at = now()');
    expect(await call(again, ada, {})).to.nested.include({ status: 409, 'body.code': 'conflict' });
  });

  it('are made of what happened before their webhook was changed, too', async () => {
    const { container } = world.composition;
    const apply = (text: string) =>
      container.get(WorkspaceService).apply(readWorkspaceFile(text, {}), { dryRun: false, prune: false });
    const run = async () => {
      const sent = { body: { user_message: 'Hello' } };
      return (
        await callApi<{ data: { id: string } }>(world.baseUrl, ada, `/agents/${world.agentId('Clerk')}/run`, sent)
      ).body.data.id;
    };
    const text = file('acme', 'ada@example.com');
    await apply(text);
    const first = await run();
    await apply(text.replace('[run.queued]', '[run.queued, run.failed]'));
    const second = await run();
    let made: readonly Delivery[] = [];
    while (made[0]?.run_id !== second) {
      await container.get(WebhookQueue).collect();
      made = (await list()).deliveries;
    }
    expect(made[1]?.run_id).to.equal(first);
  });
});
