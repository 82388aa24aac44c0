import { decompressRTF } from '@kenjiuno/decompressrtf';
import { deEncapsulateSync } from 'rtf-stream-parser';
import { decodeCodePage } from './code-pages.ts';
import { bodyOf, type MessageBody } from './email.ts';
import { readRtf } from './rtf.ts';

/** Outlook keeps HTML within rich text. */
const ofRichText = async (data: Uint8Array): Promise<MessageBody> => {
  const rtf = Buffer.from(decompressRTF([...data]));
  if (!/\\from(?:html|text)/.test(rtf.toString('latin1', 0, 1000))) return { ...(await readRtf(rtf)), pictures: [] };
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
}): Promise<MessageBody> => {
  const shown = bodyOf({ html });
  if (shown.text.trim() !== '' || shown.pictures.length > 0) return shown;
  const rich = richText === undefined ? null : await ofRichText(richText).catch(() => null);
  return rich !== null && rich.text.trim() !== '' ? rich : { text, notes: [], pictures: [] };
};
