import { type Command, InvalidArgumentError } from 'commander';
import { eventTypes } from '../../../domain/event.ts';
import { isUuid } from '../../../domain/text.ts';
import { eventPatterns } from '../../../domain/webhook.ts';
import { type Context, EXAMPLE_ID, resultCommand } from '../command.ts';
import type { ListenOptions } from '../listen.ts';

const patterns: readonly string[] = [...new Set([...eventPatterns, 'unit.*', ...eventTypes])];

const typeList = (text: string): readonly string[] => {
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.filter((name) => !patterns.includes(name));
  if (unknown.length === 0) return names;
  throw new InvalidArgumentError(`There is no event ${unknown.join(', ')}: the types are ${patterns.join(', ')}.`);
};

const address = (text: string): URL => {
  const url = URL.parse(text);
  if (url !== null && ['http:', 'https:'].includes(url.protocol) && url.username === '' && url.password === '')
    return url;
  throw new InvalidArgumentError(
    'It must be an address such as http://localhost:4000/hook, without a user name or a password.',
  );
};

const start = (text: string): string => {
  if (text === 'now' || text === 'start' || isUuid(text)) return text.toLowerCase();
  throw new InvalidArgumentError(`It must be now, start, or the id of an event such as ${EXAMPLE_ID}.`);
};

export const listenCommand = (program: Command, context: Context) => {
  const lines = [
    'portico listen',
    'portico listen --types run.failed,document.error --json',
    'portico listen --forward http://localhost:4000/hook',
    '',
    'The first time it begins with what happens from now on, then where it was stopped. The place, and the secret of --forward, are kept',
    'for each server and key in $XDG_STATE_HOME/portico/listen (~/.local/state/portico/listen; on Windows %LOCALAPPDATA%\\portico\\listen).',
    'An event that the receiver does not take is sent again after growing pauses, and given up after 5 attempts; later events wait for it.',
  ];
  resultCommand(program, 'listen', 'print what happens, an event a line, until Ctrl-C', lines)
    .option('--types <types>', 'only these types, separated by commas; steps of units only if they are named', typeList)
    .option('--forward <url>', 'send each event there, signed as a webhook is; the secret is printed', address)
    .option('--after <place>', 'begin there: now, start (all that is kept), or after the event with this id', start)
    .action(async (options: ListenOptions) => {
      const { listen } = await import('../listen.ts');
      await listen(context, options);
    });
};
