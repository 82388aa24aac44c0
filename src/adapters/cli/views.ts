import type { Schemas } from '../../client/portico.ts';
import { escapeToken, isObject } from '../../domain/json.ts';
import { postingWord } from '../../domain/posting-words.ts';
import { shownPages } from '../../domain/routing/page-names.ts';
import type { Document, Message, RunDetail, RunItem } from './answers.ts';
import { fitted, type Paint, printable, printableLines, shownTime } from './printable.ts';
import { painted, type Terminal } from './terminal.ts';

const LONGEST_QUOTE = 80;
const MAX_DEPTH = 32;

type Evidence = Document['evidence'];

/** The leaves of a document's data as `key: value` lines, each with where it was read. */
const dataLines = (
  terminal: Terminal,
  value: unknown,
  evidence: Evidence,
  pointer = '',
  label = '',
  depth = 0,
): string[] => {
  const indent = '  '.repeat(depth);
  const inner = (key: string | number, item: unknown, name: string) =>
    dataLines(terminal, item, evidence, `${pointer}/${escapeToken(key)}`, name, label === '' ? depth : depth + 1);
  if (depth >= MAX_DEPTH) return [`${indent}${label}: …`];
  if (Array.isArray(value) && value.length > 0) {
    return [
      ...(label === '' ? [] : [`${indent}${label}:`]),
      ...value.flatMap((item, index) => inner(index, item, `${index + 1}.`)),
    ];
  }
  if (isObject(value) && Object.keys(value).length > 0) {
    const heading = label === '' ? [] : [`${indent}${label}${label.endsWith('.') ? '' : ':'}`];
    return [...heading, ...Object.entries(value).flatMap(([key, item]) => inner(key, item, printable(key)))];
  }
  return leafLines(
    terminal,
    `${indent}${label}${label.endsWith('.') ? '' : ':'} `,
    value,
    Object.hasOwn(evidence, pointer) ? evidence[pointer] : undefined,
  );
};

/** What a value was read from: the quote, its file and page, how it supports the value, and how sure OCR is of it. */
const proof = (paint: Paint, { quote, file_name: file, page, support, confidence }: Evidence[string]): string => {
  const where = [...(file === '' ? [] : [printable(file)]), ...(page === null ? [] : [`page ${page}`])];
  if (support === 'person')
    return paint('dim', `  ← entered by a person${where.length === 0 ? '' : ` (${where.join(', ')})`}`);
  const how = support === 'none' ? [] : [printable(support)];
  const ocr = confidence == null ? [] : [`OCR ${Math.floor(confidence * 100)} %`];
  const unsupported = support === 'none' ? paint('red', '  not in its quote') : '';
  return (
    paint('dim', `  ← "${fitted(printable(quote), LONGEST_QUOTE)}" (${[...where, ...how, ...ocr].join(', ')})`) +
    unsupported
  );
};

const leafLines = (
  { paint }: Terminal,
  before: string,
  value: unknown,
  source: Evidence[string] | undefined,
): string[] => {
  const lines =
    typeof value === 'string'
      ? printableLines(value)
      : [value === null ? paint('dim', '-') : printable(JSON.stringify(value))];
  const [first = '', ...more] = lines;
  const read = source && proof(paint, source);
  return [`${before}${first}${read ?? ''}`, ...more.map((line) => `${' '.repeat(before.length)}${line}`)];
};

/** Says what was left out of the files; nothing if all of it was read. */
const gapLines = ({ paint }: Terminal, { coverage }: Document): readonly string[] => {
  if (coverage == null || coverage.complete) return [];
  const { pages_read: pages, pages_total: allPages, characters_read: characters, characters_total: all } = coverage;
  const of = (read: number, total: number, what: string) =>
    total === read ? [] : [`${read.toLocaleString('en')} of ${total.toLocaleString('en')} ${what}`];
  const read = [...of(pages, allPages, 'pages'), ...of(characters, all, 'characters')];
  return [
    paint('red', read.length === 0 ? 'some of its files could not be read' : `only ${read.join(' and ')} were read`),
  ];
};

/** What the workers do to post it, and what went wrong. */
const postingLines = ({ paint }: Terminal, document: Document): string[] => {
  const { next_attempt_at: next, last_error: error } = document.posting;
  const word = postingWord(document);
  if (word === null) return [];
  return [
    next === null ? word : `${word} at ${shownTime(next)}`,
    ...(error === null ? [] : [paint('red', printable(error))]),
  ];
};

