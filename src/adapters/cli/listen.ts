import { once } from 'node:events';
import { type EventPattern, PorticoError } from '../../client/portico.ts';
import { shownAddress } from '../../domain/web-address.ts';
import { checked, type Event } from './answers.ts';
import { type Context, type Json, withClient } from './command.ts';
import { credentials } from './connect.ts';
import { CliFailure } from './failures.ts';
import { forwarder } from './forward.ts';
import { listenState } from './listen-state.ts';
import { json, printable, shownTime } from './printable.ts';
import type { Terminal } from './terminal.ts';

export interface ListenOptions extends Json {
  readonly types?: readonly string[];
  readonly forward?: URL;
  readonly after?: string;
}

const TYPE_COLUMNS = 18;

const part = (value: unknown) => (typeof value === 'string' && value !== '' ? [value] : []);

/** What an event is about, in a few words. */
const aboutOf = ({ type, data: subject, document_id }: Event): string => {
  const data: Readonly<Record<string, unknown>> = subject;
  if (type.startsWith('unit.')) {
    const took = typeof data.duration_ms === 'number' ? [`${data.duration_ms} ms`] : [];
    return [`unit ${Number(data.unit) + 1}`, ...part(data.name), ...took, ...part(data.error)].join(', ');
  }
  const name = document_id === null ? (data.agent_name ?? data.budget) : data.name;
  return [...part(name), ...part(data.error)].join(': ');
};

const lineOf = ({ paint }: Terminal, event: Event, taken: string | null) => {
  const time = paint('dim', shownTime(event.created_at));
  const id = event.document_id ?? event.run_id ?? ('id' in event.data ? event.data.id : '');
  const subject = paint('dim', printable(id));
  const about = [printable(aboutOf(event)), ...(taken === null ? [] : [`→ ${printable(taken)}`])].join('  ');
  return `${time}  ${printable(event.type).padEnd(TYPE_COLUMNS)}  ${subject}  ${about}`.trimEnd();
};

const explained = (error: unknown): unknown => {
  if (!(error instanceof PorticoError) || error.code !== 'cursor_expired') return error;
  const message =
    'the server no longer has all that happened since it was stopped: it keeps events for EVENTS_DAYS days, 30 unless set';
  return new CliFailure(
    message,
    ['go on with what it has: portico listen --after start', 'or with what comes: portico listen --after now'],
    {
      cause: error,
    },
  );
};

/** A slow reader is waited for: what is not printed stays in the log of the server. */
const drained = async (stdout: NodeJS.WritableStream, signal: AbortSignal) => {
  if ('writableNeedDrain' in stdout && stdout.writableNeedDrain) await once(stdout, 'drain', { signal });
};

const forwarding = async ({ dependencies, terminal }: Context, url: URL, secret: string) => {
  terminal.note(`Events go to ${printable(shownAddress(url.href))}, signed with ${secret}`);
  return forwarder(await dependencies.openForwarding(), {
    url,
    secret,
    note: (line) => terminal.note(printable(line)),
  });
};

/** Follows the log until it is stopped. */
export const listen = (context: Context, { types, forward, after, json: asJson }: ListenOptions): Promise<void> =>
  withClient(context, async ({ client, signal: interrupted }) => {
    const { terminal, dependencies } = context;
    const { env, stdout } = dependencies;
    const unread = new AbortController();
    const stop = () => unread.abort();
    stdout.once('close', stop);
    const signal = AbortSignal.any([interrupted, unread.signal]);
    const state = listenState(env, credentials(env));
    const send = forward && (await forwarding(context, forward, state.secret));
    const from = after ?? state.position ?? 'now';
    terminal.note(
      from === 'now' ? 'Listening from now on; Ctrl-C ends it.' : 'Going on from where it was; Ctrl-C ends it.',
    );
    const events = client.events({
      types: types as readonly EventPattern[] | undefined,
      retries: Number.POSITIVE_INFINITY,
      onPosition: state.moveTo,
      ...(from !== 'start' && { after: from }),
      signal,
    });
    const show = async (event: Event) => {
      const taken = send ? await send(event, signal) : null;
      terminal.out(asJson ? json(event, 0) : lineOf(terminal, event, taken));
      await drained(stdout, signal);
    };
    try {
      for await (const event of events) {
        checked('event', event);
        await show(event);
        state.moveTo(event.id);
      }
    } catch (error) {
      if (!signal.aborted) throw explained(error);
      if (interrupted.aborted) terminal.note('Stopped; the next portico listen goes on from here.');
    } finally {
      stdout.off('close', stop);
      state.save();
    }
  });
