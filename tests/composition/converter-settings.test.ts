import { expect } from 'chai';
import { Container } from 'inversify';
import { safeOutbound } from '../../src/adapters/outbound/outbound.ts';
import { nativeSandbox, type Sandbox } from '../../src/adapters/text/native-sandbox.ts';
import { readConfig } from '../../src/composition/config.ts';
import { converterExamination, findConverter } from '../../src/composition/modules/converter.ts';
import { TextExtractor, text } from '../../src/composition/modules/outside.ts';
import { pdfOfRuns } from '../fixtures/text/files.ts';
import { oldSlides } from '../fixtures/text/slides.ts';
import { gotenbergStandIn } from '../support/gotenberg-stand-in.ts';
import { quiet } from '../support/log.ts';
import { sofficeStandIn } from '../support/soffice-stand-in.ts';

const configOf = (env: Readonly<Record<string, string>>) =>
  readConfig({ DATABASE_URL: 'postgres://127.0.0.1/portico', ...env });

const outbound = safeOutbound({ allowedHosts: [] });
const NOTHING = '/nowhere';
const { PATH: programs = '' } = process.env;

describe('the settings of the converter', () => {
  let standIn: Awaited<ReturnType<typeof sofficeStandIn>>;
  let server: Awaited<ReturnType<typeof gotenbergStandIn>>;
  /** Where `soffice` is found, and the programs that it needs. */
  let searchPath: string;
  before(async () => {
    const pdf = await pdfOfRuns([['Portico', 50, 780]]);
    [standIn, server] = await Promise.all([sofficeStandIn(pdf), gotenbergStandIn(pdf)]);
    searchPath = `${standIn.folder}:${programs}`;
  });
  after(() => Promise.all([standIn.close(), server.close()]));

  /** The line of `portico doctor`. */
  const lineOf = async (
    env: Readonly<Record<string, string>>,
    sandbox: Sandbox | null = nativeSandbox(standIn.program),
  ) => {
    const config = configOf(env);
    const lines = await converterExamination(
      config,
      findConverter(config, outbound, () => sandbox),
    ).examine();
    expect(lines).to.have.length(1);
    return lines[0];
  };
  const failureOf = (env: Readonly<Record<string, string>>) =>
    lineOf(env).then(
      (line) => JSON.stringify(line),
      (error: Error) => error.message,
    );
  const someSandbox: Sandbox = () => ['env'];

  it('refuse what they do not know', () => {
    expect(configOf({})).to.deep.include({ converter: 'auto', converterUrl: null, converterTimeoutSeconds: 120 });
    expect(configOf({ CONVERTER_URL: 'http://gotenberg:3000/' }).converterUrl).to.equal('http://gotenberg:3000');
    for (const value of ['on', 'libreoffice', 'AUTO', 'no_sandbox'])
      expect(() => configOf({ CONVERTER: value }), value).to.throw(/^CONVERTER must be .*no-sandbox/);
    for (const value of [
      'gotenberg',
      'gotenberg:3000',
      'ftp://gotenberg',
      'http://',
      'http://ada:pw@gotenberg:3000',
      'http://g/?a=b',
    ])
      expect(() => configOf({ CONVERTER_URL: value }), value).to.throw(/^CONVERTER_URL must be an address/);
    for (const value of ['0', '-1', '3601', '1.5', 'soon'])
      expect(() => configOf({ CONVERTER_TIMEOUT_SECONDS: value }), value).to.throw(
        /^CONVERTER_TIMEOUT_SECONDS must be/,
      );
  });

  it('say to the doctor what is missing without one', async () => {
    const line = await lineOf({ PATH: NOTHING });
    expect(line).to.include({ name: 'converter', status: 'ok' });
    expect(line?.detail).to.match(
      /^none: \.doc .*are read as text, and \.ppt \.pps \.pot are refused\. Install LibreOffice \(soffice on the PATH\) or set CONVERTER_URL/,
    );
  });

  it('turn all of them off', async () => {
    const line = await lineOf({ CONVERTER: 'off', CONVERTER_URL: server.url, PATH: searchPath });
    expect(line?.status).to.equal('ok');
    expect(line?.detail).to.match(/^off \(CONVERTER\): \.doc .* are refused$/);
  });

  it('have the doctor convert a page, by a server before a program', async () => {
    const asked = server.asked.length;
    const line = await lineOf({ CONVERTER_URL: `${server.url}/`, PATH: searchPath });
    expect(line?.status).to.equal('ok');
    expect(line?.detail).to.match(
      /^Gotenberg \(127\.0\.0\.1:\d+\): a page was converted in [\d.]+ s; \.doc .*have pages$/,
    );
    expect(server.asked.length - asked).to.equal(1);
    const local = await lineOf({ PATH: searchPath }, someSandbox);
    expect(local?.status).to.equal('ok');
    expect(local?.detail).to.include(`LibreOffice (${standIn.program}): a page was converted`);
  });

  it('have the doctor say what is wrong with one that does not work', async () => {
    expect(await failureOf({ CONVERTER_URL: 'http://127.0.0.1:1' })).to.match(
      /^Gotenberg \(127\.0\.0\.1:1\): a page was not converted: CONVERTER_URL: The host 127\.0\.0\.1/,
    );
    expect(await failureOf({ CONVERTER_URL: `${server.url}/elsewhere` })).to.match(
      /the server answered with status 404$/,
    );
  });

  it('use LibreOffice without a sandbox only where they say so', async () => {
    const refused = await lineOf({ PATH: searchPath }, null);
    expect(refused?.status).to.equal('warn');
    expect(refused?.detail)
      .to.match(/^LibreOffice \(.*\) is not used: this system lets the server begin no namespaces/)
      .and.match(/Set CONVERTER_URL .* or set CONVERTER=no-sandbox .*\.ppt \.pps \.pot are refused$/);
    expect(findConverter(configOf({ PATH: searchPath }), outbound, () => null).converter).to.equal(null);
    const allowed = await lineOf({ PATH: searchPath, CONVERTER: 'no-sandbox' }, null);
    expect(allowed?.status).to.equal('warn');
    expect(allowed?.detail).to.match(/a page was converted in .*have pages\. CONVERTER=no-sandbox: this system lets/);
    expect((await lineOf({ PATH: searchPath, CONVERTER: 'no-sandbox' }, someSandbox))?.status).to.equal('ok');
  });

  it('say what the server makes of slides that only a converter reads', async () => {
    const read = async (env: Readonly<Record<string, string>>) => {
      const config = configOf({ PATH: NOTHING, ...env });
      const { module, close } = text(config, findConverter(config, outbound), quiet, true);
      const container = new Container();
      await container.load(module);
      const file = { fileName: 'a.ppt', contentType: '', data: oldSlides('rtf1') };
      const [part] = await container.get(TextExtractor).extract(file);
      await close?.();
      return part?.unreadable ?? part?.pages.map(({ text: words }) => words);
    };
    expect(await read({ CONVERTER_URL: server.url })).to.deep.equal(['Portico']);
    expect(await read({ CONVERTER_URL: server.url, CONVERTER: 'off' })).to.match(
      /^is of a format that only a converter/,
    );
    expect(await read({})).to.match(/install LibreOffice on the server, or set CONVERTER_URL/);
  });

  it('have the server say in its log why it does not use LibreOffice', async () => {
    const warnings: string[] = [];
    const log = { ...quiet, warn: (_: object, message: string) => void warnings.push(message) };
    for (const CONVERTER of ['auto', 'off']) {
      const config = configOf({ PATH: searchPath, CONVERTER });
      const found = findConverter(config, outbound, () => null);
      for (const serving of [true, false]) await text(config, found, log, serving).close?.();
    }
    expect(warnings).to.have.length(1);
    expect(warnings[0]).to.match(/^LibreOffice \(.*\) is not used/);
  });
});
