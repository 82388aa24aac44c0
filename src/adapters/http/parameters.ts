import * as t from 'io-ts';
import { traceContextOf } from '../../domain/trace-context.ts';
import { type Codec, codecOf } from '../../wire/kit/codec.ts';
import { about, object, optional, withDefault } from '../../wire/kit/structures.ts';
import { integerParameter, text } from '../../wire/kit/values.ts';

const kebab = (key: string) => key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Request headers: `idempotencyKey` is `idempotency-key`. */
export const requestHeaders = <P extends t.Props>(props: P) => object(props, kebab);

const bareKey = text({ min: 1, max: 255, pattern: /^[!-~]*$/, expected: '1 to 255 visible ASCII characters' });

/** A key as the IETF's draft writes it is a string of structured fields (RFC 9651 section 3.3.3). */
const unquoted = (value: string) => /^"(([^"\\]|\\["\\])*)"$/.exec(value)?.[1]?.replaceAll(/\\(.)/g, '$1') ?? value;

/** An `Idempotency-Key`: `"k"` is the same as `k`. */
export const idempotencyKey: Codec<string> = codecOf(
  (value, context) => bareKey.validate(typeof value === 'string' ? unquoted(value) : value, context),
  t.identity,
  (schemaOf) => schemaOf(bareKey),
);

/** The W3C trace id of a `traceparent`; an invalid one counts as none (Trace Context section 3.2). */
export const traceparent: Codec<string | null> = codecOf(
  (value) => t.success(traceContextOf(value)?.traceId ?? null),
  t.identity,
  () => ({ type: 'string', examples: ['00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'] }),
);

const limit = (fallback: number, max?: number) =>
  about('The most to return.', withDefault(integerParameter({ min: 1, ...(max && { max }) }), fallback));

/** The query parameters of one page of a list. */
export const paging = ({ max, fallback }: { max?: number; fallback: number }) => ({
  offset: about('How many to skip.', withDefault(integerParameter({ min: 0, max: Number.MAX_SAFE_INTEGER }), 0)),
  limit: limit(fallback, max),
});

/** The same of a list that goes on behind a cursor. */
export const cursorPaging = <A>(next: Codec<A>, fallback: number, note = '') => ({
  limit: limit(fallback, 100),
  after: about(`The \`next\` of the page before.${note}`, optional(next)),
});
