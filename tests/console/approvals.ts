import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { readWorkspaceFile } from '../../src/adapters/workspace-file/read.ts';
import { WorkspaceService } from '../../src/composition/modules/workspace.ts';
import type { ConsoleWorld, Targets } from './world.ts';

type Go = (page: Page, target: string) => Promise<void>;

export const approvalTargets: Targets = {
  '/approvals': null,
  '/approvals?status=approved': null,
  'an approval': async (world) => {
    const [found] = await world.query<{ id: string }>('select id from approvals order by requested_at limit 1');
    return `/approvals/${found?.id}`;
  },
};

/** Whatever pays is outside, and keeps what it was asked for. */
const bank = async () => {
  const paid: string[] = [];
  const server = createServer((request, response) => {
    request.on('data', (part) => void paid.push(String(part)));
    request.on('end', () => response.end('paid'));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { paid, host: `127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
};

const untilSome = async <T>(find: () => Promise<readonly T[]>): Promise<readonly T[]> => {
  for (let tries = 0; tries < 600; tries++) {
    const found = await find();
    if (found.length > 0) return found;
    await sleep(50);
  }
  throw new Error('there is none');
};

const payer = (host: string) => `workspace: acme
agents:
  - name: Payer
    workflow_type: assistant
    model: offline
    instructions: Pay.
    tools:
      - http: { name: pay, method: POST, url: "http://${host}/pay", input_schema: { type: object, properties: { amount: { type: number }, to: { type: object } } }, allow_hosts: ["${host}"] }
        requires_approval: true`;

/** Tests of how a person decides on calls of tools, in the browser and on the server of the others. */
export const approvals = (world: () => ConsoleWorld, go: Go): void => {
  let outside: Awaited<ReturnType<typeof bank>> | undefined;
  let agentId: string;
  const paid = () => outside?.paid ?? [];
  /** The agent is there from its first call on: tests before these count what there is. */
  const prepare = async () => {
    outside = await bank();
    const file = readWorkspaceFile(payer(outside.host), {});
    const service = world().composition.container.get(WorkspaceService);
    const changed = await service.apply(file, { dryRun: false, prune: false });
    agentId = changed.find(({ name }) => name === 'Payer')?.id ?? '';
  };
  after(() => outside?.close());

  /** The approval that a new run waits for. */
  const asked = async (given: object): Promise<string> => {
    if (outside === undefined) await prepare();
    const headers = { 'x-api-key': await world().key('ada@example.com'), 'content-type': 'application/json' };
    const body = JSON.stringify({ user_message: `/pay ${JSON.stringify(given)}` });
    const answer = await fetch(`${world().baseUrl}/api/v1/agents/${agentId}/run`, { method: 'POST', headers, body });
    const { data } = (await answer.json()) as { data: { id: string } };
    await world().working(true);
    const find = () => world().query<{ id: string }>('select id from approvals where run_id = $1', [data.id]);
    const [found] = await untilSome(find);
    return found?.id ?? '';
  };
  const statusOf = async (id: string) => {
    const [found] = await world().query<{ status: string; note: string | null }>(
      'select status, note from approvals where id = $1',
      [id],
    );
    return found;
  };
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const answer = (page: Page, name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true });
  const canDecide = (page: Page) => button(page, 'Approve').and(page.locator(':not([aria-disabled])')).waitFor();
  const paidFor = (amount: number) => paid().filter((body) => body.includes(`"amount":${amount}`)).length;

  it('shows a call of a tool that waits as it happens, with all that it is given, and makes it when a person approves by keyboard', async () => {
    const page = await world().open();
    await go(page, '/approvals');
    await page.getByRole('heading', { name: 'No call waits for you' }).waitFor();
    const id = await asked({
      amount: 12.5,
      to: { name: 'Meyer\u202egpj.\u200b\u{e0041}', iban: 'DE02120300000000202051' },
    });
    await page.getByRole('table').getByText('Meyer\\u202egpj.\\u200b\\u{e0041}').waitFor();
    await page.getByRole('link', { name: 'pay' }).click();
    await page.getByRole('heading', { name: 'pay', exact: true }).waitFor();
    const given = page.getByRole('region', { name: 'Arguments' });
    expect(await given.innerText())
      .to.include('12.5')
      .and.include('DE02120300000000202051')
      .and.include('Meyer\\u202egpj.\\u200b\\u{e0041}');
    await canDecide(page);
    await page.keyboard.press('a');
    await page.getByRole('heading', { name: 'Approve the call of pay?' }).waitFor();
    await page.getByRole('dialog').locator('button:not([aria-disabled])', { hasText: 'Approve' }).waitFor();
    await page.getByLabel('Note, if there is something to say').fill('Checked.');
    await page.keyboard.press('Enter');
    await page.getByText('pay is approved: it is called now.').waitFor();
    expect(await statusOf(id)).to.deep.equal({ status: 'approved', note: 'Checked.' });
    await untilSome(async () => paid().filter((body) => body.includes('"amount":12.5')));
    await page.context().close();
  });

  it('decides on no call of a tool by a double click or a key that is held down', async () => {
    const id = await asked({ amount: 13 });
    const page = await world().open();
    await go(page, `/approvals/${id}`);
    await canDecide(page);
    await button(page, 'Approve').dblclick();
    for (let times = 0; times < 40; times++) {
      await page.keyboard.down('Enter');
      await page.waitForTimeout(30);
    }
    expect(await answer(page, 'Approve').isVisible(), 'it asks').to.equal(true);
    expect([await statusOf(id), paidFor(13)]).to.deep.equal([{ status: 'pending', note: null }, 0]);
    await page.keyboard.up('Enter');
    await page.context().close();
  });

  it('asks why a call of a tool is rejected, goes on to the next, and shows what another person decided meanwhile', async () => {
    const [older, newer] = [await asked({ amount: 14 }), await asked({ amount: 15 })];
    const page = await world().open();
    await go(page, '/inbox');
    await page.getByRole('table', { name: 'Calls to approve' }).getByText('"amount":15').waitFor();
    await go(page, `/approvals/${newer}`);
    await canDecide(page);
    await page.keyboard.press('r');
    await answer(page, 'Reject').and(page.locator(':enabled:not([aria-disabled])')).click();
    expect(await page.getByRole('dialog').isVisible(), 'a reason is needed').to.equal(true);
    await page.getByLabel('Why?').fill('Paid before.');
    await page.keyboard.press('Enter');
    await page.getByText('pay is rejected.').waitFor();
    await page.waitForURL(`**/approvals/${older}`);
    expect(await statusOf(newer)).to.deep.equal({ status: 'denied', note: 'Paid before.' });
    await canDecide(page);
    await button(page, 'Approve').click();
    await answer(page, 'Approve').and(page.locator(':enabled:not([aria-disabled])')).waitFor();
    await world().query(`update approvals set status = 'denied', decided_at = now() where id = $1`, [older]);
    await answer(page, 'Approve').click();
    await page.getByText('The approval is denied.').waitFor();
    await button(page, 'Approve').waitFor({ state: 'detached' });
    expect([paidFor(14), paidFor(15)]).to.deep.equal([0, 0]);
    await page.context().close();
  });

  it('goes to the heading of the next call, so that a screen reader reads which one it is', async () => {
    const [older, newer] = [await asked({ amount: 16 }), await asked({ amount: 17 })];
    const page = await world().open();
    await go(page, `/approvals/${newer}`);
    await canDecide(page);
    await button(page, 'Reject').focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Why?').fill('Paid before.');
    await answer(page, 'Reject').and(page.locator(':enabled:not([aria-disabled])')).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/approvals/${older}`);
    await page.locator('h1:focus').waitFor();
    await world().query(`update approvals set status = 'denied', decided_at = now() where id = $1`, [older]);
    await page.context().close();
  });
};
