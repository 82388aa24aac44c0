import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { safeOutbound } from '../../src/adapters/outbound/outbound.ts';
import { gotenberg } from '../../src/adapters/text/converter/gotenberg.ts';
import { findSoffice, soffice } from '../../src/adapters/text/converter/soffice.ts';
import { nativeSandbox, type Sandbox } from '../../src/adapters/text/native-sandbox.ts';
import type { ConversionFailed, Converter, OfficeDocument } from '../../src/application/ports/converter.ts';
import { type ConverterLimits, converterContract, reasonOf, rtf, unaborted } from '../contracts/converter.ts';
import { bytes, pdfOfRuns } from '../fixtures/text/files.ts';
import { gotenbergStandIn } from '../support/gotenberg-stand-in.ts';
import { listening } from '../support/listen.ts';
import { sofficeStandIn } from '../support/soffice-stand-in.ts';

const { PATH: searchPath = '' } = process.env;
const installed = findSoffice(searchPath);

/** Folders of conversions go to a place of this file's own, so that what is left of them is seen. */
let place: string;
const usual = process.env.TMPDIR;
let pdf: Uint8Array;
before(async () => {
  place = await mkdtemp(path.join(tmpdir(), 'converters-'));
  process.env.TMPDIR = place;
  pdf = await pdfOfRuns([['Total: 84.00', 50, 780]]);
});
after(async () => {
  if (usual === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = usual;
  await rm(place, { recursive: true });
});

const foldersLeft = async () => (await readdir(place)).filter((name) => name.startsWith('portico-convert-'));
afterEach(async () => {
  expect(await foldersLeft()).to.deep.equal([]);
});

/** How long the processes sleep that CHILDREN began with these numbers: in the group of the program, and apart from it. */
const sleeping = async (marker: string) => {
  const processes = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const commandOf = (pid: string) => readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '');
  const all = await Promise.all(processes.map(async (pid) => ({ pid: Number(pid), command: await commandOf(pid) })));
  const found = (seconds: string) => all.filter(({ command }) => command === `sleep\0${seconds}\0`);
  return { group: found(`${marker}1`), apart: found(marker) };
};
const aMarker = () => String(100_000_000 + Math.floor(Math.random() * 800_000_000));

/** How often a server on this machine was asked while these documents, which link to it, were converted. */
const requestsFor = async (converter: Converter, linking: (port: number) => readonly OfficeDocument[]) => {
  let requests = 0;
  const server = createServer((socket) => {
    requests += 1;
    socket.on('error', () => undefined).end();
  });
  const documents = linking(await listening(server));
  for (const document of documents) await converter.convert(document, unaborted);
  server.close();
  return requests;
};

const causeOf = async (work: Promise<unknown>): Promise<string> => {
  const error = await work.then(
    () => null,
    (failure: ConversionFailed) => failure,
  );
  return error?.cause instanceof Error ? error.cause.message : '';
};

const none: Sandbox = () => [];
const CONVERTING = fileURLToPath(new URL('../support/converting-program.ts', import.meta.url));

/** A document with a linked picture. */
const linkingDocuments = (port: number): readonly OfficeDocument[] => [
  rtf(`Total {\\field{\\*\\fldinst INCLUDEPICTURE "http://127.0.0.1:${port}/picture.png" \\\\d}{\\fldrslt}}`),
];

