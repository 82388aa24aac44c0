import { inspect } from 'node:util';
import pino from 'pino';
import type { Log } from '../../application/ports/runtime.ts';
import { DomainError } from '../../domain/errors.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

// Clients decide what stands in a log line, so its redaction has to take linear time. Each pattern begins with a character that its
// repetitions exclude, and these exclude what follows them: no part of a line is read for two matches, or twice for one.

const SECRET_NAME =
  /password|passwd|secret|token|api[-_]?key|authorization|cookie|private[-_]?key|encryption[-_]?key|signature/i;
const SECRET_PARAMETER = /(?:signature|token|key|secret|password)$/i;

/** A value after its name: in JSON, in JSON within a string, in the query of an address. */
const named: readonly (readonly [pattern: RegExp, name: RegExp])[] = [
  [/(")([\w-]+)(":")[^"\\]*(?:\\.[^"\\]*)*/g, SECRET_NAME],
  [/(\\")([\w-]+)(\\":\s*\\")[^"\\]*/g, SECRET_NAME],
  [/([?&])([\w-]+)(=)[^\s"\\&#]+/g, SECRET_PARAMETER],
];

/** A value whose form alone shows that it is a secret. */
const known: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\b(svc-|svcpt_|svcrt_|sk-|whsec_)[\w-]{16,}={0,2}/g, '$1[redacted]'],
  [/\b(Bearer|Basic) [\w.~+/=-]{8,}/gi, '$1 [redacted]'],
  [/:\/\/[^\s"\\/?#]*@/g, '://[redacted]@'],
];

const MAY_BE_NAMED = new RegExp(`${SECRET_NAME.source}|key=`, 'i');

const redactNamed = (line: string): string =>
  named.reduce(
    (text, [pattern, secret]) =>
      text.replace(pattern, (all: string, before: string, name: string, between: string) =>
        secret.test(name) ? `${before}${name}${between}[redacted]` : all,
      ),
    line,
  );

/** A line of JSON without the secrets in it, still JSON. */
export const redact = (line: string): string =>
  known.reduce(
    (text, [pattern, instead]) => text.replace(pattern, instead),
    MAY_BE_NAMED.test(line) ? redactNamed(line) : line,
  );

interface Lines {
  write(line: string): unknown;
}

/** How much waits for a slow reader of the log; lines beyond it are dropped, so that no request waits. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024;

/**
 * An error's own fields: those that libraries add (statements, parameters, request bodies) may contain secrets. What has words for people
 * is no defect, and the place where it was noticed says nothing.
 */
const errorFields = (error: Error, withStack = !(error instanceof DomainError), depth = 0): object => ({
  type: error.name,
  message: error.message,
  ...('code' in error && (typeof error.code === 'string' || typeof error.code === 'number')
    ? { code: error.code }
    : {}),
  ...(withStack && { stack: error.stack }),
  ...(error.cause instanceof Error && depth < 4 ? { cause: errorFields(error.cause, withStack, depth + 1) } : {}),
});

const plain = (fields: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, value instanceof Error ? errorFields(value) : value]),
  );

const human = (line: string): string => {
  const { time, level, msg, pid: _, err, ...fields } = JSON.parse(line);
  const rest = Object.entries(fields).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : inspect(value, { breakLength: Infinity })}`,
  );
  const stack = err?.stack === undefined ? '' : `\n${err.stack}`;
  return `${[String(time).slice(11, 23), String(level).padEnd(5), msg, ...rest].join(' ')}${stack}\n`;
};

const toTerminal: Lines = { write: (line) => process.stderr.write(human(line)) };

/** Lines that cannot be written because the disk is full are written with the next line; the process goes on. */
const toStderr = (sync: boolean): Lines => {
  const lines = pino.destination({ dest: 2, sync, maxLength: MAX_WAITING_BYTES });
  let isFull = false;
  lines.on('error', () => {
    isFull = true;
  });
  lines.on('write', () => {
    isFull = false;
  });
  const flushSync = lines.flushSync.bind(lines);
  // The end of the process calls it, and it tries without end.
  lines.flushSync = () => {
    if (!isFull) flushSync();
  };
  return lines;
};

interface LogSettings {
  readonly level: LogLevel;
  readonly lines?: Lines;
  /** Whether a line is written before its call returns; else no request waits for the reader of the log. */
  readonly sync?: boolean;
  /** Fields of every line, in a new object each time: the work that the program is doing. */
  readonly context?: () => object;
}

/** JSON lines, or readable ones if stderr is a terminal; stdout is for the answers of commands. */
export const pinoLog = ({ level, lines, sync = false, context }: LogSettings): Log => {
  const options: pino.LoggerOptions = {
    level,
    base: { pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }), log: plain },
    ...(context && { mixin: context }),
    serializers: { err: (fields: object) => fields },
    hooks: { streamWrite: redact },
  };
  return pino(options, lines ?? (process.stderr.isTTY ? toTerminal : toStderr(sync)));
};
