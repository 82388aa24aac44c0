// What formats there are. The table of the README is printed from here: `tools/formats.mjs`.

export type TextFormat =
  | 'pdf'
  | 'docx'
  | 'doc'
  | 'rtf'
  | 'odt'
  | 'pptx'
  | 'ppt'
  | 'odp'
  | 'xlsx'
  | 'xls'
  | 'ods'
  | 'csv'
  | 'email'
  | 'msg'
  | 'tnef'
  | 'zip'
  | 'signed'
  | 'html'
  | 'e-invoice'
  | 'plain';

const OFFICE = 'application/vnd.openxmlformats-officedocument';
const ODS = 'application/vnd.oasis.opendocument.spreadsheet';
const ODT = 'application/vnd.oasis.opendocument.text';
const ODP = 'application/vnd.oasis.opendocument.presentation';

export interface Format {
  /** The content type of a file that comes without one of its own. */
  readonly type: string;
  readonly aliases: readonly string[];
  readonly extensions: readonly string[];
  /** For messages. */
  readonly noun: string;
  /** Whether a converter draws its pages, where there is one. */
  readonly isConverted?: boolean;
}

export const formats: Readonly<Record<TextFormat, Format>> = {
  pdf: { type: 'application/pdf', aliases: ['application/x-pdf'], extensions: ['pdf'], noun: 'PDF document' },
  docx: {
    type: `${OFFICE}.wordprocessingml.document`,
    aliases: [`${OFFICE}.wordprocessingml.template`, 'application/vnd.ms-word.document.macroenabled.12'],
    extensions: ['docx', 'docm', 'dotx'],
    noun: 'Word document',
  },
  doc: {
    type: 'application/msword',
    aliases: ['application/x-msword', 'application/vnd.ms-word'],
    extensions: ['doc', 'dot'],
    noun: 'Word document',
    isConverted: true,
  },
  rtf: {
    type: 'application/rtf',
    aliases: ['text/rtf', 'application/x-rtf', 'text/richtext'],
    extensions: ['rtf'],
    noun: 'rich text file',
    isConverted: true,
  },
  odt: {
    type: ODT,
    aliases: [`${ODT}-template`, `${ODT}-flat-xml`],
    extensions: ['odt', 'ott', 'fodt'],
    noun: 'OpenDocument text',
    isConverted: true,
  },
  pptx: {
    type: `${OFFICE}.presentationml.presentation`,
    aliases: [
      `${OFFICE}.presentationml.slideshow`,
      `${OFFICE}.presentationml.template`,
      'application/vnd.ms-powerpoint.presentation.macroenabled.12',
    ],
    extensions: ['pptx', 'ppsx', 'pptm', 'potx'],
    noun: 'PowerPoint presentation',
    isConverted: true,
  },
  ppt: {
    type: 'application/vnd.ms-powerpoint',
    aliases: ['application/mspowerpoint', 'application/x-mspowerpoint'],
    extensions: ['ppt', 'pps', 'pot'],
    noun: 'PowerPoint presentation',
    isConverted: true,
  },
  odp: {
    type: ODP,
    aliases: [`${ODP}-template`, `${ODP}-flat-xml`],
    extensions: ['odp', 'otp', 'fodp'],
    noun: 'OpenDocument presentation',
    isConverted: true,
  },
  xlsx: {
    type: `${OFFICE}.spreadsheetml.sheet`,
    aliases: [`${OFFICE}.spreadsheetml.template`, 'application/vnd.ms-excel.sheet.macroenabled.12'],
    extensions: ['xlsx', 'xlsm', 'xltx'],
    noun: 'Excel workbook',
  },
  xls: {
    type: 'application/vnd.ms-excel',
    aliases: ['application/msexcel', 'application/x-msexcel', 'application/vnd.ms-excel.sheet.binary.macroenabled.12'],
    extensions: ['xls', 'xlt', 'xlsb'],
    noun: 'Excel workbook',
  },
  ods: {
    type: ODS,
    aliases: [`${ODS}-template`, `${ODS}-flat-xml`],
    extensions: ['ods', 'ots', 'fods'],
    noun: 'OpenDocument spreadsheet',
  },
  csv: {
    type: 'text/csv',
    aliases: ['text/tab-separated-values', 'application/csv', 'text/x-csv', 'text/comma-separated-values'],
    extensions: ['csv', 'tsv', 'tab'],
    noun: 'table',
  },
  email: {
    type: 'message/rfc822',
    aliases: ['message/global', 'application/eml'],
    extensions: ['eml'],
    noun: 'e-mail',
  },
  msg: { type: 'application/vnd.ms-outlook', aliases: [], extensions: ['msg', 'oft'], noun: 'message of Outlook' },
  tnef: {
    type: 'application/ms-tnef',
    aliases: ['application/vnd.ms-tnef'],
    extensions: ['tnef'],
    noun: 'message of Outlook',
  },
  zip: {
    type: 'application/zip',
    aliases: ['application/x-zip-compressed', 'application/x-zip'],
    extensions: ['zip'],
    noun: 'archive',
  },
  signed: {
    type: 'application/pkcs7-mime',
    aliases: ['application/x-pkcs7-mime'],
    extensions: ['p7m'],
    noun: 'signed file',
  },
  html: {
    type: 'text/html',
    aliases: ['application/xhtml+xml'],
    extensions: ['html', 'htm', 'xhtml'],
    noun: 'web page',
  },
  /** Its content tells it, whatever its type or name: `startsEInvoice`. */
  'e-invoice': { type: 'application/xml', aliases: [], extensions: [], noun: 'e-invoice' },
  plain: {
    type: 'text/plain',
    aliases: ['application/json', 'application/xml', 'application/yaml', 'application/x-yaml', 'application/x-ndjson'],
    extensions: [
      'txt',
      'text',
      'md',
      'markdown',
      'json',
      'jsonl',
      'ndjson',
      'xml',
      'yaml',
      'yml',
      'log',
      'ini',
      'ics',
      'vcf',
    ],
    noun: 'text',
  },
};

/** The endings of pictures, each with its type. */
export const pictures: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  tif: 'image/tiff',
  tiff: 'image/tiff',
  gif: 'image/gif',
  bmp: 'image/bmp',
  dib: 'image/bmp',
  heic: 'image/heic',
  heif: 'image/heic',
  hif: 'image/heic',
  avif: 'image/avif',
  jp2: 'image/jp2',
  j2k: 'image/jp2',
  jpx: 'image/jp2',
};

/** Of documents that a converter gives pages to, and of those that nothing else reads. */
export const convertedEndings: readonly string[] = Object.values(formats).flatMap(({ isConverted, extensions }) =>
  isConverted === true ? extensions : [],
);
export const onlyConvertedEndings = formats.ppt.extensions;
