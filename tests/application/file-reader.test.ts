import { expect } from 'chai';
import type { FilePart } from '../../src/application/ports/text.ts';
import { fileReader, contentOf as shownOf } from '../../src/application/turns/file-reader.ts';
import { OWN_WORK } from '../../src/domain/sharer.ts';

const data = Uint8Array.of(1, 2, 3);
const scan: FilePart = {
  fileName: 'scan.png',
  contentType: 'image/png',
  data,
  unreadable: null,
  pages: [{ number: 1, text: 'Total: 5' }],
  layouts: [
    {
      number: 1,
      width: 595,
      height: 842,
      source: 'ocr',
      words: [{ text: '5', x: 0, y: 0, width: 1, height: 1, confidence: 0.9 }],
    },
  ],
};

const contentOf = async (part: FilePart, images: boolean) => {
  const remembered: unknown[] = [];
  const keptPages = { remember: async (...all: readonly unknown[]) => void remembered.push(all) };
  const sources = { read: async () => ({ data, sha256: 'digest' }) };
  const files = fileReader({ sources, text: { extract: async () => [part] }, keptPages });
  const attachments = [{ fileKey: 'k', fileName: part.fileName, contentType: part.contentType }];
  const traits = { images, pdf: images, contextTokens: 1000, outputTokens: 0 };
  const wanted = { sharer: OWN_WORK, attachments, traits, journal: { step() {} } };
  const [file] = await files.read(wanted, AbortSignal.timeout(1000));
  expect(remembered).to.deep.equal([['k', part, []]]);
  return file && shownOf(file).map(({ type }) => type);
};

describe('a file as a model is shown it', () => {
  it('is what OCR read of a scan, and the scan itself if the model takes it', async () => {
    expect(await contentOf(scan, true)).to.deep.equal(['document', 'file']);
    expect(await contentOf(scan, false)).to.deep.equal(['document']);
  });

  it('is the picture alone if nothing could be read of it', async () => {
    const unread = { ...scan, pages: [], layouts: [], unreadable: 'is a picture without text that can be read' };
    expect(await contentOf(unread, true)).to.deep.equal(['file']);
    expect(await contentOf(unread, false)).to.deep.equal(['document']);
  });

  it('is its text alone if that is its own', async () => {
    const digital: FilePart = { ...scan, layouts: [{ number: 1, width: 595, height: 842, source: 'text', words: [] }] };
    expect(await contentOf(digital, true)).to.deep.equal(['document']);
  });

  it('is cut so that its parts have an even share of the room', () => {
    const parts = ['a', 'b'].map((letter) => {
      const { data: _bytes, ...rest } = {
        ...scan,
        fileName: `${letter}.txt`,
        pages: [{ number: null, text: letter.repeat(100) }],
      };
      return { ...rest, native: null };
    });
    const texts = (most?: number) =>
      shownOf({ fileName: 'mail.eml', sha256: null, parts }, most).map(
        (each) => each.type === 'document' && each.pages.map(({ text }) => text.slice(0, 60)),
      );
    expect(texts(60)).to.deep.equal(
      ['a', 'b'].map((letter) => [`${letter.repeat(30)}\n[70 more characters are left `]),
    );
    expect(texts()).to.deep.equal(['a', 'b'].map((letter) => [letter.repeat(60)]));
  });
});