describe('LibreOffice by a program that stands in for it', () => {
  let standIn: Awaited<ReturnType<typeof sofficeStandIn>>;
  before(async () => {
    standIn = await sofficeStandIn(pdf);
  });
  after(() => standIn.close());
  const confined = () => nativeSandbox(standIn.program);
  const make = (limits: Partial<Parameters<typeof soffice>[0]> = {}) =>
    soffice({ program: standIn.program, searchPath, sandbox: confined() ?? none, timeoutSeconds: 60, ...limits });

  converterContract(make);

  it('has a profile that runs no macro and loads no link, and nothing of the environment of the server', async () => {
    process.env.PORTICO_SECRET = 'secret';
    await make({ sandbox: none }).convert(rtf('NOSY'), unaborted);
    delete process.env.PORTICO_SECRET;
    const profile = await readFile(`${standIn.program}.profile`, 'utf8');
    expect(profile).to.match(/"DisableMacrosExecution" oor:op="fuse"><value>true</);
    expect(profile).to.match(/"BlockUntrustedRefererLinks" oor:op="fuse"><value>true</);
    const environment = await readFile(`${standIn.program}.environment`, 'utf8');
    expect(environment)
      .to.match(/^HOME=.*portico-convert-/m)
      .and.not.contain('secret');
  });

  const failures: readonly (readonly [string, string, RegExp])[] = [
    ['crashes', 'CRASH', /it is damaged/],
    ['takes more memory than it may', 'GROW', /it is damaged/],
    ['makes what is no PDF', 'PLAIN', /it is damaged/],
    ['is ended before it has made all of it', 'HALF', /it is damaged/],
    ['makes a link to a file of the system', 'LINK', /it is damaged/],
  ];
  for (const [what, word, reason] of failures) {
    it(`fails if it ${what}`, async () => {
      expect(await reasonOf(make({ memoryMegabytes: 300 }).convert(rtf(word), unaborted))).to.match(reason);
    });
  }

  it('keeps what was made if the server is busy when the program ends', async () => {
    const { kill } = process;
    process.kill = (id, signal) => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
      return kill(id, signal);
    };
    try {
      expect(await make().convert(rtf('Total: 84.00'), unaborted)).to.deep.equal(pdf);
    } finally {
      process.kill = kill;
    }
  });

  for (const [what, word] of [
    ['one file', 'LARGE'],
    ['many files', 'FLOOD'],
  ] as const) {
    it(`is ended when it writes gigabytes in ${what}`, async () => {
      const made = make({ maxBytes: 30_000_000 }).convert(rtf(word), unaborted);
      expect(await reasonOf(made)).to.match(/^could not be converted to PDF: that would be too large/);
    });
  }

  for (const how of ['sandboxed', 'alone'] as const) {
    const sandbox = () => (how === 'sandboxed' ? confined() : none) ?? none;
    /** What leaves its group of processes, only a sandbox ends. */
    const isLeft = async (marker: string) => {
      const { group, apart } = await sleeping(marker);
      return group.length > 0 || (sandbox() !== none && apart.length > 0);
    };
    const endRest = async (marker: string) => {
      for (const { pid } of (await sleeping(marker)).apart) process.kill(pid);
    };

    it(`ends with all that it started, and leaves nothing, ${how}`, async () => {
      const marker = aMarker();
      const made = make({ timeoutSeconds: 1, sandbox: sandbox() }).convert(rtf(`CHILDREN ${marker}`), unaborted);
      expect(await reasonOf(made)).to.match(/^took too long to convert to PDF/);
      expect(await isLeft(marker)).to.equal(false);
      await endRest(marker);
    });

    it(`ends with a server that is killed, and leaves nothing, ${how}`, async () => {
      const marker = aMarker();
      const document = Buffer.from(rtf(`CHILDREN ${marker}`).data).toString('latin1');
      const args = [CONVERTING, standIn.program, searchPath, document, how];
      const server = spawn(process.execPath, args, { stdio: 'ignore' });
      const haveBegun = ({ group, apart }: Awaited<ReturnType<typeof sleeping>>) => group.length * apart.length > 0;
      while (!haveBegun(await sleeping(marker))) await sleep(25);
      server.kill('SIGKILL');
      await once(server, 'exit');
      while (await isLeft(marker)) await sleep(25);
      while ((await foldersLeft()).length > 0) await sleep(25);
      await endRest(marker);
    });
  }

  it('reaches a server that a document links to only without a sandbox', async () => {
    const linking = (port: number) => [rtf(`REMOTE ${port}`)];
    expect(await requestsFor(make({ sandbox: none }), linking)).to.equal(1);
    if (confined() !== null) expect(await requestsFor(make(), linking)).to.equal(0);
  });

  it('reads files of the server, and writes outside of its folder, only without a sandbox', async () => {
    const [secret, written] = [path.join(place, 'secret.pdf'), path.join(place, 'written')];
    await writeFile(secret, pdf);
    const reading = rtf(`PEEK ${secret} \\par`);
    expect(await make({ sandbox: none }).convert(reading, unaborted)).to.deep.equal(pdf);
    const writing = rtf(`POKE ${written} \\par`);
    await make({ sandbox: none }).convert(writing, unaborted);
    expect(existsSync(written)).to.equal(true);
    if (confined() === null) return;
    expect(await reasonOf(make().convert(reading, unaborted))).to.match(/it is damaged/);
    await rm(written);
    await make().convert(writing, unaborted);
    expect(existsSync(written)).to.equal(false);
    for (const name of ['/etc/passwd', '/proc/1/root/etc/passwd', process.execPath, '/work', '/home', '/root'])
      expect(await reasonOf(make().convert(rtf(`PEEK ${name} \\par`), unaborted)), name).to.match(/it is damaged/);
  });

  it('tells the operator how it ended', async () => {
    expect(await causeOf(make().convert(rtf('CRASH'), unaborted))).to.match(/and ended with (?:139|SIGSEGV)$/);
    const away = make({ searchPath: '/nowhere' });
    expect(await causeOf(away.convert(rtf('Total'), unaborted))).to.match(/^LibreOffice did not start: .*ENOENT/);
    expect(await reasonOf(away.convert(rtf('Total'), unaborted))).to.match(
      /the converter of the server cannot be used/,
    );
  });

  it('is found on the search path, and only where it is a program in a folder named from the root', () => {
    expect(findSoffice(`/nowhere:${standIn.folder}`)).to.equal(standIn.program);
    expect(findSoffice(`relative:${path.dirname(standIn.folder)}`)).to.equal(null);
  });
});

