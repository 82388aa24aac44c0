import { isObject } from '../../domain/json.ts';

/** What a tool wrote itself, in which null is a value like any other. */
const FOREIGN: ReadonlySet<string> = new Set(['inputSchema', 'outputSchema', 'structuredContent']);

/** Many servers write null for what they leave out, which the protocol does not know. */
const withoutNulls = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(([, part]) => part !== null);
  return Object.fromEntries(members.map(([name, part]) => [name, FOREIGN.has(name) ? part : withoutNulls(part)]));
};

/** What a server has to say of itself, empty where it does not: nothing of it is used. */
const introduced = (message: unknown): unknown => {
  const result = isObject(message) ? message.result : null;
  if (!isObject(result) || typeof result.protocolVersion !== 'string') return message;
  const { capabilities = {}, serverInfo = {} } = result;
  return {
    ...(message as object),
    result: { ...result, capabilities, serverInfo: { name: '', version: '', ...(serverInfo as object) } },
  };
};

/** A message as the official client reads it: for one null, or a part that is missing, that would refuse the message, and the whole server with it. */
const readable = (text: string): string => {
  if (!text.includes('null') && !text.includes('"protocolVersion"')) return text;
  try {
    return JSON.stringify(introduced(withoutNulls(JSON.parse(text))));
  } catch {
    return text;
  }
};

/** An event of a stream with its message made readable; its other lines stay. */
const readableEvent = (event: string): string => {
  const lines = event.split(/\r?\n/);
  const isData = (line: string) => line.startsWith('data:');
  const data = lines.filter(isData).map((line) => line.slice('data:'.length));
  const message = readable(data.join('\n'));
  if (message === data.join('\n')) return event;
  return [...lines.filter((line) => !isData(line)), `data: ${message}`].join('\n');
};

type Words = (text: string) => string;

const wholeText = (words: Words) => {
  let text = '';
  return new TransformStream<string, string>({
    transform(chunk) {
      text += chunk;
    },
    flush: (out) => out.enqueue(words(readable(text))),
  });
};

const EVENT_END = /\r?\n\r?\n/;
/** An end may begin in one piece and be over in the next. */
const LONGEST_BEGINNING = 3;

/** Passes each event on as soon as the empty line behind it is there. Each piece is searched once: a server may send an event in as many as it likes. */
const eventByEvent = (words: Words) => {
  let pieces: string[] = [];
  let seam = '';
  return new TransformStream<string, string>({
    transform(piece, out) {
      pieces.push(piece);
      const searched = seam + piece;
      seam = searched.slice(-LONGEST_BEGINNING);
      if (!EVENT_END.test(searched)) return;
      const events = pieces.join('').split(EVENT_END);
      const rest = events.pop() ?? '';
      pieces = [rest];
      seam = rest.slice(-LONGEST_BEGINNING);
      for (const event of events) out.enqueue(words(`${readableEvent(event)}\n\n`));
    },
    flush: (out) => out.enqueue(words(pieces.join(''))),
  });
};

/** The body of an answer in these words, with its messages as the official client reads them. */
export const readableBody = (
  body: ReadableStream<Uint8Array>,
  type: string,
  words: Words,
): ReadableStream<Uint8Array> => {
  const messages = type.startsWith('text/event-stream') ? eventByEvent(words) : wholeText(words);
  return body
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .pipeThrough(messages)
    .pipeThrough(new TextEncoderStream());
};
