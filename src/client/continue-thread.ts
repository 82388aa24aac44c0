import { PorticoError } from './error.ts';
import { framesOf } from './events.ts';
import type { components } from './openapi.ts';
import { type Exchange, eitherOf, type SendOptions } from './send.ts';

type Schemas = components['schemas'];

/**
 * What happens in a turn. The deltas of a message are the beginning of its content; those of a message that never comes belong to an
 * attempt that failed.
 */
export type TurnEvent =
  | { readonly type: 'message.delta'; readonly data: Schemas['MessageDelta'] }
  | { readonly type: 'message'; readonly data: Schemas['Message'] }
  | { readonly type: 'done'; readonly data: Schemas['TurnEnd'] };

interface Opening {
  /** The request, as people read it. */
  readonly request: string;
  readonly origin: string;
  open(options: SendOptions): Promise<Exchange>;
  parse(text: string): unknown;
}

/** The events of one turn. It is never asked for again: the message would be sent twice. */
export const followTurn = async function* (
  { request, origin, open, parse }: Opening,
  options: SendOptions,
): AsyncGenerator<TurnEvent, void> {
  const connection = new AbortController();
  const signal = eitherOf(options.signal, connection.signal);
  const { response } = await open({ ...options, signal });
  for await (const { event, data } of framesOf(
    response.body ?? new ReadableStream(),
    () => connection.abort(),
    options,
  )) {
    const happened = { type: event, data: parse(data) } as TurnEvent;
    yield happened;
    if (happened.type === 'done') return;
  }
  const detail = 'the stream broke off before the turn ended: read the thread to see how it goes on';
  throw new PorticoError({ request, origin, code: 'no_answer', detail });
};