export const showDocument = (terminal: Terminal, document: Document) => {
  const { out, paint } = terminal;
  out(
    `${paint('bold', printable(document.name))}  ${painted(paint, document.status)}  ${paint('dim', printable(document.id))}`,
  );
  if (document.error !== null) out(`  ${paint('red', `error: ${printable(document.error)}`)}`);
  if (document.external_reference !== null) out(`  written to ${printable(document.external_reference)}`);
  if (document.hold) out(`  held by ${printable(document.hold.by.name)}: ${printable(document.hold.reason)}`);
  for (const line of postingLines(terminal, document)) out(`  ${line}`);
  for (const line of gapLines(terminal, document)) out(`  ${line}`);
  for (const line of document.document_data === null
    ? ['(no data)']
    : dataLines(terminal, document.document_data, document.evidence))
    out(`  ${line}`);
};

const pagesOf = ({ file_name, pages }: NonNullable<RunItem['part']>) =>
  printable(shownPages({ fileName: file_name, pages }));

export const nameOfItem = ({ file_names, part }: Pick<RunItem, 'file_names' | 'part'>) => {
  if (part) return pagesOf(part);
  return file_names.length === 0 ? 'message' : printable(file_names.join(', '));
};

/** What failed and why; many reasons begin with the file's name themselves. */
const failureOf = (item: RunItem, paint: Paint) => {
  const error = printable(item.error ?? '');
  const name = nameOfItem(item);
  return error.startsWith(name)
    ? `${paint('red', name)}${error.slice(name.length)}`
    : `${paint('red', name)}: ${error}`;
};

/** How a run ended, in one line; what failed, each in one. */
export const showOutcome = ({ note, paintNote }: Terminal, run: RunDetail) => {
  const failed = run.items.filter(({ error }) => error !== null);
  note(
    `The run ${run.status === 'cancelled' ? 'was' : 'has'} ${painted(paintNote, run.status)}${run.error === null || failed.length > 0 ? '.' : `: ${printable(run.error)}`}`,
  );
  for (const item of failed) note(`  ${failureOf(item, paintNote)}`);
};

/** Where a run came from by itself. */
const sourceLine = ({ name, key, from, subject }: NonNullable<RunDetail['source']>): string => {
  const mail = [
    ...(from === null ? [] : [`from ${printable(from)}`]),
    ...(subject === null ? [] : [`"${printable(subject)}"`]),
  ];
  return [`came to ${printable(name)}`, ...mail, printable(key)].join(', ');
};

export const showUnassigned = (say: (line: string) => void, { unassigned }: RunDetail) => {
  for (const pages of unassigned) say(`  in no part: ${pagesOf(pages)}`);
};

export const showParts = ({ out, paint }: Terminal, run: RunDetail) => {
  if (run.parts.length > 0) out('parts:');
  for (const part of run.parts) {
    const { name, status, document_id } = part;
    out(
      `  ${printable(name)}  ${painted(paint, status)}  ${pagesOf(part)}  ${paint('dim', printable(document_id ?? ''))}`,
    );
  }
  showUnassigned(out, run);
};

export const showRun = (terminal: Terminal, run: RunDetail) => {
  const { out, paint } = terminal;
  out(`${paint('bold', printable(run.agent_name))}  ${painted(paint, run.status)}  ${paint('dim', printable(run.id))}`);
  out(
    `  created ${shownTime(run.created_at)}  started ${shownTime(run.started_at)}  ended ${shownTime(run.completed_at)}`,
  );
  if (run.source) out(`  ${sourceLine(run.source)}`);
  if (run.error !== null) out(`  ${paint('red', `error: ${printable(run.error)}`)}`);
  for (const item of run.items) {
    out(`  ${painted(paint, item.status, 10)} ${item.error === null ? nameOfItem(item) : failureOf(item, paint)}`);
  }
  showParts(terminal, run);
  if (run.documents.length > 0) out('documents:');
  for (const { id, name, status } of run.documents)
    out(`  ${paint('dim', printable(id))}  ${painted(paint, status, 10)} ${printable(name)}`);
};

const originOf = ({ run_id, conversation_id }: Schemas['Approval']) => {
  if (run_id) return 'a run';
  return conversation_id ? 'a conversation' : 'a program';
};

