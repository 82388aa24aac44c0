import { soffice } from '../../src/adapters/text/converter/soffice.ts';
import { nativeSandbox } from '../../src/adapters/text/native-sandbox.ts';

/** Converts a document until it is ended: the program, its search path, the document, and whether it has a sandbox. */
const [program = '', searchPath = '', document = '', sandboxed] = process.argv.slice(2);
const data = Buffer.from(document, 'latin1');
const sandbox = (sandboxed === 'sandboxed' ? nativeSandbox(program) : null) ?? (() => []);
const converter = soffice({ program, searchPath, sandbox, timeoutSeconds: 600 });
await converter.convert({ extension: 'rtf', data }, new AbortController().signal);
