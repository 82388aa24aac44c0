import { type BaseBlock, Constructed, fromBER, ObjectIdentifier, OctetString } from 'asn1js';
import type { SourceFile } from '../../../application/ports/text.ts';
import { MAX_UNPACKED_BYTES, Unreadable } from '../text.ts';

const SIGNED = '1.2.840.113549.1.7.2';
const ENCRYPTED = new Set(['1.2.840.113549.1.7.3', '1.2.840.113549.1.9.16.1.23']);
/** A large content is cut into pieces of a thousand bytes. */
const MAX_NODES = 1_000_000;
const MAX_DEPTH = 50;

const childrenOf = (block: BaseBlock | undefined): readonly BaseBlock[] =>
  block instanceof Constructed ? block.valueBlock.value : [];
const identifierOf = (block: BaseBlock | undefined) =>
  block instanceof ObjectIdentifier ? block.getValue() : undefined;

const MIME_ENTITY = /^(?:[\w-]{1,60}:[^\n]*\n(?:[ \t][^\n]*\n)*){1,50}\r?\n/;

/** What was signed: a part of a mail, or a file that has the name of the signed one without its ending. */
const fileOf = (data: Uint8Array, fileName: string): SourceFile => {
  const head = Buffer.from(data.subarray(0, 4096)).toString('latin1');
  if (/^content-type:/im.test(head) && MIME_ENTITY.test(head))
    return { fileName: 'signed message.eml', contentType: 'message/rfc822', data };
  return { fileName: fileName.replace(/\.(?:p7m|p7s|p7)$/i, '') || 'signed file', contentType: '', data };
};

/** What is within a signed file (CMS, S/MIME). What is encrypted, or has only the signature of a file elsewhere, is `Unreadable`. */
export const readSigned = ({ data, fileName }: SourceFile): SourceFile => {
  const { result } = fromBER(data as Uint8Array<ArrayBuffer>, {
    maxDepth: MAX_DEPTH,
    maxNodes: MAX_NODES,
    maxContentLength: MAX_UNPACKED_BYTES,
    parseEmbedded: false,
  });
  const [kind, content] = childrenOf(result);
  const type = identifierOf(kind);
  if (type !== undefined && ENCRYPTED.has(type))
    throw new Unreadable(
      'is encrypted (S/MIME): open it with the certificate that it is for, and upload what is in it',
    );
  const [signed] = childrenOf(content);
  const [, , enclosed] = childrenOf(signed);
  const [octets] = childrenOf(childrenOf(enclosed)[1]);
  if (type !== SIGNED) throw new Unreadable('is packed in a way that is not read: upload what is in it');
  if (!(octets instanceof OctetString))
    throw new Unreadable('is the signature of a file elsewhere, and has no text of its own');
  return fileOf(new Uint8Array(octets.getValue()), fileName);
};