describe('Gotenberg by a server that stands in for it', () => {
  let server: Awaited<ReturnType<typeof gotenbergStandIn>>;
  before(async () => {
    server = await gotenbergStandIn(pdf);
  });
  after(() => server.close());
  const outbound = safeOutbound({ allowedHosts: [] });
  const make = (limits: ConverterLimits = {}) =>
    gotenberg({ url: server.url, outbound, timeoutSeconds: 60, ...limits });

  converterContract(make);

  it('is sent the bytes as they are, and asked for neither notes nor hidden slides', async () => {
    const data = Uint8Array.from([...bytes('{\\rtf1 '), ...Array.from({ length: 256 }, (_, byte) => byte)]);
    await make().convert({ extension: 'ppt', data }, unaborted);
    expect(server.asked.at(-1)).to.deep.equal({
      name: 'document.ppt',
      data,
      fields: { exportNotes: 'false', exportNotesPages: 'false', exportHiddenSlides: 'false' },
    });
  });

  const failures: readonly (readonly [string, string, RegExp])[] = [
    ['is busy', 'CRASH', /^CONVERTER_URL: the server answered with status 503$/],
    ['redirects', 'LINK', /^CONVERTER_URL: the server answered with status 302$/],
    ['answers what is no PDF', 'PLAIN', /^what the converter made is no PDF$/],
  ];
  for (const [what, word, cause] of failures) {
    it(`fails if it ${what}`, async () => {
      expect(await causeOf(make().convert(rtf(word), unaborted))).to.match(cause);
    });
  }

  it('is named to the operator when it is out of reach, and not to who sent the document', async () => {
    const away = gotenberg({ url: 'http://127.0.0.1:1', outbound, timeoutSeconds: 5 });
    expect(await causeOf(away.convert(rtf('Total'), unaborted))).to.match(/^CONVERTER_URL: The host 127\.0\.0\.1/);
    expect(await reasonOf(away.convert(rtf('Total'), unaborted))).to.equal(
      'could not be converted to PDF: the converter of the server cannot be used; try again later, or save it as PDF in the program that made it, and upload that',
    );
  });
});

if (installed !== null) {
  const sandbox = nativeSandbox(installed) ?? none;
  describe(`LibreOffice (${execFileSync(installed, ['--version'], { encoding: 'utf8' }).trim()})`, () => {
    const make = (limits: Partial<Parameters<typeof soffice>[0]> = {}) =>
      soffice({ program: installed, searchPath, sandbox, timeoutSeconds: 300, ...limits });

    converterContract(make);

    it('asks nothing of a server that a document links to, without a sandbox either', async () => {
      expect(await requestsFor(make({ sandbox: none }), linkingDocuments)).to.equal(0);
    });
  });
}
