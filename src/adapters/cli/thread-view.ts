import * as t from 'io-ts';
import { fitted, printable, printableLines } from './printable.ts';
import { painted, type Terminal } from './terminal.ts';

const nullable = <C extends t.Mixed>(codec: C) => t.union([codec, t.null]);

const message = t.type({
  ...{ role: t.string, content: t.string, tool_call_id: nullable(t.string) },
  tool_calls: t.array(t.type({ id: t.string, name: t.string, arguments: t.unknown })),
});
export const thread = t.type({ id: t.string, agent_id: t.string, status: t.string, messages: t.array(message) });
export const exchange = t.type({ conversation_id: t.string, messages: t.array(message), error: nullable(t.string) });

export type WireMessage = t.TypeOf<typeof message>;

const MOST_LINES = 16;
const WIDTH = 200;

const speakers: Readonly<Record<string, string>> = { user: 'you', assistant: 'agent' };

/** What a tool answered, as much of it as helps to follow the conversation. */
const resultLines = (content: string): readonly string[] => {
  const lines = printableLines(content);
  const shown = lines.slice(0, MOST_LINES).map((line) => fitted(line, WIDTH));
  const isCut = lines.length > MOST_LINES || shown.some((line, index) => line !== lines[index]);
  return isCut ? [...shown, '(shortened; --json shows all of it)'] : shown;
};

const indented = (first: string, lines: readonly string[]) => lines.map((line, index) => `${index === 0 ? first : '  '}${line}`);

/** One message, as somebody who follows the conversation reads it. */
export const showMessage = ({ out, paint }: Terminal, { role, content, tool_calls: calls }: WireMessage) => {
  if (role === 'tool') {
    for (const line of indented('← ', resultLines(content))) out(paint('dim', line));
    return;
  }
  if (content !== '') {
    out(paint('bold', `${speakers[role] ?? printable(role)}:`));
    for (const line of printableLines(content)) out(`  ${line}`.trimEnd());
  }
  for (const { name, arguments: args } of calls) {
    out(paint('cyan', `→ ${printable(name)} ${fitted(printable(JSON.stringify(args) ?? ''), WIDTH)}`));
  }
};

export const showThread = (terminal: Terminal, { id, status, messages }: t.TypeOf<typeof thread>) => {
  terminal.out(`${terminal.paint('bold', 'conversation')} ${printable(id)}  ${painted(terminal.paint, status)}`);
  for (const each of messages) showMessage(terminal, each);
};
