import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { safeOutbound } from '../../src/adapters/outbound/outbound.ts';
import { gotenberg } from '../../src/adapters/text/converter/gotenberg.ts';
import { findSoffice, soffice } from '../../src/adapters/text/converter/soffice.ts';
import { type ConverterLimits, converterContract, reasonOf, rtf, unaborted } from '../contracts/converter.ts';
import { bytes, pdfOfRuns } from '../fixtures/text/files.ts';
import { gotenbergStandIn } from '../support/gotenberg-stand-in.ts';
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

afterEach(async () => {
  expect((await readdir(place)).filter((name) => name.startsWith('portico-convert-'))).to.deep.equal([]);
});

describe('LibreOffice by a program that stands in for it', () => {
  let standIn: Awaited<ReturnType<typeof sofficeStandIn>>;
  before(async () => {
    standIn = await sofficeStandIn(pdf);
  });
  after(() => standIn.close());
  const make = (limits: ConverterLimits & { readonly memoryMegabytes?: number } = {}) =>
    soffice({ program: standIn.program, searchPath, timeoutSeconds: 60, ...limits });

  converterContract(make);

  it('has a profile that runs no macro and loads no link, and nothing of the environment of the server', async () => {
    process.env.PORTICO_SECRET = 'secret';
    await make().convert(rtf('NOSY'), unaborted);
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
    ['makes a link to a file of the system', 'LINK', /it is damaged/],
  ];
  for (const [what, word, reason] of failures) {
    it(`fails if it ${what}`, async () => {
      expect(await reasonOf(make({ memoryMegabytes: 300 }).convert(rtf(word), unaborted))).to.match(reason);
    });
  }

  for (const [what, word] of [
    ['one file', 'LARGE'],
    ['many files', 'FLOOD'],
  ] as const) {
    it(`is ended when it writes gigabytes in ${what}`, async () => {
      const made = make({ maxBytes: 30_000_000 }).convert(rtf(word), unaborted);
      expect(await reasonOf(made)).to.equal('could not be converted to PDF: that would be too large');
    });
  }

  it('ends with all that it started, and leaves nothing', async () => {
    const marker = String(100_000_000 + Math.floor(Math.random() * 800_000_000));
    const made = make({ timeoutSeconds: 1 }).convert(rtf(`CHILDREN ${marker}`), unaborted);
    expect(await reasonOf(made)).to.equal('took too long to convert to PDF');
    const commands = await Promise.all(
      (await readdir('/proc'))
        .filter((name) => /^\d+$/.test(name))
        .map((pid) => readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '')),
    );
    expect(commands.filter((command) => command.startsWith('sleep') && command.includes(marker))).to.deep.equal([]);
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
    ['is busy', 'CRASH', /the converter answered with status 503$/],
    ['redirects', 'LINK', /the converter answered with status 302$/],
    ['answers what is no PDF', 'PLAIN', /it is damaged/],
  ];
  for (const [what, word, reason] of failures) {
    it(`fails if it ${what}`, async () => {
      expect(await reasonOf(make().convert(rtf(word), unaborted))).to.match(reason);
    });
  }

  it('says which setting is wrong when it is out of reach', async () => {
    const away = gotenberg({ url: 'http://127.0.0.1:1', outbound, timeoutSeconds: 5 });
    expect(await reasonOf(away.convert(rtf('Total'), unaborted))).to.match(/\(CONVERTER_URL\)\. The host 127\.0\.0\.1/);
  });
});

if (installed !== null) {
  describe(`LibreOffice (${execFileSync(installed, ['--version'], { encoding: 'utf8' }).trim()})`, () => {
    converterContract((limits) => soffice({ program: installed, searchPath, timeoutSeconds: 300, ...limits }));
  });
}
