import { type Command, InvalidArgumentError } from 'commander';
import type { Props } from 'io-ts';
import type { Portico } from '../../client/portico.ts';
import type { ValidationError } from '../../domain/errors.ts';
import { isUuid } from '../../domain/text.ts';
import type { CliDependencies, Operator } from './dependencies.ts';
import { Interrupted, UsageFailure } from './failures.ts';
import { type Terminal, terminal } from './terminal.ts';

export interface Context {
  readonly dependencies: CliDependencies;
  readonly terminal: Terminal;
  /** Sets the exit code, which is 0 otherwise. */
  ends(code: number): void;
}

/** What a command does in this context, with the arguments and options that it is given. */
export const inContext =
  <A extends unknown[]>(context: Context, act: (context: Context, ...given: A) => unknown) =>
  async (...args: A): Promise<void> =>
    void (await act(context, ...args));

/** The option of every command that prints a result. */
export interface Json {
  readonly json?: boolean;
}

export const createContext = (dependencies: CliDependencies, ends: Context['ends']): Context => ({
  dependencies,
  terminal: terminal(dependencies),
  ends,
});

/** Runs work that Ctrl-C aborts: the reason of the signal is `Interrupted`, with this remark. */
export const interruptible = async <T>(
  { dependencies }: Context,
  work: (signal: AbortSignal) => Promise<T>,
  remark: string | null = null,
): Promise<T> => {
  const abort = new AbortController();
  const leave = dependencies.onStopSignal(() => abort.abort(new Interrupted(remark)));
  try {
    return await work(abort.signal);
  } finally {
    leave();
  }
};

/** Loaded when a command needs them, so that `--help` does not wait for codecs. */
const loadOnline = async () => {
  const [{ agentIdOf, connect, findAgent }, { read, checked }, views] = await Promise.all([
    import('./connect.ts'),
    import('./answers.ts'),
    import('./views.ts'),
  ]);
  return { agentIdOf, connect, findAgent, read, checked, views };
};

export interface Online extends Awaited<ReturnType<typeof loadOnline>> {
  readonly client: Portico;
  readonly signal: AbortSignal;
  readonly terminal: Terminal;
}

/** Runs a command that calls the server at PORTICO_URL. */
export const withClient = (context: Context, work: (online: Online) => Promise<void>): Promise<void> =>
  interruptible(context, async (signal) => {
    const loaded = await loadOnline();
    const client = loaded.connect(context.dependencies, signal, context.terminal.note);
    await work({ ...loaded, client, signal, terminal: context.terminal });
  });

/** Runs a command that uses the database of the configuration; closes it afterwards, also after a failure. */
export const withOperator = <T>(context: Context, work: (operator: Operator, on: Terminal) => Promise<T>): Promise<T> =>
  interruptible(context, async (signal) => {
    const operator = await context.dependencies.openOperator();
    const interrupted = Promise.withResolvers<never>();
    signal.addEventListener('abort', () => interrupted.reject(signal.reason), { once: true });
    try {
      signal.throwIfAborted();
      return await Promise.race([work(operator, context.terminal), interrupted.promise]);
    } finally {
      await operator.close();
    }
  });

/** Refuses what the API refuses as well. Codecs are loaded here, so that `--help` does not wait for them. */
export const mustFit = async (values: Readonly<Record<string, string>>, load: () => Promise<Props>): Promise<void> => {
  const [fields, { decodeAt }, { wire }] = await Promise.all([
    load(),
    import('../../wire/kit/errors.ts'),
    import('../../wire/kit/structures.ts'),
  ]);
  const errors: ValidationError[] = [];
  decodeAt('', wire(fields), values, errors);
  if (errors.length > 0) throw new UsageFailure(errors.map(({ path, message }) => `the ${path} ${message}`).join('; '));
};

export const EXAMPLE_ID = '0197a3f0-5a5e-7c3e-9d0a-3f5b8c1d2e4f';

export const examples = (command: Command, lines: readonly string[]) =>
  command.addHelpText('after', ['', 'Examples:', ...lines.map((line) => `  ${line}`)].join('\n'));

export const withJson = (command: Command) => command.option('--json', 'print JSON');

/** A command that prints a result, with examples. */
export const resultCommand = (parent: Command, name: string, about: string, lines: readonly string[]) =>
  examples(withJson(parent.command(name).description(about)), lines);

export const wholeNumber =
  (least: number, most: number) =>
  (text: string): number => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
  };

/** The options of a list that goes on behind a cursor. */
export interface PageOptions extends Json {
  readonly limit: number;
  readonly after?: string;
}

export const paged = (command: Command) =>
  command
    .option('--limit <n>', 'how many, 1 to 100', wholeNumber(1, 100), 20)
    .option('--after <cursor>', 'go on where the page before ended');

export const idOf = (text: string): string => {
  if (isUuid(text)) return text.toLowerCase();
  throw new InvalidArgumentError(`It must be an id such as ${EXAMPLE_ID}.`);
};

/** A command on one thing, which `id` describes; `endings` are what its examples have behind the id. */
export const idCommand = (
  parent: Command,
  name: string,
  about: string,
  id: string,
  endings: readonly string[] = [''],
) => {
  const lines = endings.map((ending) => `portico ${parent.name()} ${name} ${EXAMPLE_ID}${ending}`);
  return resultCommand(parent, name, about, lines).argument('<id>', id, idOf);
};
