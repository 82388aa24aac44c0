import { inspect } from 'node:util';
import pino from 'pino';
import type { Log } from '../../application/ports/runtime.ts';
import { redact } from './redact.ts';

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

interface Lines {
  write(line: string): unknown;
}

/** What waits for a reader that is slower than the log; lines beyond it are dropped, never the requests that wrote them. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024;

/** An error's own words and place. What libraries hang on it besides (statements, parameters, request bodies) may hold secrets. */
const errorFields = (error: Error, depth = 0): object => ({
  type: error.name,
  message: error.message,
  ...('code' in error && (typeof error.code === 'string' || typeof error.code === 'number') ? { code: error.code } : {}),
  stack: error.stack,
  ...(error.cause instanceof Error && depth < 4 ? { cause: errorFields(error.cause, depth + 1) } : {}),
});

const plain = (fields: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value instanceof Error ? errorFields(value) : value]));

const human = (line: string): string => {
  const { time, level, msg, pid: _, err, ...fields } = JSON.parse(line);
  const rest = Object.entries(fields).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : inspect(value, { breakLength: Infinity })}`,
  );
  const stack = err?.stack === undefined ? '' : `\n${err.stack}`;
  return `${[String(time).slice(11, 23), String(level).padEnd(5), msg, ...rest].join(' ')}${stack}\n`;
};

const toTerminal: Lines = { write: (line) => process.stderr.write(human(line)) };

const toStream = (fd: 1 | 2): Lines => pino.destination({ dest: fd, sync: false, maxLength: MAX_WAITING_BYTES });

interface LogSettings {
  readonly level: LogLevel;
  readonly lines?: Lines;
  /** Fields of every line, in a new object each time: what the program is just doing. */
  readonly context?: () => object;
}

/** JSON lines, or lines for people where they go to a terminal. stdout is left to what a command answers. */
export const pinoLog = ({ level, lines, context }: LogSettings): Log => {
  const options: pino.LoggerOptions = {
    level,
    base: { pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }), log: plain },
    ...(context && { mixin: context }),
    serializers: { err: (fields: object) => fields },
    hooks: { streamWrite: redact },
  };
  const logger = pino(options, lines ?? (process.stderr.isTTY ? toTerminal : toStream(2)));
  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
  };
};
