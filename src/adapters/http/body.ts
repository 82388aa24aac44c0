import { isUtf8 } from 'node:buffer';
import { parse } from 'content-type';
import { DomainError, type ValidationError } from '../../domain/errors.ts';
import { contentError } from '../../domain/json.ts';
import { parseJson } from '../../domain/json-number.ts';
import type { Context } from './context.ts';
import { hasBody } from './server.ts';

const MAX_BYTES = 1_048_576;

/**
 * Reads text only: the JSON parsing of koa-body refuses `__proto__` and accepts an empty body as an object. It reads each byte as one
 * character, because it would replace bytes that are not UTF-8 before `isUtf8` can refuse them.
 */
const openReader = async () => {
  const { koaBody } = await import('koa-body');
  return koaBody({
    encoding: 'latin1' as never,
    text: true,
    textTypes: ['application/json', '+json'],
    textLimit: MAX_BYTES,
    json: false,
    urlencoded: false,
    multipart: false,
    parsedMethods: ['POST', 'PUT', 'PATCH', 'DELETE'] as never,
  });
};
let opened: ReturnType<typeof openReader> | null = null;

/** Its parsers of forms and of its own options are 170 modules, which no start waits for. */
export const bodyReader = () => {
  opened ??= openReader();
  return opened;
};

const JSON_TYPE = /^(application\/json|[\w!#$&^.+-]+\/[\w!#$&^.+-]+\+json)$/i;

const anyOf = new Intl.ListFormat('en', { type: 'disjunction' });

/** The media type of the body, in lower case. */
export const typeOfBody = ({ req: { headers } }: Context): string =>
  headers['content-type'] === undefined ? '' : parse(headers['content-type']).type.toLowerCase();

/** What is wrong with the headers that describe the body; null for nothing. `others`: media types besides that of JSON. */
export const bodyHeaderError = (ctx: Context, others: readonly string[]): ValidationError | null => {
  const { headers } = ctx.req;
  if (!hasBody(ctx.req)) return null;
  const { type = '', parameters = {} } = headers['content-type'] === undefined ? {} : parse(headers['content-type']);
  const charset = (parameters.charset ?? 'utf-8').toLowerCase();
  if (!JSON_TYPE.test(type) || (charset !== 'utf-8' && charset !== 'utf8')) {
    const types = anyOf.format(['application/json', ...others]);
    return { path: 'headers.content-type', message: `must be ${types}, in UTF-8, for a request with a body` };
  }
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding === 'identity') return null;
  return { path: 'headers.content-encoding', message: 'must be left out: compressed bodies are not accepted' };
};

/** The body that was read, as the client sent it. */
export const sentBytes = (ctx: Context): Buffer<ArrayBuffer> => {
  const { body } = ctx.request as { body?: unknown };
  return Buffer.from(typeof body === 'string' ? body : '', 'latin1');
};

const readBytes = async (ctx: Context): Promise<Buffer> => {
  const read = await bodyReader();
  try {
    await read(ctx as never, async () => {});
  } catch (error) {
    if ((error as { status?: number }).status === 413)
      throw new DomainError('too_large', 'The body is over 1 MiB.', { cause: error });
    throw new DomainError('invalid', 'The body is incomplete.', { cause: error });
  }
  return sentBytes(ctx);
};

const parsed = (text: string): { value: unknown } | { error: string } => {
  try {
    const value = parseJson(text);
    const error = contentError(value);
    return error === null ? { value } : { error };
  } catch (error) {
    return { error: `is not valid JSON: ${(error as Error).message.slice(0, 200)}` };
  }
};

/** The JSON body, or undefined without one; adds what is wrong with it to the errors. */
export const readBody = async (ctx: Context, errors: ValidationError[]): Promise<unknown> => {
  if (!hasBody(ctx.req)) return undefined;
  const bytes = await readBytes(ctx);
  if (bytes.length === 0) return undefined;
  const result = isUtf8(bytes) ? parsed(bytes.toString()) : { error: 'is not UTF-8' };
  if ('value' in result) return result.value;
  return void errors.push({ path: 'body', message: result.error });
};
