import type { ModelMessage } from '../../application/ports/models.ts';
import type { Pace } from './offline-pace.ts';

export interface Line {
  readonly text: string;
  readonly page: number | null;
}

/** A file as its text came in a message, or (without a name) what was said beside the files. */
export interface Source {
  readonly fileName: string | null;
  readonly unreadable: string | null;
  readonly lines: readonly Line[];
}

interface Open {
  fileName: string;
  unreadable: string | null;
  page: number | null;
  lines: Line[];
}

const begin = /^<file name="([^"]*)">$/;
const pageBegin = /^<page number="(\d+)">$/;
const note = ['<unreadable>', '</unreadable>'] as const;

/** The reader of the form that `renderFile` writes, one line at a time. */
const reader = () => {
  const files: Source[] = [];
  const said: Line[] = [];
  let open: Open | null = null;
  const inFile = (file: Open, line: string) => {
    const page = pageBegin.exec(line);
    if (line === '</file>') {
      files.push({ fileName: file.fileName, unreadable: file.unreadable, lines: file.lines });
      open = null;
    } else if (page) file.page = Number(page[1]);
    else if (line.startsWith('</page>') && line.length === '</page>'.length) file.page = null;
    else if (line.endsWith(note[1]) && line.includes(note[0])) {
      const at = line.indexOf(note[0]);
      file.unreadable = line.slice(at + note[0].length, -note[1].length);
      if (at > 0 && !line.startsWith('</page>')) file.lines.push({ text: line.slice(0, at), page: file.page });
    } else file.lines.push({ text: line, page: file.page });
  };
  const read = (line: string) => {
    if (open !== null) return inFile(open, line);
    const started = begin.exec(line);
    if (!started) said.push({ text: line, page: null });
    else open = { fileName: (started[1] ?? '').replaceAll('&quot;', '"'), unreadable: null, page: null, lines: [] };
  };
  /** A block left open ends with its part, so that one part cannot swallow the next. */
  const end = () => {
    if (open !== null) inFile(open, '</file>');
  };
  return { read, end, result: () => ({ files, said: { fileName: null, unreadable: null, lines: said } }) };
};

/** The files in these messages, in order, and the users' own words. */
export const readSources = async (
  messages: readonly ModelMessage[],
  pace: Pace,
): Promise<{ readonly files: readonly Source[]; readonly said: Source }> => {
  const { read, end, result } = reader();
  for (const content of messages.flatMap((message) => (message.role === 'user' ? message.content : []))) {
    if (content.type !== 'text') continue;
    for (let at = 0; at <= content.text.length; ) {
      const next = content.text.indexOf('\n', at);
      const stop = next === -1 ? content.text.length : next;
      read(content.text.slice(at, content.text[stop - 1] === '\r' ? stop - 1 : stop));
      at = stop + 1;
      const pause = pace();
      if (pause) await pause;
    }
    end();
  }
  return result();
};
