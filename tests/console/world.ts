import type { Browser, BrowserContext, BrowserContextOptions, Page, Request as SentRequest } from 'playwright-core';
import { readWorkspaceFile } from '../../src/adapters/workspace-file/read.ts';
import type { FinishedDocument, RunLease } from '../../src/application/ports/queue.ts';
import { type RunWorker, runWorker } from '../../src/application/worker/run-worker.ts';
import { AuthenticationService } from '../../src/composition/modules/access.ts';
import { BlobStore } from '../../src/composition/modules/blobs.ts';
import { RunChanges, RunQueue } from '../../src/composition/modules/postgres.ts';
import { RunService, UploadService } from '../../src/composition/modules/runs.ts';
import { Ids } from '../../src/composition/modules/system.ts';
import { RunWork } from '../../src/composition/modules/worker.ts';
import { WorkspaceService } from '../../src/composition/modules/workspace.ts';
import type { RunFile } from '../../src/domain/run.ts';
import { openWorld, PASSWORD, type World } from '../oauth/world.ts';
import { anId } from '../support/builders.ts';
import { isChanged, launchChromium, openAgain, visit } from '../support/chromium.ts';
import { quiet } from '../support/log.ts';
import { aFolder } from '../support/server.ts';

/** Addresses of pages, each by its name; null: the name is the address. */
export type Targets = Readonly<Record<string, ((world: ConsoleWorld) => string | Promise<string>) | null>>;

const agents = `
  - { name: Clerk, description: Looks things up in what was read., workflow_type: assistant, model: offline, instructions: Help., tools: [documents] }
`;

const invoices = (databaseUrl: string) => `workspace: acme
connections: [{ name: ledger, type: postgresql, url: "${databaseUrl}" }]
agents:
  - name: Invoices
    workflow_type: document_extraction
    model: offline
    instructions: Read.
    document_schema:
      type: object
      properties:
        supplier: { type: [string, "null"], title: Supplier }
        total: { type: [number, "null"], title: Total }
        lines:
          type: array
          items: { type: object, properties: { description: { type: string, title: Description }, quantity: { type: number }, price: { type: number, title: Unit price }, amount: { type: number, title: Amount } } }
    system_of_record: { connection: ledger, entity: ledger.bills, columns: { supplier: /supplier, total: /total }, document_id_column: document_id }
`;

const ledger = `create schema ledger;
create table ledger.bills (document_id text primary key, supplier text not null, total numeric check (total < 1000))`;

export interface ConsoleWorld extends World {
  readonly browser: Browser;
  /** A folder that sources may be. */
  readonly inbox: string;
  /** A key of this user, always the same: a user may have no more than fifty, and makes one more in the browser. */
  key(email: string): Promise<string>;
  /** A document as an agent would leave it, without the agent's work: with data, or with the error by which reading it failed. */
  newDocument(name: string, left: FinishedDocument | string, data?: Uint8Array, file?: MadeFile): Promise<string>;
  /** A window in which the user is signed in; what its scripts complain of is in `complaints`. */
  open(options?: BrowserContextOptions): Promise<Page>;
  /** Applies a workspace file, and answers the ids of its agents by their names. */
  apply(file: string): Promise<ReadonlyMap<string, string>>;
  /** A database that people can query, with what these statements make in its schema `shop`. */
  newData(id: string, statements: readonly string[]): Promise<void>;
  /** Whether runs are worked on. */
  working(on: boolean): Promise<void>;
  /** Takes the oldest run that waits; no worker takes any from then on. */
  lease(): Promise<RunLease>;
  readonly complaints: string[];
  /** Every request to the API, as `GET /api/v1/documents`, but those that ended with a change of the networks: they are asked again. */
  readonly requests: Request[];
}

type Request = { readonly method: string; readonly url: URL };

/** The menu counts what others do, and follows it, at any time. */
export const isOfMenu = ({ url }: Pick<Request, 'url'>): boolean => /\/api\/v1\/(?:work|events)$/.test(url.pathname);

type MadeFile = Pick<RunFile, 'fileName' | 'contentType'>;

const invoicePdf: MadeFile = { fileName: 'invoice.pdf', contentType: 'application/pdf' };

/** Signs in on the page that asks for it. */
export const enterPassword = async (page: Page, email = 'ada@example.com'): Promise<void> => {
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
};

/** Signs in on the way to a page of the console. */
export const signIn = async (page: Page, url: string): Promise<void> => {
  await visit(page, url);
  await enterPassword(page);
};

