// The table of the README that lists the files that are read: their endings come from the code, and what they add from what is installed.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { formats, pictures } from '../src/adapters/text/file-formats.ts';

const PAGES_OR_TEXT = 'as pages with a converter, and as text without one';
const IN_PARTS = 'as text, and each file in it as a part of its own';

/** @typedef {keyof typeof formats | 'picture'} Format */
/** @type {readonly { name: string, of: readonly Format[], is: string, packages: readonly string[] }[]} */
const rows = [
  {
    name: 'PDF',
    of: ['pdf'],
    is: 'as pages: words with their places; what is attached is a part of its own',
    packages: ['@embedpdf/pdfium', 'bidi-js'],
  },
  {
    name: 'Pictures, and scanned pages of PDF',
    of: ['picture'],
    is: 'as pages, by OCR; of GIF, the first frame',
    packages: [
      'tesseract.js-core',
      '@tesseract.js-data/eng',
      '@tesseract.js-data/deu',
      '@tesseract.js-data/fra',
      '@tesseract.js-data/osd',
      'libheif-js',
      '@jsquash/avif',
      'utif2',
      'omggif',
      'bmp-ts',
    ],
  },
  {
    name: 'Excel, also XML of 2003, and OpenDocument',
    of: ['xlsx', 'xls', 'ods'],
    is: 'as tables: what each cell shows by its number format',
    packages: ['@e965/xlsx', 'fflate'],
  },
  { name: 'Tables as text', of: ['csv'], is: 'as tables', packages: ['csv-parse'] },
  { name: 'Word, also XML of 2003', of: ['docx'], is: 'as text', packages: ['fflate', 'saxes'] },
  { name: 'Text, data, calendars', of: ['plain'], is: 'as text', packages: ['chardet'] },
  { name: 'Web pages', of: ['html'], is: 'as text', packages: ['html-to-text', 'linkedom', '@mozilla/readability'] },
  { name: 'PowerPoint', of: ['pptx'], is: PAGES_OR_TEXT, packages: ['fflate', 'saxes'] },
  { name: 'OpenDocument', of: ['odt', 'odp'], is: PAGES_OR_TEXT, packages: ['fflate', 'saxes'] },
  { name: 'Rich text', of: ['rtf'], is: PAGES_OR_TEXT, packages: ['rtf-stream-parser', 'dingbat-to-unicode'] },
  { name: 'Word before 2007', of: ['doc'], is: PAGES_OR_TEXT, packages: ['word-extractor'] },
  {
    name: 'PowerPoint before 2007',
    of: ['ppt'],
    is: 'as pages with a converter; without one it is refused, with what to install',
    packages: [],
  },
  {
    name: 'e-invoices: UBL and CII, also in PDF',
    of: ['e-invoice'],
    is: 'by their terms, and held to the rules of their profile: [e-invoices](docs/e-invoices.md)',
    packages: ['saxes'],
  },
  { name: 'e-mail', of: ['email'], is: IN_PARTS, packages: ['postal-mime'] },
  { name: 'Outlook, `winmail.dat`', of: ['msg', 'tnef'], is: IN_PARTS, packages: ['@kenjiuno/msgreader'] },
  { name: 'Archives', of: ['zip'], is: 'each file in it as a part of its own', packages: ['yauzl'] },
  { name: 'Signed files', of: ['signed'], is: IN_PARTS, packages: ['asn1js'] },
];

/** @param {Format} format */
const endingsOf = (format) => (format === 'picture' ? Object.keys(pictures) : formats[format].extensions);
/** @param {Format} format */
const isConverted = (format) => format !== 'picture' && formats[format].isConverted === true;

/** @param {string} folder @returns {number} */
const bytesIn = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(path.join(parentPath, name)).size, 0);

/** The folder of a package as this module, or the one in this folder, would find it. @param {string} name @param {string} from */
const folderOf = (name, from) => {
  const found = createRequire(path.join(from, 'x.js'))
    .resolve.paths(name)
    ?.map((place) => path.join(place, name));
  return found?.find((folder) => statSync(path.join(folder, 'package.json'), { throwIfNoEntry: false }));
};

/** A package with those that it needs, each once. @param {string} name @param {string} from @param {Set<string>} folders */
const gather = (name, from, folders) => {
  const folder = folderOf(name, from);
  if (folder === undefined) throw new Error(`tools/formats.mjs names the package ${name}, which is not installed`);
  if (folders.has(folder)) return;
  folders.add(folder);
  const { dependencies = {} } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  for (const needed of Object.keys(dependencies)) gather(needed, folder, folders);
};

const MEGABYTE = 1_000_000;

/** @param {readonly string[]} packages */
const sizeOf = (packages) => {
  if (packages.length === 0) return '';
  const folders = /** @type {Set<string>} */ (new Set());
  for (const name of packages) gather(name, import.meta.dirname, folders);
  // A folder within another one is counted with it.
  const own = [...folders].filter((folder) => ![...folders].some((other) => folder.startsWith(other + path.sep)));
  const megabytes = Math.round(own.reduce((sum, folder) => sum + bytesIn(folder), 0) / MEGABYTE);
  return megabytes === 0 ? 'less than 1 MB' : `${megabytes} MB`;
};

/** @param {(typeof rows)[number]} row */
const lineOf = ({ name, of, is, packages }) => {
  for (const format of of)
    if (isConverted(format) !== is.includes('with a converter'))
      throw new Error(
        `tools/formats.mjs and src/adapters/text/file-formats.ts differ on whether ${format} is converted`,
      );
  const endings = of.flatMap(endingsOf).map((ending) => `\`.${ending}\``);
  return `| ${name} | ${endings.join(' ')} | ${is} | ${sizeOf(packages)} |`;
};

/** The table, which fails to be made while a format of the code is missing in it. */
export const formatTable = () => {
  const missing = Object.keys(formats).filter((format) => !rows.some(({ of }) => of.some((own) => own === format)));
  if (missing.length > 0) throw new Error(`tools/formats.mjs says nothing of ${missing.join(', ')}`);
  return [
    '| Files | Endings | Are read | Adds to the installation |',
    '| - | - | - | - |',
    ...rows.map(lineOf),
    '| Others, and what is encrypted | | not: the document says why, and what to save the file as | |',
  ].join('\n');
};
