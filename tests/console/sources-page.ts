import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { readWorkspaceFile } from '../../src/adapters/workspace-file/read.ts';
import { SourceWorker } from '../../src/composition/modules/sources.ts';
import { WorkspaceService } from '../../src/composition/modules/workspace.ts';
import type { ConsoleWorld, Targets } from './world.ts';

type Go = (page: Page, target: string) => Promise<void>;

export const sourceTargets: Targets = { '/sources': null };

/** Tests of the page of sources, in the browser and on the server of the others. */
export const sourcesPage = (world: () => ConsoleWorld, go: Go, hostile: string): void => {
  it('shows what came to a source, why some of it was not read, and looks at it when it is asked', async () => {
    const { composition, inbox } = world();
    const file = `workspace: acme
sources:
  - { name: inbox, agent: Watcher, type: folder, path: "\${INBOX}", every: 1h }
agents:
  - { name: Watcher, workflow_type: document_extraction, model: offline, instructions: Read., document_schema: { type: object, properties: { total: { type: [number, "null"] } } } }
`;
    const spec = readWorkspaceFile(file, { INBOX: inbox });
    await composition.container.get(WorkspaceService).apply(spec, { dryRun: false, prune: false });
    await writeFile(path.join(inbox, 'first.txt'), 'Total: 12');
    await writeFile(path.join(inbox, 'empty.txt'), '');
    composition.container.get(SourceWorker).start();
    const page = await world().open();
    await go(page, '/sources');
    const panel = page.getByRole('region', { name: 'inbox' });
    await panel.getByRole('link', { name: 'first.txt' }).waitFor();
    await panel.getByText('nothing to read').waitFor();
    await writeFile(path.join(inbox, `${hostile.replaceAll('/', '')}.txt`), 'Total: 13');
    await panel.getByRole('button', { name: 'Check now' }).click();
    await page.getByText('It is looked at now.').waitFor();
    await panel.locator('li').nth(2).waitFor();
    await panel.getByRole('link', { name: 'first.txt' }).click();
    await page.getByText('Came from').waitFor();
    expect(await page.locator('.facts').innerText()).to.include('inbox');
    await page.context().close();
    await composition.container.get(SourceWorker).stop(0);
  });
};
