import { isLeft } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { isObject, type JsonValue } from '../../domain/json.ts';
import { httpMethods, untrustedWords } from '../../domain/tool.ts';
import { suggestion } from './closest.ts';
import { type Codec, closed, failed, flag, jsonObject, line, list, oneOf, optional, record, text } from './codecs.ts';
import { webAddress } from './formats.ts';

const toolName = line(48, 'a name such as exchange_rate: lower-case letters, digits and _', (value) => /^[a-z][a-z0-9_]*$/.test(value));
/** JSON that is filled in and sent. */
const anything: Codec<JsonValue> = new t.Type<JsonValue, unknown, unknown>(
  'JSON',
  (value): value is JsonValue => value !== undefined,
  (value) => t.success(value as JsonValue),
  t.identity,
);
const requires_approval = optional(flag, false);
const untrusted = optional(oneOf(untrustedWords), null);
const common = { requires_approval, untrusted };
const headers = optional(record(line(4000)), {});
const allow_hosts = optional(list(line(300, 'a host, or a host and a port', (value) => URL.canParse(`http://${value}`))), []);

const http = closed({
  name: toolName,
  description: optional(text(4000), ''),
  method: optional(oneOf(httpMethods), 'GET'),
  url: webAddress,
  headers,
  body: optional(anything, undefined),
  input_schema: optional(jsonObject, {}),
  allow_hosts,
});

const forms: Readonly<Record<string, t.Mixed>> = {
  connection: closed({ connection: line(200), write: optional(flag, false), ...common }),
  database: closed({ database: line(100), ...common }),
  http: closed({ http, ...common }),
  mcp: closed({ mcp: closed({ name: optional(toolName, null), url: webAddress, headers, allow_hosts }), ...common }),
  agent: closed({ agent: line(200), ...common }),
};

const words = Object.keys(forms);
const expected = `search_web, or a mapping with one of ${words.join(', ')}`;

/** One entry of an agent's `tools`: checked in form, kept as it was written. */
export const tool: Codec<JsonValue> = new t.Type<JsonValue, unknown, unknown>(
  'tool',
  (value): value is JsonValue => value === 'search_web' || isObject(value),
  (value, context) => {
    if (value === 'search_web') return t.success<JsonValue>(value);
    if (!isObject(value)) return failed<JsonValue>([{ value, context, message: `must be ${expected}` }], 'search_web');
    const kinds = words.filter((word) => Object.hasOwn(value, word));
    const form = forms[kinds[0] ?? ''];
    if (form === undefined || kinds.length > 1) {
      const only = Object.keys(value).length === 1 ? `; ${suggestion(Object.keys(value)[0] ?? '', words)}` : '';
      return failed<JsonValue>([{ value, context, message: `must be ${expected}${only}` }], 'search_web');
    }
    const result = form.validate(value, context);
    return isLeft(result) ? failed(result.left, value as JsonValue) : t.success(value as JsonValue);
  },
  t.identity,
);
