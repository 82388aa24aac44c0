import { expect } from 'chai';
import { readFile } from '../../src/adapters/text/read-file.ts';
import { bytes, png } from '../fixtures/text/files.ts';
import { box, oldSlides, openPresentation, openSlide, slideShow, slideTable } from '../fixtures/text/slides.ts';

const read = async (fileName: string, data: Uint8Array) => {
  const [part, ...pictures] = await readFile({ fileName, contentType: '', data }, 100_000);
  const { pages = [], notes = [], unreadable } = part ?? {};
  return { text: pages.map(({ text }) => text).join('\n'), notes, unreadable, pictures, type: part?.contentType };
};

describe('presentations, without a converter', () => {
  it('are the text of their slides in their order, of their tables, and of what stands on all of them', async () => {
    const rows = [
      ['Item', 'Qty', 'Amount'],
      ['Bolts', '4', '50.00'],
    ];
    const slides = [{ shapes: box('Offer 2026\nfor Harbour Works') }, { shapes: box('Prices') + slideTable(rows) }];
    const master = box('Click to edit', { placeholder: 'title' }) + box('Nordlicht GmbH');
    expect(await read('a.pptx', slideShow(slides, master))).to.deep.include({
      text: 'Offer 2026\n\nfor Harbour Works\n\nPrices\n\nItem\tQty\tAmount\nBolts\t4\t50.00\n\nNordlicht GmbH',
      notes: [],
      unreadable: null,
    });
  });

  it('leave out slides and shapes that are hidden, and say how much that is', async () => {
    const slides = [
      { shapes: box('Total: 84.00') + box('secret', { isHidden: true }) },
      { shapes: box('Old price: 99.00'), isHidden: true },
    ];
    expect(await read('a.pptx', slideShow(slides))).to.deep.include({
      text: 'Total: 84.00',
      notes: [
        { kind: 'hidden', page: null, what: '1 hidden slide' },
        { kind: 'hidden', page: null, what: '6 characters of hidden text' },
      ],
    });
  });

  it('show the letters of a font of symbols as the signs that it draws', async () => {
    const run = (text: string, font: string) => `</a:t></a:r><a:r><a:rPr>${font}</a:rPr><a:t>${text}`;
    const [latin, sign] = ['latin', 'sym'].map((name) => `<a:${name} typeface="Wingdings"/>`);
    const shapes = [
      box(`${run('\u00fe', latin ?? '')}${run(' paid', '')}`),
      box(`${run('\u00e0', sign ?? '')}${run('à la carte', sign ?? '')}`),
      box(run('\uf0fe', '<a:latin typeface="Own Signs"/>')),
    ];
    const { text, notes } = await read('a.pptx', slideShow([{ shapes: shapes.join('') }]));
    expect(text.split('\n').filter((line) => line !== '')).to.deep.equal(['🗹 paid', '🡪à la carte']);
    expect(notes).to.deep.equal([{ kind: 'unread', page: null, what: '1 sign of a font of symbols' }]);
  });

  it('say that charts are not read, and give pictures to OCR', async () => {
    const chart =
      '<p:graphicFrame><p:nvGraphicFramePr/><a:graphic><a:graphicData><c:chart r:id="rId9"/></a:graphicData></a:graphic></p:graphicFrame>';
    const show = slideShow([{ shapes: box('Sales') + chart, links: ['../media/a.png'] }], '', {
      'ppt/media/a.png': png,
    });
    const { text, notes } = await read('a.pptx', show);
    expect(text).to.equal('Sales');
    expect(notes).to.deep.equal([{ kind: 'unread', page: null, what: '1 chart, diagram or object' }]);
  });

  it('of OpenDocument are read like its texts, without hidden pages and speaker notes', async () => {
    const show = openPresentation(openSlide('Total: 84.00', '', 'say hello') + openSlide('old', 'hidden'));
    expect(await read('a.odp', show)).to.deep.include({
      text: 'Total: 84.00',
      notes: [
        { kind: 'hidden', page: null, what: '3 characters of hidden text' },
        { kind: 'hidden', page: null, what: '9 characters of speaker notes' },
      ],
      unreadable: null,
      type: 'application/vnd.oasis.opendocument.presentation',
    });
  });

  it('of PowerPoint before 2007 are refused, with what to install', async () => {
    const { unreadable, type } = await read('offer', oldSlides());
    expect(type).to.equal('application/vnd.ms-powerpoint');
    expect(unreadable).to.match(
      /^is of a format that only a converter can read: install LibreOffice on the server, or set CONVERTER_URL/,
    );
  });

  const hostile: readonly (readonly [string, Uint8Array, RegExp])[] = [
    ['without its main part', slideShow([], '', { 'ppt/presentation.xml': bytes('<a/>') }), /^has no text in it$/],
    [
      'that lack a slide',
      slideShow([{ shapes: box('a') }], '', {
        'ppt/_rels/presentation.xml.rels': bytes(
          '<Relationships><Relationship Id="rId2" Type="a/slide" Target="slides/slide9.xml"/></Relationships>',
        ),
      }),
      /^is damaged: a slide of it is missing$/,
    ],
    [
      'with too many shapes in each other',
      slideShow([{ shapes: '<p:grpSp>'.repeat(2000) }]),
      /^has too many elements in each other$/,
    ],
    [
      'with entities',
      slideShow([{ shapes: '' }], '', { 'ppt/slides/slide1.xml': bytes('<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>') }),
      /^has a document type/,
    ],
    [
      'that are bombs',
      slideShow([{ shapes: '' }], '', { 'ppt/slides/slide1.xml': new Uint8Array(150_000_000).fill(32) }),
      /^is too large to read$/,
    ],
  ];
  for (const [what, data, reason] of hostile) {
    it(`are refused ${what}`, async () => {
      expect((await read('a.pptx', data)).unreadable).to.match(reason);
    });
  }
});
