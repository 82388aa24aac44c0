import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { expect } from 'chai';
import { findSoffice } from '../../src/adapters/text/converter/soffice.ts';
import { nativeSandbox } from '../../src/adapters/text/native-sandbox.ts';
import { type Portico, portico } from '../../src/client/portico.ts';
import { RunWorker } from '../../src/composition/modules/worker.ts';
import { bytes } from '../fixtures/text/files.ts';
import { box, openPresentation, openSlide, slideShow, slideTable } from '../fixtures/text/slides.ts';
import { aPlace, serveHere } from '../support/here.ts';
import { quiet } from '../support/log.ts';

const workspace = `
workspace: acme
users:
  - { email: ada@example.com, name: Ada, role: admin }
agents:
  - name: Reader
    workflow_type: document_extraction
    model: offline
    instructions: Read the offer.
    document_schema: { type: object, properties: { total: { type: number }, holder: { type: string } } }
`;

const ODF = 'urn:oasis:names:tc:opendocument:xmlns';
const flat = (kind: 'text' | 'presentation' | 'spreadsheet', body: string) =>
  bytes(
    `<?xml version="1.0"?><office:document office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.${kind}" ${[
      'office',
      'text',
      'table',
    ]
      .map((name) => `xmlns:${name}="${ODF}:${name}:1.0"`)
      .join(
        ' ',
      )} xmlns:draw="${ODF}:drawing:1.0" xmlns:svg="${ODF}:svg-compatible:1.0" xmlns:xlink="http://www.w3.org/1999/xlink"><office:body><office:${kind}>${body}</office:${kind}></office:body></office:document>`,
  );
const paragraphs = (...lines: readonly string[]) => lines.map((line) => `<text:p>${line}</text:p>`).join('');
const framed = (inner: string) =>
  `<draw:frame svg:width="12cm" svg:height="3cm" svg:x="2cm" svg:y="6cm">${inner}</draw:frame>`;
