import type { FilePart, OutputInterface, ModelMessage as SdkMessage, TextPart, ToolSet } from 'ai';
import {
  type ModelContent,
  ModelError,
  type ModelMessage,
  type StepRequest,
  type ToolSpec,
} from '../../application/ports/models.ts';
import { renderPart, renderResult } from '../../application/shared/fence.ts';
import { isObject, type JsonSchema, type JsonValue } from '../../domain/json.ts';

type Sdk = Pick<typeof import('ai'), 'jsonSchema' | 'tool'>;

/** Both providers refuse requests over about 32 MB; base64 adds a third to the files. */
const MAX_FILE_BYTES = 22 * 1024 * 1024;

const essence = (contentType: string) => (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();

const part = (content: ModelContent, fence: string): readonly (TextPart | FilePart)[] => {
  if (content.type !== 'file') {
    const text = renderPart(fence, content);
    return text.trim() === '' ? [] : [{ type: 'text', text }];
  }
  const mediaType = essence(content.contentType);
  if (mediaType !== 'application/pdf' && !mediaType.startsWith('image/')) {
    throw new ModelError(
      'model_error',
      `${content.fileName} is ${mediaType}: models take images and PDF as they are, nothing else.`,
    );
  }
  return [{ type: 'file', mediaType, data: content.data, filename: content.fileName }];
};

/** Providers take only an object as a call's input: one wraps arguments that could not be read. */
const callInput = (args: JsonValue) => (isObject(args) ? args : { unreadable_arguments: args });

const message = (original: ModelMessage, fence: string): readonly SdkMessage[] => {
  if (original.role === 'user') {
    const content = original.content.flatMap((each) => part(each, fence));
    return content.length === 0 ? [] : [{ role: 'user', content }];
  }
  if (original.role === 'tool') {
    const output = {
      type: original.isError ? ('error-text' as const) : ('text' as const),
      value: renderResult(fence, original.toolName, original.text),
    };
    return [
      {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId: original.toolCallId, toolName: original.toolName, output }],
      },
    ];
  }
  const text = original.text.trim() === '' ? [] : [{ type: 'text' as const, text: original.text }];
  const calls = original.toolCalls.map(({ id, name, arguments: args }) => ({
    type: 'tool-call' as const,
    toolCallId: id,
    toolName: name,
    input: callInput(args),
  }));
  return text.length + calls.length === 0 ? [] : [{ role: 'assistant', content: [...text, ...calls] }];
};

const fileBytes = (request: StepRequest) =>
  request.messages
    .flatMap((message) => (message.role === 'user' ? message.content : []))
    .reduce((sum, content) => sum + (content.type === 'file' ? content.data.byteLength : 0), 0);

/** Made of our own history: the SDK's `response.messages` answers an unreadable call itself, so that two answers would stand there. */
export const sdkMessages = (request: StepRequest): SdkMessage[] => {
  const bytes = fileBytes(request);
  if (bytes > MAX_FILE_BYTES) {
    const size = Math.ceil(bytes / 1024 / 1024);
    throw new ModelError(
      'model_error',
      `The files are ${size} MB together: a model takes at most ${MAX_FILE_BYTES / 1024 / 1024} MB of images and PDF at once.`,
    );
  }
  return request.messages.flatMap((original) => message(original, request.fence));
};

/** Without `execute` the SDK hands the calls back: the application runs tools. */
export const sdkTools = (tools: readonly ToolSpec[], sdk: Sdk): ToolSet =>
  Object.fromEntries(
    tools.map(({ name, description, inputSchema }) => [
      name,
      sdk.tool({ description, inputSchema: sdk.jsonSchema<unknown>(inputSchema) }),
    ]),
  );

/**
 * Asks for JSON by the schema and hands back the text as it came: the application validates and repairs it, and for that needs
 * a text that does not validate too. The SDK's own `Output.object` would lose it in an exception.
 */
export const rawJson = (schema: JsonSchema): OutputInterface<string, string, never> => ({
  name: 'object',
  responseFormat: Promise.resolve({ type: 'json' as const, name: 'answer', schema: schema as Record<string, never> }),
  parseCompleteOutput: async ({ text }) => text,
  parsePartialOutput: async ({ text }) => ({ partial: text }),
  createElementStreamTransform: () => undefined,
});

const keywords = new Set(
  (
    '$defs $ref additionalProperties anyOf const definitions description enum exclusiveMaximum exclusiveMinimum format items maxItems ' +
    'maximum minItems minimum multipleOf pattern properties required title type'
  ).split(' '),
);
const formats = new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid']);

const closed = (node: Record<string, unknown>): boolean => {
  const types = Array.isArray(node.type) ? node.type : [node.type];
  if (!types.includes('object') && node.properties === undefined) return true;
  const required = Array.isArray(node.required) ? node.required : [];
  return (
    isObject(node.properties) &&
    node.additionalProperties === false &&
    Object.keys(node.properties).every((key) => required.includes(key))
  );
};

const strictNode = (node: unknown, depth: number): boolean => {
  if (!isObject(node) || depth > 10) return false;
  if (!Object.keys(node).every((key) => keywords.has(key)) || !closed(node)) return false;
  if (node.format !== undefined && !formats.has(String(node.format))) return false;
  if (
    node.type === undefined &&
    node.$ref === undefined &&
    node.anyOf === undefined &&
    node.enum === undefined &&
    node.const === undefined
  )
    return false;
  const below = [node.properties, node.$defs, node.definitions].flatMap((map) =>
    isObject(map) ? Object.values(map) : [],
  );
  const branches = Array.isArray(node.anyOf) ? node.anyOf : [];
  const items = node.items === undefined ? [] : [node.items];
  return [...below, ...branches, ...items].every((child) => strictNode(child, depth + 1));
};

/**
 * OpenAI's strict mode refuses a schema outside its subset (every property required, every object closed, few keywords) with
 * a 400, so it is used only if the schema qualifies; any other schema goes as non-strict `json_schema`, which guides
 * the model without binding it. Making every property required instead would change what a missing value means.
 */
export const qualifiesAsStrict = (schema: JsonSchema): boolean => schema.type === 'object' && strictNode(schema, 0);
