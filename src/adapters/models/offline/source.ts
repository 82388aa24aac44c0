import type { DocumentPart, ModelMessage } from '../../../application/ports/models.ts';
import type { Pace } from './pace.ts';

export interface Line {
  readonly text: string;
  readonly page: number | null;
}

/** A file, or (without a name) what was said beside the files. */
export interface Source {
  readonly fileName: string | null;
  readonly unreadable: string | null;
  readonly lines: readonly Line[];
}

const linesOf = async (text: string, page: number | null, pace: Pace): Promise<readonly Line[]> => {
  const lines: Line[] = [];
  for (let at = 0; at <= text.length; ) {
    const next = text.indexOf('\n', at);
    const stop = next === -1 ? text.length : next;
    lines.push({ text: text.slice(at, text[stop - 1] === '\r' ? stop - 1 : stop), page });
    at = stop + 1;
    const pause = pace();
    if (pause) await pause;
  }
  return lines;
};

const sourceOf = async ({ fileName, unreadable, pages }: DocumentPart, pace: Pace): Promise<Source> => {
  const lines: Line[] = [];
  for (const { number, text } of pages) for (const line of await linesOf(text, number, pace)) lines.push(line);
  return { fileName, unreadable, lines };
};

/** The files in these messages, in order, what their author wrote, and what is quoted there. */
export const readSources = async (messages: readonly ModelMessage[], pace: Pace) => {
  const files: Source[] = [];
  const [said, quoted]: [Line[], Line[]] = [[], []];
  for (const content of messages.flatMap((message) => (message.role === 'user' ? message.content : []))) {
    if (content.type === 'document') files.push(await sourceOf(content, pace));
    if (content.type !== 'text' && content.type !== 'quote') continue;
    for (const line of await linesOf(content.text, null, pace)) (content.type === 'text' ? said : quoted).push(line);
  }
  const words = (lines: readonly Line[]): Source => ({ fileName: null, unreadable: null, lines });
  return { files: files as readonly Source[], said: words(said), quoted: words(quoted) };
};
