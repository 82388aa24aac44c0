import type { IncomingMessage, ServerResponse } from 'node:http';
import type { JsonObject } from '../../src/domain/json.ts';
import { listen } from './listen.ts';
import { openaiAnswer } from './model-server.ts';

/** A page as it stands in the question; no number if the format has no pages. */
export interface SeenPage {
  readonly fileName: string;
  readonly page: number | null;
  readonly text: string;
}

export interface NarrowCall {
  readonly pages: readonly SeenPage[];
  /** Everything that it was asked. */
  readonly text: string;
  readonly answered: 'whole' | 'cut' | 'refused';
}

export interface Answer {
  readonly document: JsonObject;
  readonly evidence: readonly {
    readonly pointer: string;
    readonly quote: string;
    readonly file_name: string;
    readonly page: number | null;
  }[];
}

/** A model with a small window behind OpenAI's wire format: it reads what it is asked about and nothing else. */
export interface NarrowModel {
  readonly url: string;
  readonly calls: readonly NarrowCall[];
  /** How it reads from now on; forgets what it was asked. */
  read(how: (pages: readonly SeenPage[], text: string) => Answer | Promise<Answer>): void;
  close(): Promise<void>;
}

const CHARACTERS_PER_TOKEN = 3;
const tokens = (text: string) => Math.ceil(text.length / CHARACTERS_PER_TOKEN);

interface Asked {
  readonly max_tokens: number;
  readonly messages: readonly { readonly content: string | readonly { readonly text?: string }[] }[];
  readonly response_format?: object;
}

const textOf = ({ messages }: Asked) =>
  messages
    .map(({ content }) => (typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('\n')))
    .join('\n');

const tagged = (tag: string) => new RegExp(`<${tag}-(\\w+)([^>]*)>\\n([\\s\\S]*?)\\n</${tag}-\\1>`, 'g');

const pagesIn = (text: string): readonly SeenPage[] =>
  [...text.matchAll(tagged('file'))].flatMap(([, , attributes = '', inside = '']): readonly SeenPage[] => {
    const fileName = /name="([^"]*)"/.exec(attributes)?.[1] ?? '';
    const pages = [...inside.matchAll(tagged('page'))];
    if (pages.length === 0) return [{ fileName, page: null, text: inside }];
    return pages.map(([, , number = '', own = '']) => ({ fileName, page: Number(/\d+/.exec(number)?.[0]), text: own }));
  });

const bodyOf = async (request: IncomingMessage): Promise<Asked> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString());
};

/** As OpenAI refuses it: question and answer share the window. */
const tooLong = (contextTokens: number, asked: number, most: number) => ({
  error: {
    message: `This model's maximum context length is ${contextTokens} tokens. However, you requested ${asked + most} tokens (${asked} in the messages, ${most} in the completion).`,
    type: 'invalid_request_error',
    code: 'context_length_exceeded',
  },
});

export const narrowModel = async (contextTokens: number): Promise<NarrowModel> => {
  const calls: NarrowCall[] = [];
  let how: Parameters<NarrowModel['read']>[0] = () => ({ document: {}, evidence: [] });

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const asked = await bodyOf(request);
    const { max_tokens: most, response_format: format = {} } = asked;
    const text = textOf(asked);
    const pages = pagesIn(text);
    const input = tokens(text + JSON.stringify(format));
    const send = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (input + most > contextTokens) {
      calls.push({ pages, text, answered: 'refused' });
      return send(400, tooLong(contextTokens, input, most));
    }
    const whole = JSON.stringify(await how(pages, text));
    const isCut = tokens(whole) > most;
    calls.push({ pages, text, answered: isCut ? 'cut' : 'whole' });
    const words = isCut ? whole.slice(0, most * CHARACTERS_PER_TOKEN) : whole;
    return send(200, openaiAnswer({ text: words, length: isCut, usage: { input, output: tokens(words) } }));
  };

  const { baseUrl, stop } = await listen((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  return {
    url: `${baseUrl}/v1`,
    calls,
    read(next) {
      how = next;
      calls.length = 0;
    },
    close: stop,
  };
};
