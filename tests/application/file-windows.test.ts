import { expect } from 'chai';
import fc from 'fast-check';
import type { ReadFile, ReadPart } from '../../src/application/turns/file-reader.ts';
import { coverageOf, type FileWindow, fileWindows } from '../../src/application/turns/file-windows.ts';
import { PAGE_TAGS } from '../../src/application/turns/history.ts';

const part = (fields: Partial<ReadPart>): ReadPart => ({
  fileName: 'a.pdf',
  contentType: 'application/pdf',
  pages: [],
  layouts: [],
  unreadable: null,
  native: null,
  ...fields,
});

const line = fc.string({ unit: fc.constantFrom('a', 'b', '😀'), maxLength: 30 });
const page = fc.array(line, { maxLength: 8 }).map((lines) => lines.join('\n'));
const aPart = fc.array(page, { maxLength: 6 }).map((texts) => {
  const pages = texts.map((text, index) => ({ number: index + 1, text }));
  return part({ pages, unreadable: pages.length === 0 ? 'is damaged' : null });
});
const someFiles = fc
  .array(fc.array(aPart, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 4 })
  .map((files) => files.map((parts): ReadFile => ({ fileName: 'a', sha256: null, parts })));

const all = (files: readonly ReadFile[], room: number): readonly FileWindow[] => {
  const windows = fileWindows(files);
  const found: FileWindow[] = [];
  do found.push(windows.next(found.at(-1)?.to ?? 0, room));
  while ((found.at(-1)?.to ?? 0) < windows.total);
  return found;
};

const pagesOf = (files: readonly ReadFile[]) => files.flatMap(({ parts }) => parts).flatMap(({ pages }) => pages);
const sizeOf = (files: readonly ReadFile[]) =>
  pagesOf(files).reduce((sum, { text }) => sum + text.length + (text === '' ? 0 : PAGE_TAGS), 0);

describe('windows of files', () => {
  it('show every character of every file once, in order', () => {
    fc.assert(
      fc.property(someFiles, fc.integer({ min: 61, max: 400 }), (files, room) => {
        const windows = fileWindows(files);
        const found = all(files, room);
        const texts = found.map((window) =>
          pagesOf(windows.filesIn(window))
            .map(({ text }) => text)
            .join(''),
        );
        expect(texts.join('')).to.equal(
          pagesOf(files)
            .map(({ text }) => text)
            .join(''),
        );
        expect(texts.every((text) => text.isWellFormed())).to.equal(true);
        const unreadable = found
          .flatMap((window) => windows.filesIn(window))
          .flatMap(({ parts }) => parts.filter((each) => each.unreadable !== null));
        expect(unreadable).to.have.length(
          files.flatMap(({ parts }) => parts.filter((each) => each.unreadable !== null)).length,
        );
        expect(coverageOf(files, found).charactersRead).to.equal(windows.total);
        expect(coverageOf(files, found).pagesRead).to.equal(pagesOf(files).length);
      }),
    );
  });

  it('are as large as there is room for, and split a page alone that has no room itself', () => {
    fc.assert(
      fc.property(someFiles, fc.integer({ min: 90, max: 400 }), (files, room) => {
        const windows = fileWindows(files);
        const found = all(files, room);
        const whole = new Set(pagesOf(files));
        for (const [index, window] of found.entries()) {
          const own = pagesOf(windows.filesIn(window)).filter(({ text }) => text !== '');
          const next = pagesOf(windows.filesIn(found[index + 1] ?? { from: 0, to: 0 })).find(({ text }) => text !== '');
          expect(sizeOf(windows.filesIn(window))).to.be.at.most(room);
          expect(own.length === 1 || own.slice(1).every((each) => whole.has(each))).to.equal(true);
          if (next && whole.has(next))
            expect(sizeOf(windows.filesIn(window)) + next.text.length + PAGE_TAGS).to.be.greaterThan(room);
        }
      }),
    );
  });

  it('end with a line where they split a page, if it has one that short', () => {
    const text = 'first line\nsecond line\nthird';
    expect(
      all([{ fileName: 'a', sha256: null, parts: [part({ pages: [{ number: null, text }] })] }], PAGE_TAGS + 12).map(
        ({ to }) => to,
      ),
    ).to.deep.equal([11, 23, 28]);
    const long = 'x'.repeat(25);
    expect(
      all(
        [{ fileName: 'a', sha256: null, parts: [part({ pages: [{ number: null, text: long }] })] }],
        PAGE_TAGS + 10,
      ).map(({ to }) => to),
    ).to.deep.equal([10, 20, 25]);
  });

  it('have the file itself where they have the whole of its text, and its layouts for their pages', () => {
    const native = {
      type: 'file' as const,
      fileName: 'a.pdf',
      contentType: 'application/pdf',
      data: new Uint8Array(1),
    };
    const layouts = [1, 2].map((number) => ({ number, width: 1, height: 1, source: 'ocr' as const, words: [] }));
    const pages = [1, 2].map((number) => ({ number, text: 'x'.repeat(100) }));
    const files = [
      {
        fileName: 'a',
        sha256: null,
        parts: [part({ pages, layouts, native }), part({ unreadable: 'is a picture', native })],
      },
    ];
    const windows = fileWindows(files);
    const [first, second] = all(files, 200).map((window) => windows.filesIn(window).flatMap(({ parts }) => parts));
    expect(first).to.deep.equal([part({ pages: pages.slice(0, 1), layouts: layouts.slice(0, 1) })]);
    expect(second).to.deep.equal([
      part({ pages: pages.slice(1), layouts: layouts.slice(1) }),
      part({ unreadable: 'is a picture', native }),
    ]);
    expect(windows.filesIn({ from: 0, to: 200 })).to.deep.equal(files);
  });
});
