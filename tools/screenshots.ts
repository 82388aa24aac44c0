// Makes the pictures of the README: starts a server of its own with the demo, on a free port and in a folder that is removed afterwards,
// signs in by the link that it prints, sends the sample files, and takes the pictures of what the agents have read.
//
//   node tools/screenshots.ts            CHROMIUM=/path/to/chromium, if it is not /usr/bin/chromium

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { freePort } from '../tests/support/listen.ts';

const root = path.resolve(import.meta.dirname, '..');
const images = path.join(root, 'docs/images');
const MOST_BYTES = 200_000;
const WIDTH = 1440;
const START_MS = 180_000;

/** The server, and the link that signs in once. */
const startDemo = async (dataDir: string) => {
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    DATA_DIR: dataDir,
    PORT: String(await freePort()),
    LOG_LEVEL: 'error',
    NO_COLOR: '1',
  };
  for (const name of ['DATABASE_URL', 'BASE_URL', 'REDIS_URL', 'S3_BUCKET']) delete env[name];
  const server = spawn(
    process.execPath,
    ['--import', './tools/end-with-parent.mjs', 'src/composition/main.ts', 'serve'],
    {
      cwd: root,
      env,
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    },
  );
  let printed = '';
  const link = await new Promise<string>((resolve, reject) => {
    setTimeout(() => reject(new Error(`the server did not start: ${printed}`)), START_MS).unref();
    server.once('exit', (code) => reject(new Error(`the server ended with ${code}: ${printed}`)));
    server.stdout?.on('data', (chunk) => {
      printed += chunk;
      const [found] = /http\S+\/oauth\/link\/\S+/.exec(printed) ?? [];
      if (found) resolve(found);
    });
  });
  return { server, link, base: new URL(link).origin };
};

/** All that the agents read is there. */
const settled = async (page: Page) => {
  await page.getByRole('link', { name: 'Runs', exact: true }).click();
  await page.locator('.status').first().waitFor();
  for (const busy of ['running', 'queued'])
    await page.locator('.status', { hasText: busy }).first().waitFor({ state: 'detached' });
};

const take = async (page: Page, name: string) => {
  await page.locator('.skeleton').first().waitFor({ state: 'detached' });
  await page.evaluate('scrollTo(0, 0)');
  await page.mouse.move(0, 0);
  const file = path.join(images, `${name}.png`);
  await page.screenshot({ path: file, animations: 'disabled' });
  const { size } = await stat(file);
  if (size > MOST_BYTES) throw new Error(`${file} has ${size} bytes, more than ${MOST_BYTES}`);
  process.stdout.write(`${path.relative(root, file)}: ${Math.ceil(size / 1000)} kB\n`);
};

const pictures = async (page: Page, base: string) => {
  await page.goto(`${base}/console`);
  await page.getByRole('button', { name: /sample files/ }).click();
  await page.getByText('The files are sent').waitFor();
  await settled(page);
  await page.setViewportSize({ width: WIDTH, height: 500 });
  await page.goto(`${base}/console/inbox`);
  await page.getByRole('link', { name: 'marlow-cheese.pdf' }).waitFor();
  await take(page, 'console-inbox');
  await page.setViewportSize({ width: WIDTH, height: 960 });
  await page.getByRole('link', { name: 'marlow-cheese.pdf' }).click();
  await page.locator('.sheet img').first().waitFor();
  await page.locator('.box').first().waitFor();
  await page.getByLabel('Total', { exact: true }).focus();
  await page.waitForTimeout(500);
  await take(page, 'console-document');
};

const dataDir = await mkdtemp(path.join(tmpdir(), 'portico-screenshots-'));
const { server, link, base } = await startDemo(dataDir);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
});
try {
  await mkdir(images, { recursive: true });
  const page = await browser.newPage({
    viewport: { width: WIDTH, height: 800 },
    colorScheme: 'light',
    locale: 'en-GB',
  });
  page.setDefaultTimeout(START_MS);
  await page.goto(link);
  await page.getByRole('button', { name: /Sign in|Open/ }).click();
  await page.getByRole('heading', { level: 1 }).waitFor();
  await pictures(page, base);
} finally {
  await browser.close();
  server.kill();
  await once(server, 'exit');
  await rm(dataDir, { recursive: true, force: true });
}
