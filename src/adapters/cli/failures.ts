import { PorticoError } from '../../client/error.ts';
import { DomainError, messageOf } from '../../domain/errors.ts';
import { printable } from './printable.ts';
import { refusalLines } from './refusals.ts';

/** A failure that the user can mend: a line, and lines with details. */
export class CliFailure extends Error {
  readonly more: readonly string[];

  constructor(message: string, more: readonly string[] = [], options?: ErrorOptions) {
    super(message, options);
    this.name = 'CliFailure';
    this.more = more;
  }
}

/** The command line itself is wrong: exit code 2. */
export class UsageFailure extends CliFailure {}

/** Ctrl-C; `remark` names what goes on without this program. */
export class Interrupted extends Error {
  readonly remark: string | null;

  constructor(remark: string | null = null) {
    super('interrupted');
    this.name = 'Interrupted';
    this.remark = remark;
  }
}

export const exitCode = { done: 0, failed: 1, usage: 2, interrupted: 130 } as const;

const errorLines = ({ errors }: DomainError) => errors.map(({ path, message }) => printable(path === '' ? message : `${path} ${message}`));

/** The lines of a failure on the terminal: never a stack trace. */
export const describeFailure = (error: unknown): readonly string[] => {
  if (error instanceof CliFailure) return [printable(error.message), ...error.more.map(printable)];
  if (error instanceof PorticoError) return refusalLines(error).map(printable);
  if (error instanceof DomainError && error.errors.length > 1) return [`${error.errors.length} things are wrong:`, ...errorLines(error)];
  if (error instanceof AggregateError && error.message === '') return [printable(error.errors.map((each) => messageOf(each)).join('; '))];
  return [printable(messageOf(error).split('\n')[0] ?? '') || 'it failed without saying why'];
};
