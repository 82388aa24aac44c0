const byExtension: Readonly<Record<string, string>> = {
  '.pdf': 'application/pdf',
  '.docx': 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  '.doc': 'application/msword',
  '.rtf': 'application/rtf',
  '.odt': 'application/vnd.oasis.opendocument.text',
  '.xlsx': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  '.xls': 'application/vnd.ms-excel',
  '.ods': 'application/vnd.oasis.opendocument.spreadsheet',
  '.pptx': 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  '.ppt': 'application/vnd.ms-powerpoint',
  '.odp': 'application/vnd.oasis.opendocument.presentation',
  '.eml': 'message/rfc822',
  '.msg': 'application/vnd.ms-outlook',
  '.tnef': 'application/ms-tnef',
  '.p7m': 'application/pkcs7-mime',
  '.ics': 'text/calendar',
  '.csv': 'text/csv',
  '.tsv': 'text/tab-separated-values',
  '.html': 'text/html',
  '.htm': 'text/html',
  '.txt': 'text/plain',
  '.text': 'text/plain',
  '.log': 'text/plain',
  '.md': 'text/markdown',
  '.json': 'application/json',
  '.xml': 'application/xml',
  '.zip': 'application/zip',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.tif': 'image/tiff',
  '.tiff': 'image/tiff',
  '.bmp': 'image/bmp',
  '.heic': 'image/heic',
  '.heif': 'image/heif',
  '.avif': 'image/avif',
  '.jp2': 'image/jp2',
};

const signatures: readonly (readonly [string, string])[] = [
  ['%PDF-', 'application/pdf'],
  ['\x89PNG\r\n\x1a\n', 'image/png'],
  ['\xff\xd8\xff', 'image/jpeg'],
  ['GIF8', 'image/gif'],
  ['II*\0', 'image/tiff'],
  ['MM\0*', 'image/tiff'],
  ['PK\x03\x04', 'application/zip'],
];

const HEAD_BYTES = 1024;

const isText = (head: Uint8Array) => {
  try {
    // The last character may be cut in two.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    return !text.includes('\0');
  } catch {
    return false;
  }
};

const sniffed = (head: Uint8Array): string => {
  const start = String.fromCharCode(...head);
  const known = signatures.find(([signature]) => start.startsWith(signature));
  if (known) return known[1];
  if (/^(From|To|Subject|Date|Received|Return-Path|Message-ID|MIME-Version):/i.test(start)) return 'message/rfc822';
  if (/^\s*(<!doctype html|<html)/i.test(start)) return 'text/html';
  return isText(head) ? 'text/plain' : 'application/octet-stream';
};

/** By the name's extension; undefined if it has none that is known. */
export const contentTypeOfName = (name: string): string | undefined =>
  byExtension[/\.[^./\\]*$/.exec(name)?.[0].toLowerCase() ?? ''];

/** By the name's extension, else by the first bytes. */
export const contentTypeOf = async (name: string, content: Blob): Promise<string> =>
  contentTypeOfName(name) ?? sniffed(new Uint8Array(await content.slice(0, HEAD_BYTES).arrayBuffer()));
