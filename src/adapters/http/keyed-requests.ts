import { hash } from 'node:crypto';
import type { IdempotencyService, Worked } from '../../application/shared/idempotency.ts';
import { DomainError } from '../../domain/errors.ts';
import type { JsonObject } from '../../domain/json.ts';
import { parseJson } from '../../domain/json-number.ts';
import { about, optional } from '../../wire/kit/structures.ts';
import type { Context } from './context.ts';
import { statusOf } from './error-codes.ts';
import { EventStream, type Idempotency, type Input, type Operation, represent } from './operation.ts';
import { idempotencyKey, requestHeaders } from './parameters.ts';

/** The header of operations that take a key. */
export const keyHeaders = requestHeaders({
  idempotencyKey: about(
    'Makes the request safe to repeat: with the same key, the same request within 24 hours is answered with the first answer and does ' +
      'nothing more. A key is of its credential and its operation. `"k"` is the same key as `k`.',
    optional(idempotencyKey),
    'invoice-4711',
  ),
});

export const REPLAYED = 'Idempotency-Replayed';

type Call = Pick<
  Input<'credential', unknown, unknown, unknown, unknown, unknown>,
  'caller' | 'params' | 'query' | 'body' | 'signal' | 'streams'
>;

/** The same text for requests that ask for the same, however they are written. */
const fingerprint = (ctx: Context, { params, query, body }: Call) =>
  hash('sha256', JSON.stringify([params, query, body, ctx.headers['if-match']]));

type Refusal = Pick<DomainError, 'kind' | 'code' | 'message' | 'errors' | 'extra'>;

/** What is kept of an answer. */
type Kept =
  | { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string }
  | { readonly refusal: Refusal };

/** Whether the same request may be answered otherwise in a while: then a repetition is a new attempt. */
const isPassing = ({ kind, retryAfterSeconds }: DomainError): boolean =>
  statusOf[kind] >= 500 || retryAfterSeconds !== null;

const keptRefusal = (error: unknown): string | null => {
  if (!(error instanceof DomainError) || isPassing(error)) return null;
  const { kind, code, message, errors, extra } = error;
  return JSON.stringify({ refusal: { kind, code, message, errors, extra } } satisfies Kept);
};

const refusalOf = ({ kind, code, message, errors, extra }: Refusal) =>
  new DomainError(
    ...([kind, message, { code, errors, extra }] as unknown as ConstructorParameters<typeof DomainError>),
  );

const KEPT_HEADERS = ['Content-Type', 'ETag', 'Location'];

const withoutSecret = (body: string, shownOnce: string | undefined): string => {
  if (shownOnce === undefined) return body;
  const { data } = parseJson(body) as { data: JsonObject };
  return JSON.stringify({ data: { ...data, [shownOnce]: null } });
};

const keptAnswer = (ctx: Context, { success }: Operation, body: string): string => {
  const headers = KEPT_HEADERS.map((name) => [name, ctx.response.get(name)] as const).filter(
    ([, value]) => value !== '',
  );
  return JSON.stringify({ status: success.status, headers: Object.fromEntries(headers), body } satisfies Kept);
};

/** The answer to what went on as a stream, as it would have been without. */
const keptAfter = async (op: Operation, { work }: EventStream): Promise<string> => {
  const body = represent(op, await work);
  return JSON.stringify({
    status: op.success.status,
    headers: { 'Content-Type': 'application/json' },
    body,
  } satisfies Kept);
};

/** The events of a stream that is over. */
async function* streamedAgain(op: Operation, body: string) {
  yield* op.streamedAgain?.((parseJson(body) as { data: JsonObject }).data) ?? [];
}

const answerAgain = (ctx: Context, op: Operation, before: Kept, streams: boolean): EventStream | null => {
  ctx.res.setHeader(REPLAYED, 'true');
  if ('refusal' in before) throw refusalOf(before.refusal);
  if (streams) return new EventStream(streamedAgain(op, before.body), Promise.resolve());
  ctx.status = before.status;
  ctx.set(before.headers);
  ctx.body = before.body;
  return null;
};

export interface OnceTerms extends Idempotency {
  readonly key: string;
}

/** Answers the first request with a key by doing its work, which sends the answer or makes a stream, and a repetition as it was answered. */
export const answerOnce = async (
  ctx: Context,
  op: Operation,
  call: Call,
  { once }: IdempotencyService,
  { key, again, shownOnce }: OnceTerms,
  work: () => Promise<EventStream | null>,
): Promise<EventStream | null> => {
  const request = {
    credentialId: call.caller.credential.id,
    operation: op.id,
    key,
    requestHash: fingerprint(ctx, call),
  };
  const answered = await once(
    request,
    { again, signal: call.signal },
    async (): Promise<Worked<EventStream | DomainError | null>> => {
      try {
        const stream = await work();
        if (stream) return { result: stream, answer: keptAfter(op, stream) };
        return {
          result: null,
          answer: typeof ctx.body === 'string' ? keptAnswer(ctx, op, withoutSecret(ctx.body, shownOnce)) : null,
        };
      } catch (error) {
        const answer = keptRefusal(error);
        if (answer === null) throw error;
        return { result: error as DomainError, answer };
      }
    },
  );
  if ('before' in answered) return answerAgain(ctx, op, JSON.parse(answered.before) as Kept, call.streams);
  if (answered.result instanceof DomainError) throw answered.result;
  return answered.result;
};
