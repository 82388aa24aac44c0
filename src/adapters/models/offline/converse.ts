import type { ModelMessage, Step, StepRequest, ToolSpec } from '../../../application/ports/models.ts';
import { isObject, type JsonValue } from '../../../domain/json.ts';
import { parseJson } from '../../../domain/json-number.ts';
import type { Pace } from './pace.ts';
import { cut, renderResult } from './render.ts';
import { readSources, type Source } from './source.ts';

type Answer = Pick<Step, 'text' | 'toolCalls'>;

const says = (text: string): Answer => ({ text, toolCalls: [] });

/** `/query {"sql": "…"}`: the arguments a tool wants, by name. */
const usage = ({ name, inputSchema }: ToolSpec): string => {
  const properties = isObject(inputSchema.properties) ? Object.entries(inputSchema.properties) : [];
  const required = Array.isArray(inputSchema.required) ? inputSchema.required : [];
  const shown = properties.filter(([key]) => required.length === 0 || required.includes(key)).slice(0, 6);
  const args = shown.map(
    ([key, schema]) => `"${key}": ${isObject(schema) && schema.type !== undefined && schema.type !== 'string' ? '…' : '"…"'}`,
  );
  return `/${name} {${args.join(', ')}}`;
};

const menu = (tools: readonly ToolSpec[]): string =>
  tools.length === 0
    ? 'This agent has no tools.'
    : [
        'Send one of these commands and I call the tool:',
        ...tools.slice(0, 60).map((tool) => `- \`${usage(tool)}\` ${cut(tool.description.replace(/\s+/g, ' '), 120)}`),
      ].join('\n');

const aboutFile = ({ fileName, unreadable, lines }: Source): string => {
  const texts = lines.map(({ text }) => text.trim()).filter((text) => text !== '');
  if (texts.length === 0) return `- ${fileName}: ${unreadable === null ? 'it is empty.' : `it ${unreadable}.`}`;
  const pages = new Set(lines.map(({ page }) => page).filter((page) => page !== null)).size;
  const size = pages > 0 ? `${pages} ${pages === 1 ? 'page' : 'pages'}` : `${texts.length} ${texts.length === 1 ? 'line' : 'lines'}`;
  return `- ${fileName}: ${size}; it begins "${cut(texts.slice(0, 3).join(' / '), 160)}".`;
};

const introduction = (files: readonly Source[], tools: readonly ToolSpec[]): string =>
  [
    'I am the offline model: a fixed program that stands in for a language model and needs no network. I do not understand free text; I can call tools by command and show what they answer.',
    ...(files.length === 0 ? [] : [['What I could read of the attached files:', ...files.slice(0, 100).map(aboutFile)].join('\n')]),
    menu(tools),
  ].join('\n\n');

interface Command {
  readonly name: string;
  readonly args: string;
}

/** Every line that begins with a slash and a name starts a command; its arguments go on until the next. */
const commandsIn = (said: Source): readonly Command[] => {
  const commands: { name: string; args: string[] }[] = [];
  for (const { text } of said.lines) {
    const [, name, rest] = /^\s*\/([A-Za-z][\w-]{0,63})(?:\s+(.*))?$/.exec(text) ?? [];
    if (name !== undefined) commands.push({ name, args: [rest ?? ''] });
    else commands.at(-1)?.args.push(text);
  }
  return commands.slice(0, 20).map(({ name, args }) => ({ name, args: args.join('\n').trim() }));
};

const parsed = (args: string): { readonly value: JsonValue } | null => {
  try {
    return { value: args === '' ? {} : (parseJson(args) as JsonValue) };
  } catch {
    return null;
  }
};

const callsSoFar = (messages: readonly ModelMessage[]) =>
  messages.reduce((sum, message) => sum + (message.role === 'assistant' ? message.toolCalls.length : 0), 0);

const obey = (commands: readonly Command[], { tools, messages }: StepRequest): Answer => {
  const stranger = commands.find(({ name }) => !tools.some((tool) => tool.name === name));
  if (stranger) return says(`There is no tool ${stranger.name} here. ${menu(tools)}`);
  const unread = commands.find(({ args }) => parsed(args) === null);
  if (unread) {
    const tool = tools.find(({ name }) => name === unread.name);
    return says(`What follows /${unread.name} is not JSON. Write it so: \`${tool ? usage(tool) : ''}\``);
  }
  const before = callsSoFar(messages);
  return {
    text: '',
    toolCalls: commands.map(({ name, args }, index) => ({
      id: `call_${before + index + 1}`,
      name,
      arguments: parsed(args)?.value ?? {},
      invalid: null,
    })),
  };
};

const report = (results: readonly Extract<ModelMessage, { role: 'tool' }>[]): string =>
  results
    .map(({ toolName, text, isError }) =>
      isError ? `${toolName} failed: ${cut(text.trim(), 1_000)}` : `${toolName} answered:\n${renderResult(text)}`,
    )
    .join('\n\n');

/** The answer to the last user message: its commands become calls, their results become the answer, anything else is met honestly. */
export const converse = async (request: StepRequest, pace: Pace): Promise<Answer> => {
  const { messages, tools } = request;
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const results = messages.slice(last + 1).filter((message) => message.role === 'tool');
  if (results.length > 0) return says(report(results));
  const { files, said } = await readSources(last === -1 ? [] : messages.slice(last, last + 1), pace);
  const commands = commandsIn(said);
  return commands.length > 0 ? obey(commands, request) : says(introduction(files, tools));
};
