import * as tables from '@e965/xlsx/dist/cpexcel.full.mjs';

/** The module has its functions beside the tables; its types say within. */
const { utils } = tables as unknown as typeof tables.cptable;

/** Text in a code page of Windows, DOS or the Macintosh, by its number; in Latin-1 if that is not known. */
export const decodeCodePage = (codePage: number, data: Uint8Array): string =>
  utils.hascp(codePage) ? utils.decode(codePage, data) : Buffer.from(data).toString('latin1');
