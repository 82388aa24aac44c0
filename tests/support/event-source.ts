import { request as httpRequest, type IncomingMessage } from 'node:http';

interface LogEvent {
  readonly id: string;
  readonly sequence: number;
  readonly type: string;
  readonly run_id: string;
}

export interface Frame<D = LogEvent> {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: D;
}

export interface Source<D = LogEvent> {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** Everything that has arrived, comments too. */
  text(): string;
  readonly frames: readonly Frame<D>[];
  /** Reads nothing more until it is resumed. */
  pause(): void;
  resume(): void;
  /** Resolves at the end of the stream, with whether it was a clean one. */
  readonly ended: Promise<boolean>;
  until(isEnough: (frames: readonly Frame<D>[]) => boolean): Promise<void>;
  close(): void;
}

const frameOf = <D>(block: string): Frame<D> | null => {
  const fields = Object.fromEntries(
    block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  );
  return fields.event === undefined
    ? null
    : { id: fields.id, event: fields.event, data: JSON.parse(String(fields.data)) };
};

/** Opens a stream of Server-Sent Events, by a POST if there is a body; resolves once its headers are there. */
export const eventSource = <D = LogEvent>(
  url: string,
  headers: Readonly<Record<string, string>>,
  body?: object,
): Promise<Source<D>> =>
  new Promise((resolve, reject) => {
    const [method, type] = body === undefined ? ['GET', {}] : ['POST', { 'content-type': 'application/json' }];
    const request = httpRequest(
      url,
      { method, headers: { accept: 'text/event-stream', ...type, ...headers } },
      (answer) => {
        let text = '';
        let rest = '';
        const frames: Frame<D>[] = [];
        const waiting = new Set<() => void>();
        answer.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
          rest += chunk;
          const blocks = rest.split('\n\n');
          rest = blocks.pop() ?? '';
          frames.push(...blocks.map((block) => frameOf<D>(block)).filter((frame) => frame !== null));
          for (const look of waiting) look();
        });
        const ended = new Promise<boolean>((done) => answer.once('close', () => done(answer.complete)));
        answer.on('error', () => {});
        const until = (isEnough: (all: readonly Frame<D>[]) => boolean) =>
          new Promise<void>((done, fail) => {
            const look = () => {
              if (!isEnough(frames)) return;
              waiting.delete(look);
              done();
            };
            waiting.add(look);
            void ended.then(() =>
              fail(new Error(`the stream ended after ${frames.map(({ event }) => event).join(', ')}`)),
            );
            look();
          });
        const { statusCode: status = 0 } = answer;
        const close = () => request.destroy();
        resolve({
          status,
          headers: answer.headers,
          text: () => text,
          frames,
          ended,
          until,
          close,
          pause: () => void answer.pause(),
          resume: () => void answer.resume(),
        });
      },
    );
    request.once('error', reject).end(body && JSON.stringify(body));
  });
