import { decompressRTF } from '@kenjiuno/decompressrtf';
import { deEncapsulateSync } from 'rtf-stream-parser';
import type { ReadingNote } from '../../../application/ports/text.ts';
import { decodeCodePage } from './code-pages.ts';
import { bodyOf } from './email.ts';
import { readRtf } from './rtf.ts';

interface Body {
  readonly text: string;
  readonly notes: readonly ReadingNote[];
}

/** Outlook keeps HTML within rich text. */
const ofRichText = async (data: Uint8Array): Promise<Body> => {
  const rtf = Buffer.from(decompressRTF([...data]));
  if (!/\\from(?:html|text)/.test(rtf.toString('latin1', 0, 1000))) return readRtf(rtf);
  const { mode, text } = deEncapsulateSync(rtf, {
    decode: (bytes, codePage) => decodeCodePage(Number(codePage.replace(/\D/g, '')), bytes),
    mode: 'either',
    warn: () => undefined,
  });
  return bodyOf(mode === 'html' ? { html: String(text) } : { text: String(text) });
};

/** The body of a message in the form of those that Outlook keeps which a person sees; `richText` is compressed. */
export const outlookBody = async ({
  html = '',
  richText,
  text = '',
}: {
  readonly html?: string | undefined;
  readonly richText?: Uint8Array | undefined;
  readonly text?: string | undefined;
}): Promise<Body> => {
  const shown = bodyOf({ html });
  if (shown.text.trim() !== '') return shown;
  const rich = richText === undefined ? null : await ofRichText(richText).catch(() => null);
  return rich !== null && rich.text.trim() !== '' ? rich : { text, notes: [] };
};
