import { get, type IncomingMessage } from 'node:http';

export interface Frame {
  readonly id: string;
  readonly event: string;
  readonly data: { readonly id: string; readonly sequence: number; readonly type: string; readonly run_id: string };
}

export interface Source {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** Everything that has arrived, comments too. */
  text(): string;
  readonly frames: readonly Frame[];
  /** Reads nothing more until it is resumed. */
  pause(): void;
  resume(): void;
  /** Resolves at the end of the stream, with whether it was a clean one. */
  readonly ended: Promise<boolean>;
  until(isEnough: (frames: readonly Frame[]) => boolean): Promise<void>;
  close(): void;
}

const frameOf = (block: string): Frame | null => {
  const fields = Object.fromEntries(block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]));
  return fields.id === undefined ? null : { id: fields.id, event: String(fields.event), data: JSON.parse(String(fields.data)) };
};

/** Opens a stream of Server-Sent Events; resolves once its headers are there. */
export const eventSource = (url: string, headers: Readonly<Record<string, string>>): Promise<Source> =>
  new Promise((resolve, reject) => {
    const request = get(url, { headers: { accept: 'text/event-stream', ...headers } }, (answer) => {
      let text = '';
      let rest = '';
      const frames: Frame[] = [];
      const waiting = new Set<() => void>();
      answer.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        rest += chunk;
        const blocks = rest.split('\n\n');
        rest = blocks.pop() ?? '';
        frames.push(...blocks.map(frameOf).filter((frame) => frame !== null));
        for (const look of waiting) look();
      });
      const ended = new Promise<boolean>((done) => answer.once('close', () => done(answer.complete)));
      answer.on('error', () => {});
      const until = (isEnough: (all: readonly Frame[]) => boolean) =>
        new Promise<void>((done, fail) => {
          const look = () => {
            if (!isEnough(frames)) return;
            waiting.delete(look);
            done();
          };
          waiting.add(look);
          void ended.then(() => fail(new Error(`the stream ended after ${frames.map(({ event }) => event).join(', ')}`)));
          look();
        });
      const { statusCode: status = 0 } = answer;
      const close = () => request.destroy();
      resolve({
        ...{ status, headers: answer.headers, text: () => text, frames, ended, until, close },
        ...{ pause: () => void answer.pause(), resume: () => void answer.resume() },
      });
    });
    request.once('error', reject);
  });
