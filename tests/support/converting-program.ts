import { soffice } from '../../src/adapters/text/converter/soffice.ts';

/** Converts a document until it is ended: the program, its search path, the document, and the command of the sandbox. */
const [program = '', searchPath = '', document = '', ...sandbox] = process.argv.slice(2);
const data = Buffer.from(document, 'latin1');
const converter = soffice({ program, searchPath, sandbox, timeoutSeconds: 600 });
await converter.convert({ extension: 'rtf', data }, new AbortController().signal);
