import type {
  DocumentPart,
  ModelContent,
  ModelMessage,
  Step,
  StepRequest,
  ToolSpec,
} from '../../../application/ports/models.ts';
import { isObject, type JsonValue } from '../../../domain/json.ts';
import { parseJson } from '../../../domain/json-number.ts';
import { shorten } from '../../../domain/text.ts';

type Answer = Pick<Step, 'text' | 'toolCalls'>;

const reply = (text: string): Answer => ({ text, toolCalls: [] });

/** `/query {"sql": "…"}`: the arguments a tool wants, by name. */
const usage = ({ name, inputSchema }: ToolSpec): string => {
  const properties = isObject(inputSchema.properties) ? Object.entries(inputSchema.properties) : [];
  const required = Array.isArray(inputSchema.required) ? inputSchema.required : [];
  const shown = properties.filter(([key]) => required.length === 0 || required.includes(key)).slice(0, 6);
  const args = shown.map(
    ([key, schema]) =>
      `"${key}": ${isObject(schema) && schema.type !== undefined && schema.type !== 'string' ? '…' : '"…"'}`,
  );
  return `/${name} {${args.join(', ')}}`;
};

const menu = (tools: readonly ToolSpec[]): string =>
  tools.length === 0
    ? 'This agent has no tools.'
    : [
        'Send one of these commands and I call the tool:',
        ...tools
          .slice(0, 60)
          .map((tool) => `- \`${usage(tool)}\` ${shorten(tool.description.replace(/\s+/g, ' '), 120)}`),
      ].join('\n');

const count = (number: number, thing: string) => `${number} ${thing}${number === 1 ? '' : 's'}`;

const aboutFile = ({ fileName, unreadable, pages }: DocumentPart): string => {
  const lines = pages.flatMap(({ text }) => text.split('\n').map((line) => line.trim())).filter((line) => line !== '');
  if (lines.length === 0) return `- ${fileName}: ${unreadable === null ? 'it is empty.' : `it ${unreadable}.`}`;
  const numbered = pages.filter(({ number }) => number !== null).length;
  const size = numbered > 0 ? count(numbered, 'page') : count(lines.length, 'line');
  return `- ${fileName}: ${size}; it begins "${shorten(lines.slice(0, 3).join(' / '), 160)}".`;
};

const introduction = (files: readonly DocumentPart[], tools: readonly ToolSpec[]): string =>
  [
    'I am the offline model: a fixed program that stands in for a language model and needs no network. I do not understand free text; I can call tools by command and show what they answer.',
    ...(files.length === 0
      ? []
      : [['What I could read of the attached files:', ...files.slice(0, 100).map(aboutFile)].join('\n')]),
    menu(tools),
  ].join('\n\n');

interface Command {
  readonly name: string;
  readonly args: string;
}

/** Every line that begins with a slash and a name starts a command; its arguments go on until the next. Only the user's own words count. */
const commandsIn = (content: readonly ModelContent[]): readonly Command[] => {
  const commands: { name: string; args: string[] }[] = [];
  const lines = content.filter((part) => part.type === 'text').flatMap(({ text }) => text.split(/\r?\n/));
  for (const line of lines) {
    const [, name, rest = ''] = /^\s*\/([A-Za-z][\w-]{0,63})(?:\s+(.*))?$/.exec(line) ?? [];
    if (name !== undefined) commands.push({ name, args: [rest] });
    else commands.at(-1)?.args.push(line);
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
  const unknown = commands.find(({ name }) => !tools.some((tool) => tool.name === name));
  if (unknown) return reply(`There is no tool ${unknown.name} here. ${menu(tools)}`);
  const unreadable = commands.find(({ args }) => parsed(args) === null);
  if (unreadable) {
    const tool = tools.find(({ name }) => name === unreadable.name);
    return reply(`What follows /${unreadable.name} is not JSON. Write it so: \`${tool ? usage(tool) : ''}\``);
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

const MAX_ROWS = 20;
const MAX_COLUMNS = 8;
const MAX_TEXT = 2_000;
const MAX_CELL = 60;
const MAX_LINK = 500;

const inline = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  // An address that is cut short leads nowhere.
  const most = /^https?:\/\/\S+$/.test(text) ? MAX_LINK : MAX_CELL;
  return shorten(text.replace(/\s+/g, ' ').replaceAll('|', '\\|').trim(), most);
};

const table = (rows: readonly Record<string, unknown>[]): string => {
  const shown = rows.slice(0, MAX_ROWS);
  const columns = [...new Set(shown.flatMap((row) => Object.keys(row)))].slice(0, MAX_COLUMNS);
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const more = rows.length > shown.length ? [`… and ${rows.length - shown.length} more.`] : [];
  const body = shown.map((row) => line(columns.map((column) => inline(row[column]))));
  return [line(columns.map(inline)), line(columns.map(() => '---')), ...body, ...more].join('\n');
};

const bullets = (values: readonly unknown[]): string => {
  const more = values.length > MAX_ROWS ? [`… and ${values.length - MAX_ROWS} more.`] : [];
  return [...values.slice(0, MAX_ROWS).map((value) => `- ${inline(value)}`), ...more].join('\n');
};

const field = (key: string, value: unknown, depth: number): string => {
  if (depth > 0) return `${key}: ${inline(value)}`;
  if (typeof value === 'string') return `${key}: ${shorten(value.trim(), MAX_TEXT)}`;
  return isObject(value) || Array.isArray(value) ? `${key}:\n${rendered(value, 1)}` : `${key}: ${inline(value)}`;
};

const fields = (value: Record<string, unknown>, depth: number): string =>
  Object.entries(value)
    .slice(0, 40)
    .map(([key, inner]) => field(key, inner, depth))
    .join('\n');

const rendered = (value: unknown, depth: number): string => {
  if (Array.isArray(value)) {
    if (value.length === 0) return '(none)';
    return value.every(isObject) ? table(value) : bullets(value);
  }
  return isObject(value) ? fields(value, depth) : inline(value);
};

/** A tool's result as a person reads it: JSON as a small table or a list, anything else as it is. */
const renderResult = (text: string): string => {
  const start = text.trimStart();
  if (!start.startsWith('{') && !start.startsWith('[')) return shorten(text.trim(), MAX_TEXT);
  try {
    return shorten(rendered(parseJson(text), 0), 2 * MAX_TEXT);
  } catch {
    return shorten(text.trim(), MAX_TEXT);
  }
};

const report = (results: readonly Extract<ModelMessage, { role: 'tool' }>[]): string =>
  results
    .map(({ toolName, text, isError }) =>
      isError ? `${toolName} failed: ${shorten(text.trim(), 1_000)}` : `${toolName} answered:\n${renderResult(text)}`,
    )
    .join('\n\n');

/** The answer to the last user message: calls for its commands, the results of its calls, else what the model can do. */
export const converse = (request: StepRequest): Answer => {
  const { messages, tools } = request;
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const results = messages.slice(last + 1).filter((message) => message.role === 'tool');
  if (results.length > 0) return reply(report(results));
  const content = messages.slice(last).flatMap((message) => (message.role === 'user' ? message.content : []));
  const commands = commandsIn(content);
  return commands.length > 0
    ? obey(commands, request)
    : reply(
        introduction(
          content.filter((part) => part.type === 'document'),
          tools,
        ),
      );
};