const documentMaker = (world: World, agentId: string, lease: ConsoleWorld['lease']): ConsoleWorld['newDocument'] => {
  const { container } = world.composition;
  const queue = container.get(RunQueue);
  return async (name, left, data, file = invoicePdf) => {
    const apiKey = await world.key('ada@example.com');
    const caller = await container.get(AuthenticationService).authenticate({ apiKey, bearer: null });
    const files: RunFile[] = [];
    if (data) {
      const [upload] = await container.get(UploadService).createUrls(caller, agentId, [file]);
      const fileKey = upload?.fileKey ?? '';
      await container.get(BlobStore).write(fileKey, data, file.contentType);
      files.push({ fileKey, ...file });
    }
    const asked = {
      files,
      processTogether: false,
      userMessage: 'Read',
      traceId: null,
      idempotency: null,
      counted: true,
    };
    await container.get(RunService).start(caller, { agentId, ...asked });
    const leased = await lease();
    const documentId = anId();
    await queue.beginUnit(leased, { index: 0, conversationId: anId(), documentId, documentName: name });
    const failed = { code: 'unreadable_file', error: String(left) };
    const isError = typeof left === 'string';
    await queue.finishUnit(
      leased,
      0,
      isError ? { status: 'failed', ...failed } : { status: 'completed', document: left },
    );
    const reason = { code: 'unit_failed', message: failed.error };
    await queue.finish(leased, isError ? { event: 'fail', reason, error: failed.error } : { event: 'complete' });
    return documentId;
  };
};

/** The composed server with an agent that reads documents, and one browser. */
export const openConsole = async (): Promise<ConsoleWorld> => {
  const inbox = await aFolder();
  const world = await openWorld({ agents, env: { SOURCE_FOLDERS: inbox } });
  const browser = await launchChromium();
  const keys = new Map<string, Promise<string>>();
  const key = (email: string) => {
    const known = keys.get(email) ?? world.key(email);
    keys.set(email, known);
    return known;
  };
  await world.composition.database.pool.query(ledger);
  const apply = async (file: string) =>
    world.composition.container
      .get(WorkspaceService)
      .apply(readWorkspaceFile(file, {}), { dryRun: false, prune: false });
  const added = await apply(invoices(world.config.databaseUrl ?? ''));
  const agent = (wanted: string) =>
    added.find(({ kind, name }) => kind === 'agents' && name === wanted)?.id ?? world.agent(wanted);
  const [complaints, requests]: [string[], Request[]] = [[], []];
  let signedIn: Awaited<ReturnType<BrowserContext['storageState']>> | null = null;

  // A worker that was stopped does not start again.
  const newWorker = () => {
    const { container } = world.composition;
    const [queue, changes] = [container.get(RunQueue), container.get(RunChanges)];
    const settings = { concurrency: 8, leaseSeconds: 15 };
    const started = { runWork: container.get(RunWork), ids: container.get(Ids), log: quiet, settings };
    return runWorker({ queue, changes, ...started });
  };
  let worker: RunWorker | null = null;
  const working = async (on: boolean) => {
    if (on === (worker !== null)) return;
    const before = worker;
    worker = on ? newWorker() : null;
    worker?.start();
    await before?.stop(0);
  };

  const lease = async () => {
    await working(false);
    const [work] = await world.composition.container.get(RunQueue).lease('console', 1, 60);
    if (!work) throw new Error('there is no run to lease');
    return work.lease;
  };

  const newData: ConsoleWorld['newData'] = async (id, statements) => {
    for (const statement of statements) await world.query(statement);
    await apply(`workspace: acme
connections: [{ name: shop, type: postgresql, url: "${world.config.databaseUrl}", visible_to: everyone }]
databases: [{ id: ${id}, name: Books, connection: shop, schemas: [shop] }]`);
  };

  const watch = (page: Page) => {
    page.setDefaultTimeout(120_000);
    openAgain(page);
    page.on(
      'console',
      (line) =>
        void (
          ['error', 'warning'].includes(line.type()) &&
          !/status of (?:4|50[23])|net::ERR_/.test(line.text()) &&
          complaints.push(line.text())
        ),
    );
    page.on('pageerror', (error) => void complaints.push(String(error)));
    const sent = new WeakMap<SentRequest, Request>();
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (!url.pathname.startsWith('/api/')) return;
      const noted = { method: request.method(), url };
      sent.set(request, noted);
      requests.push(noted);
    });
    page.on('requestfailed', (request) => {
      const noted = sent.get(request);
      if (noted && isChanged(request)) requests.splice(requests.indexOf(noted), 1);
    });
    return page;
  };

  const newSession = async () => {
    const context = await browser.newContext();
    const page = watch(await context.newPage());
    await signIn(page, `${world.baseUrl}/console`);
    await page.getByRole('heading', { name: 'Documents', exact: true }).waitFor();
    const state = await context.storageState();
    await context.close();
    return state;
  };

  return {
    ...world,
    browser,
    inbox,
    apply: async (file) =>
      new Map((await apply(file)).flatMap(({ kind, name, id }) => (kind === 'agents' && id ? [[name, id]] : []))),
    complaints,
    requests,
    newData,
    agent,
    key,
    newDocument: documentMaker({ ...world, key }, agent('Invoices'), lease),
    async open(options = {}) {
      signedIn ??= await newSession();
      const context = await browser.newContext({ ...options, storageState: signedIn });
      return watch(await context.newPage());
    },
    working,
    lease,
    async stop() {
      await working(false);
      await browser.close();
      await world.stop();
    },
  };
};
