import { gotenberg } from '../../adapters/text/converter/gotenberg.ts';
import { findSoffice, soffice } from '../../adapters/text/converter/soffice.ts';
import { convertedEndings, onlyConvertedEndings } from '../../adapters/text/file-formats.ts';
import { nativeSandbox } from '../../adapters/text/native-sandbox.ts';
import { withoutNetwork } from '../../adapters/text/sandbox.ts';
import { ConversionFailed, type Converter } from '../../application/ports/converter.ts';
import type { Check } from '../../application/ports/doctor.ts';
import type { Outbound } from '../../application/ports/outbound.ts';
import { deadline } from '../../application/shared/async.ts';
import { messageOf } from '../../domain/errors.ts';
import type { Config } from '../config.ts';

const NO_SANDBOX =
  'this system lets the server begin no namespaces, so that a document could use LibreOffice to reach the network and the files of the server';

export interface FoundConverter {
  readonly converter: Converter | null;
  /** What an operator should know of it: why there is none, or what it lacks. */
  readonly warning: string | null;
}

const none: FoundConverter = { converter: null, warning: null };

/**
 * The converter that the settings name, else LibreOffice if it is installed and can be kept from the network and from the files of the
 * server. `sandboxOf`: what does so for this program, or null.
 */
export const findConverter = (config: Config, outbound: Outbound, sandboxOf = nativeSandbox): FoundConverter => {
  const { converter: choice, converterUrl: url, converterTimeoutSeconds: timeoutSeconds, searchPath } = config;
  if (choice === 'off') return none;
  if (url !== null) return { ...none, converter: gotenberg({ url, outbound, timeoutSeconds }) };
  const program = searchPath === null ? null : findSoffice(searchPath);
  if (searchPath === null || program === null) return none;
  const sandbox = sandboxOf(program);
  if (sandbox === null && choice === 'auto')
    return {
      converter: null,
      warning: `LibreOffice (${program}) is not used: ${NO_SANDBOX}. Set CONVERTER_URL to a Gotenberg server, allow the server namespaces, or set CONVERTER=no-sandbox where the documents come from people whom you trust`,
    };
  return {
    converter: soffice({ program, searchPath, sandbox: sandbox ?? withoutNetwork, timeoutSeconds }),
    warning: sandbox === null ? `CONVERTER=no-sandbox: ${NO_SANDBOX}` : null,
  };
};

const dotted = (endings: readonly string[]) => endings.map((ending) => `.${ending}`).join(' ');

const withoutConverter = () => {
  const read = convertedEndings.filter((ending) => !onlyConvertedEndings.includes(ending));
  return `${dotted(read)} are read as text, and ${dotted(onlyConvertedEndings)} are refused`;
};

const whyNot = ({ converter: choice }: Config, warning: string | null) => {
  if (choice === 'off') return `off (CONVERTER): ${withoutConverter()}`;
  if (warning !== null) return `${warning}. Until then, ${withoutConverter()}`;
  return `none: ${withoutConverter()}. Install LibreOffice (soffice on the PATH) or set CONVERTER_URL, and all of them have pages`;
};

/** One page, by the converter itself. */
const tried = async (converter: Converter, seconds: number): Promise<string> => {
  const since = performance.now();
  const data = new TextEncoder().encode('{\\rtf1 Portico\\par}');
  try {
    await converter.convert({ extension: 'rtf', data }, deadline(seconds));
  } catch (error) {
    const why = error instanceof ConversionFailed ? (error.cause ?? error) : error;
    throw new Error(`${converter.name}: a page was not converted: ${messageOf(why)}`, { cause: error });
  }
  const took = Math.round((performance.now() - since) / 100) / 10;
  return `${converter.name}: a page was converted in ${took} s; ${dotted(convertedEndings)} have pages`;
};

export const converterExamination = (config: Config, { converter, warning }: FoundConverter) => ({
  name: 'converter',
  async examine(): Promise<readonly Check[]> {
    const state = converter === null ? whyNot(config, warning) : await tried(converter, config.converterTimeoutSeconds);
    const check = (status: Check['status'], detail: string): Check => ({ name: 'converter', status, detail });
    if (warning === null) return [check('ok', state)];
    return [check('warn', converter === null ? state : `${state}. ${warning}`)];
  },
});
