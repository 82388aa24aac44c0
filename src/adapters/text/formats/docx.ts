import { unzipSync } from 'fflate';
import mammoth from 'mammoth';
import { htmlText } from './html.ts';

const MAX_MARGIN_BYTES = 1_000_000;

/** Tabs are kept: in a Word document they set columns apart. */
const WHITESPACE = ' \r\n\f\u200b';

/** The text of one header or footer, which often holds who a letter is from. */
const marginText = (xml: string): string =>
  htmlText(
    xml
      .replace(/<w:tab\/>/g, '\t')
      .replace(/<w:br\/>/g, '<br>')
      .replace(
        /<(\/?)w:(p|tbl|tr|tc)(?=[\s>])[^>]*>/g,
        (_, end: string, name: string) =>
          `<${end}${({ tbl: 'table', tc: 'td' } as Record<string, string>)[name] ?? name}>`,
      )
      .replace(/<w:instrText[^>]*>[^<]*<\/w:instrText>/g, ''),
    WHITESPACE,
  ).trim();

const marginsText = (data: Uint8Array, kind: 'header' | 'footer'): string => {
  const pattern = new RegExp(`^word/${kind}\\d*\\.xml$`);
  const files = unzipSync(data, {
    filter: ({ name, originalSize }) => pattern.test(name) && originalSize < MAX_MARGIN_BYTES,
  });
  const texts = Object.keys(files)
    .sort()
    .map((name) => marginText(new TextDecoder().decode(files[name])));
  return [...new Set(texts)].join('\n');
};

/** Headers, then the body with its tables as rows of cells, then footers. */
export const docxText = async (data: Uint8Array): Promise<string> => {
  const { value } = await mammoth.convertToHtml(
    { buffer: Buffer.from(data.buffer, data.byteOffset, data.byteLength) },
    { convertImage: mammoth.images.imgElement(async () => ({ src: '' })), externalFileAccess: false },
  );
  const texts = [marginsText(data, 'header'), htmlText(value, WHITESPACE), marginsText(data, 'footer')];
  return texts.filter((text) => text.trim() !== '').join('\n\n');
};