const svg = (inner: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="500" height="100">${inner}</svg>`;

const { PATH: searchPath = '' } = process.env;
const program = findSoffice(searchPath);

/** As LibreOffice writes this document in a format that only it writes here. */
const written = async (folder: string, name: string, document: Uint8Array, ending: string): Promise<Uint8Array> => {
  const profile = pathToFileURL(path.join(folder, 'profile'));
  await writeFile(path.join(folder, name), document);
  const args = [`-env:UserInstallation=${profile}`, '--headless', '--convert-to', ending, '--outdir', folder];
  execFileSync(program ?? '', [...args, path.join(folder, name)], { stdio: 'ignore' });
  return new Uint8Array(await readFile(path.join(folder, `${path.parse(name).name}.${ending}`)));
};

if (program !== null && nativeSandbox(program) !== null) {
  describe('runs with files that LibreOffice on this machine converts', function () {
    this.timeout(300_000);

    let place: Awaited<ReturnType<typeof aPlace>>;
    let server: Awaited<ReturnType<typeof serveHere>>;
    let client: Portico;
    let agentId: string;
    /** Why documents have no pages, which is no failure of their runs. */
    const warnings: string[] = [];
    const warn = (fields: object, message: string) => void warnings.push(`${message} ${inspect(fields)}`);
    before(async () => {
      place = await aPlace();
      server = await serveHere({ ...place.settings, PATH: searchPath }, { log: { ...quiet, warn } });
      agentId = (await server.apply(workspace))('agents', 'Reader');
      client = portico({ baseUrl: server.url, apiKey: await server.key('ada@example.com') });
      server.container.get(RunWorker).start();
    });
    after(async () => {
      await server.container.get(RunWorker).stop(1000);
      await server.stop();
      await place.remove();
    });

    /** The document of a run with this file, and its pages. */
    const read = async (name: string, content: Uint8Array) => {
      const files = await client.upload(agentId, [{ name, content: Uint8Array.from(content) }]);
      const run = { params: { path: { agent_id: agentId } }, body: { files: [...files] } };
      const { id } = await client.post('/api/v1/agents/{agent_id}/run', run);
      const { documents } = await client.waitForRun(id);
      const params = { path: { id: documents[0]?.id ?? '' } };
      const document = await client.get('/api/v1/documents/{id}', { params });
      const { files: kept } = await client.get('/api/v1/documents/{id}/files', { params });
      const pages = kept[0]?.pages ?? [];
      const words = await Promise.all(
        pages.map(async ({ page }) => {
          const path = { ...params.path, index: 0, page };
          const { words } = await client.get('/api/v1/documents/{id}/files/{index}/pages/{page}/words', {
            params: { path },
          });
          return words.map(({ text }) => text);
        }),
      );
      return { ...document, pages, words: words.flat() };
    };

    const slides = () =>
      slideShow([
        { shapes: box('Offer 2026') },
        {
          shapes: slideTable([
            ['Item', 'Amount'],
            ['Total', '84.00'],
          ]),
        },
      ]);
    const open = () => openPresentation(openSlide('Offer 2026') + openSlide('Total: 84.00'));
    const letter = () =>
      flat('text', `${paragraphs('Offer 2026')}<text:p><text:soft-page-break/></text:p>${paragraphs('Total: 84.00')}`);
    const folder = (name: string) => path.join(place.settings.DATA_DIR, name);
    const documents: Readonly<Record<string, readonly [pages: number, () => Uint8Array | Promise<Uint8Array>]>> = {
      pptx: [2, slides],
      odp: [2, open],
      ppt: [2, () => written(folder('written'), 'offer.odp', open(), 'ppt')],
      odt: [1, () => written(folder('written'), 'letter.fodt', letter(), 'odt')],
      doc: [1, () => written(folder('written'), 'letter.fodt', letter(), 'doc')],
      rtf: [1, () => written(folder('written'), 'letter.fodt', letter(), 'rtf')],
    };
    for (const [ending, [count, made]] of Object.entries(documents)) {
      it(`have the pages of .${ending}, and the places of its values`, async () => {
        await mkdir(folder('written'), { recursive: true });
        const { document_data: data, evidence, pages } = await read(`offer.${ending}`, await made());
        expect(warnings).to.deep.equal([]);
        expect(data).to.deep.include({ total: 84 });
        expect(pages.map(({ page, source }) => [page, source])).to.deep.equal(
          Array.from({ length: count }, (_, index) => [index + 1, 'text']),
        );
        expect(evidence['/total']).to.deep.include({ page: count });
        expect(evidence['/total']?.boxes).to.have.length(1);
      });
    }

    it('have nothing of the files of the server to which a document links', async () => {
      const at = (name: string) => path.join(place.settings.DATA_DIR, name);
      const name = 'Mallory Moneypenny';
      await writeFile(at('words.txt'), `Holder: ${name}\n`);
      await writeFile(at('text.fodt'), flat('text', paragraphs(`Holder: ${name}`)));
      await writeFile(at('picture.svg'), svg(`<text x="10" y="50" font-size="20">Holder: ${name}</text>`));
      await writeFile(
        at('sheet.fods'),
        flat(
          'spreadsheet',
          `<table:table table:name="A"><table:table-row><table:table-cell>${paragraphs(`Holder: ${name}`)}</table:table-cell></table:table-row></table:table>`,
        ),
      );
      const link = (file: string) => `xlink:href="${pathToFileURL(at(file))}" xlink:type="simple"`;
      const inSvg = svg(`<image ${link('picture.svg')} width="500" height="100"/>`);
      const page = (inner: string) =>
        flat(
          'presentation',
          `<draw:page draw:name="a">${framed(`<draw:text-box>${paragraphs('Total: 84.00')}</draw:text-box>`)}${inner}</draw:page>`,
        );
      const section = (attributes: string) =>
        flat(
          'text',
          `${paragraphs('Total: 84.00')}<text:section text:name="s"><text:section-source ${attributes}/>${paragraphs('old')}</text:section>`,
        );
      const hostile: Readonly<Record<string, Uint8Array>> = {
        'object.fodp': page(framed(`<draw:object ${link('sheet.fods')}/>`)),
        'picture.fodp': page(framed(`<draw:image ${link('picture.svg')}/>`)),
        'within.fodp': page(framed(`<draw:image><office:binary-data>${btoa(inSvg)}</office:binary-data></draw:image>`)),
        'frame.fodt': flat(
          'text',
          paragraphs(
            'Total: 84.00',
            framed(`<draw:floating-frame ${link('text.fodt')}/>`),
            framed(`<draw:object ${link('sheet.fods')}/>`),
          ),
        ),
        'section.fodt': section(link('text.fodt')),
        'words.fodt': section(`${link('words.txt')} text:filter-name="Text"`),
        'words.rtf': bytes(
          `{\\rtf1 Total: 84.00\\par {\\field{\\*\\fldinst INCLUDETEXT "${at('words.txt')}"}{\\fldrslt old}}\\par}`,
        ),
      };
      for (const [file, data] of Object.entries(hostile)) {
        const { words, pages } = await read(file, data);
        expect(pages, `${file} is converted`).to.have.length(1);
        expect(words, file).to.include('84.00').and.not.include('Moneypenny');
      }
    });
  });
}
