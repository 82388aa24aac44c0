import type { FilePart, ModelMessage as SdkMessage, TextPart, ToolSet } from 'ai';
import { type ModelContent, ModelError, type ModelMessage, type StepRequest, type ToolSpec } from '../../application/ports/models.ts';
import { renderPart, renderResult } from '../../application/turns/fence.ts';
import { isObject, type JsonValue } from '../../domain/json.ts';

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
    throw new ModelError('model_error', `${content.fileName} is ${mediaType}: models take images and PDF as they are, nothing else.`);
  }
  return [{ type: 'file', mediaType, data: content.data, filename: content.fileName }];
};

/** Providers want an object as a call's input: arguments that could not be read are shown to the model inside one. */
const callInput = (args: JsonValue) => (isObject(args) ? args : { unreadable_arguments: args });

const message = (own: ModelMessage, fence: string): readonly SdkMessage[] => {
  if (own.role === 'user') {
    const content = own.content.flatMap((each) => part(each, fence));
    return content.length === 0 ? [] : [{ role: 'user', content }];
  }
  if (own.role === 'tool') {
    const output = { type: own.isError ? ('error-text' as const) : ('text' as const), value: renderResult(fence, own.toolName, own.text) };
    return [{ role: 'tool', content: [{ type: 'tool-result', toolCallId: own.toolCallId, toolName: own.toolName, output }] }];
  }
  const text = own.text.trim() === '' ? [] : [{ type: 'text' as const, text: own.text }];
  const calls = own.toolCalls.map(({ id, name, arguments: args }) => ({
    type: 'tool-call' as const,
    toolCallId: id,
    toolName: name,
    input: callInput(args),
  }));
  return text.length + calls.length === 0 ? [] : [{ role: 'assistant', content: [...text, ...calls] }];
};

const fileBytes = (request: StepRequest) =>
  request.messages
    .flatMap((own) => (own.role === 'user' ? own.content : []))
    .reduce((sum, content) => sum + (content.type === 'file' ? content.data.byteLength : 0), 0);

/** History from our own messages: the SDK's `response.messages` answers an unreadable call by itself, and would double ours. */
export const sdkMessages = (request: StepRequest): SdkMessage[] => {
  const bytes = fileBytes(request);
  if (bytes > MAX_FILE_BYTES) {
    const size = Math.ceil(bytes / 1024 / 1024);
    throw new ModelError(
      'model_error',
      `The files are ${size} MB together: a model takes at most ${MAX_FILE_BYTES / 1024 / 1024} MB of images and PDF at once.`,
    );
  }
  return request.messages.flatMap((own) => message(own, request.fence));
};

/** Without `execute` the SDK hands the calls back instead of running them: running tools is the application's. */
export const sdkTools = (tools: readonly ToolSpec[], sdk: Sdk): ToolSet =>
  Object.fromEntries(
    tools.map(({ name, description, inputSchema }) => [name, sdk.tool({ description, inputSchema: sdk.jsonSchema<unknown>(inputSchema) })]),
  );
