import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { ConsoleWorld } from './world.ts';

type Go = (page: Page, target: string) => Promise<void>;

/** What everyone has to be able to use, beside the documents and runs. */
export const otherTargets = (world: ConsoleWorld): readonly string[] => ['/agents', `/agents/${world.agent('Clerk')}`, '/agents/none'];

/** Tests of the pages of agents, data and events, in the browser and on the server of the others. */
export const otherPages = (world: () => ConsoleWorld, go: Go): void => {
  it('shows an agent with its tools, its versions, and a line for each program that uses it', async () => {
    const page = await world().open();
    await go(page, '/agents');
    await page.getByRole('link', { name: 'Clerk' }).click();
    await page.getByRole('heading', { name: 'Clerk', exact: true }).waitFor();
    await page.getByText('Process a document', { exact: true }).click();
    await page.getByText('process_document', { exact: true }).waitFor();
    await page.getByText(`claude mcp add --transport http clerk ${world().mcpUrl(world().agent('Clerk'))}`).waitFor();
    await page.getByText('Version 1').waitFor();
    await page.context().close();
  });
};

/** Comes before all others: the worker that begins conversations is started once. */
export const conversations = (world: () => ConsoleWorld, go: Go, hostile: string): void => {
  it('talks with an agent while it answers, folds its tool calls, and loses nothing by a reload', async () => {
    const page = await world().open();
    await go(page, `/agents/${world().agent('Clerk')}`);
    await world().working(true);
    const message = page.getByLabel('Message to the agent');
    await message.fill(`Hello ${hostile}`);
    await page.reload();
    expect(await message.inputValue(), 'what was written').to.equal(`Hello ${hostile}`);
    await message.press('Enter');
    await page.getByText('I am the offline model').waitFor({ timeout: 30_000 });
    expect(new URL(page.url()).searchParams.get('conversation')).to.be.a('string');
    const streams = world().requests.length;
    await message.fill('/list_documents {"limit": 1}');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.locator('.call').getByText('answered').waitFor();
    await page.getByText('list_documents answered:').waitFor();
    expect(
      world()
        .requests.slice(streams)
        .filter(({ url }) => url.pathname.endsWith('/messages')),
    ).to.have.length(1);
    expect(await page.locator('.call pre').first().isVisible(), 'folded').to.equal(false);
    await page.reload();
    await page.getByText('list_documents answered:').waitFor();
    expect(await page.locator('.talk > li').count()).to.equal(5);
    expect(await page.evaluate('window.hacked')).to.equal(undefined);
    await message.fill('/get_document {"id": 5}');
    await message.press('Enter');
    await page.locator('.call.failed').waitFor();
    await page.getByRole('button', { name: 'New conversation' }).click();
    await page.getByText('Write to the agent: it answers here').waitFor();
    await go(page, `/agents/${world().agent('Clerk')}?conversation=none`);
    await page.getByText('There is no such conversation').waitFor();
    await page.context().close();
  });
};