export const showApproval = (terminal: Terminal, approval: Schemas['Approval']) => {
  const { out, paint } = terminal;
  const { id, status, tool, agent_name, requested_by, decided_by, note, rehearsal } = approval;
  out(`${paint('bold', printable(tool))}  ${painted(paint, status)}  ${paint('dim', printable(id))}`);
  out(`  asked for by ${printable(agent_name)}, in ${originOf(approval)} of ${printable(requested_by.name)}`);
  out(`  requested ${shownTime(approval.requested_at)}  until ${shownTime(approval.expires_at)}`);
  if (approval.decided_at !== null)
    out(`  decided ${shownTime(approval.decided_at)}${decided_by === null ? '' : ` by ${printable(decided_by.name)}`}`);
  if (note !== null) out(`  note: ${printable(note)}`);
  out('arguments:');
  for (const line of dataLines(terminal, approval.arguments, {})) out(`  ${line}`);
  if (rehearsal === null) return;
  out('what the write would come to:');
  for (const line of dataLines(terminal, rehearsal, {})) out(`  ${line}`);
};

export const runRows = (runs: readonly Schemas['Run'][]) =>
  runs.map(({ id, agent_name, status, created_at, error }) => [
    id,
    status,
    shownTime(created_at),
    agent_name,
    error ?? '',
  ]);

export const documentRows = (documents: readonly Schemas['ListedDocument'][]) =>
  documents.map(({ id, name, status, review, created_at, error }) => [
    id,
    status,
    review.status,
    shownTime(created_at),
    name,
    error ?? '',
  ]);

const MAX_RESULT_LINES = 16;
const RESULT_WIDTH = 200;

/** The answer of a tool, as much of it as helps to follow the conversation. */
const resultLines = (content: string): readonly string[] => {
  const lines = printableLines(content);
  const shown = lines.slice(0, MAX_RESULT_LINES).map((line) => fitted(line, RESULT_WIDTH));
  const isCut = lines.length > MAX_RESULT_LINES || shown.some((line, index) => line !== lines[index]);
  return isCut ? [...shown, '(shortened; --json shows all of it)'] : shown;
};

const indented = (first: string, lines: readonly string[]) =>
  lines.map((line, index) => `${index === 0 ? first : '  '}${line}`);

/** Who wrote it: users by their names, which are unknown for old messages. */
const speakerOf = ({ role, author }: Message) =>
  role === 'assistant' ? 'agent' : printable(role === 'user' && author ? author.name : role);

/** One message as it is read in a conversation. */
export const showMessage = ({ out, paint }: Terminal, message: Message) => {
  const { role, content, tool_calls: calls } = message;
  if (role === 'tool') {
    for (const line of indented('← ', resultLines(content))) out(paint('dim', line));
    return;
  }
  if (content !== '') {
    out(paint('bold', `${speakerOf(message)}:`));
    for (const line of printableLines(content)) out(`  ${line}`.trimEnd());
  }
  for (const { name, arguments: args } of calls) {
    out(paint('cyan', `→ ${printable(name)} ${fitted(printable(JSON.stringify(args) ?? ''), RESULT_WIDTH)}`));
  }
};

/** The message that an agent is writing, as `showMessage` shows it in the end. */
export const liveMessage = (terminal: Terminal) => {
  let id: string | null = null;
  let length = 0;
  const print = (text: string) => {
    terminal.write(printableLines(text).join('\n  '));
    length += text.length;
  };
  const stop = () => {
    if (id !== null) terminal.out();
    id = null;
  };
  return {
    /** Ends the line under way. */
    stop,
    grow(of: string, text: string) {
      if (of !== id) {
        if (id !== null) terminal.write(` ${terminal.paint('dim', '(broke off; once more:)')}`);
        stop();
        terminal.write(`${terminal.paint('bold', 'agent:')}\n  `);
        id = of;
        length = 0;
      }
      print(text);
    },
    end(message: Message) {
      const isShown = message.id === id;
      if (isShown) print(message.content.slice(length));
      stop();
      showMessage(terminal, isShown ? { ...message, content: '' } : message);
    },
  };
};

export const showThread = (terminal: Terminal, { id, status, messages }: Schemas['Thread']) => {
  terminal.out(`${terminal.paint('bold', 'conversation')} ${printable(id)}  ${painted(terminal.paint, status)}`);
  for (const message of messages) showMessage(terminal, message);
};
