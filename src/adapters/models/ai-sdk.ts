import type { GenerateTextResult, LanguageModel, OutputInterface, ToolSet } from 'ai';
import { type Draft, ModelError, type Models, type Step, type StepRequest } from '../../application/ports/models.ts';
import type { Log } from '../../application/ports/runtime.ts';
import { deadline } from '../../application/shared/async.ts';
import type { JsonValue } from '../../domain/json.ts';
import { type Provider, traitsOf, wantsMaxCompletionTokens } from './families.ts';
import { failureOf, type ModelAccess, quote } from './provider-errors.ts';
import { type RetryPolicy, withRetry } from './retry.ts';
import { qualifiesAsStrict, rawJson, sdkMessages, sdkTools } from './sdk-request.ts';
import { streamedAnswer } from './streamed-answer.ts';
import { keptAnswer, type WireCall } from './transport.ts';

interface StepLimits extends Omit<RetryPolicy, 'onRetry'> {
  readonly stepTimeoutSeconds: number;
  readonly log: Log;
}

type Result = GenerateTextResult<ToolSet, never, OutputInterface<string, string, never>>;

/** Not imported before it is needed: it takes 300 ms, and most processes never call a provider. */
const loadSdk = async () => {
  const sdk = await import('ai');
  globalThis.AI_SDK_LOG_WARNINGS = false;
  return sdk;
};

const loadProvider = {
  anthropic: () => import('@ai-sdk/anthropic'),
  openai: () => import('@ai-sdk/openai-compatible'),
};

export const prepareProvider = async (provider: Provider): Promise<void> => {
  await Promise.all([loadSdk(), loadProvider[provider]()]);
};

const languageModel = async (
  { provider, model, apiKey, baseUrl }: ModelAccess,
  fetch: typeof globalThis.fetch,
): Promise<Exclude<LanguageModel, string>> => {
  if (provider === 'anthropic') {
    const { createAnthropic } = await loadProvider.anthropic();
    return createAnthropic({ apiKey, baseURL: baseUrl, fetch })(model);
  }
  const { createOpenAICompatible } = await loadProvider.openai();
  return createOpenAICompatible({
    name: 'openai',
    apiKey,
    baseURL: baseUrl,
    fetch,
    supportsStructuredOutputs: true,
    includeUsage: true,
    transformRequestBody: ({ max_tokens, ...body }) =>
      wantsMaxCompletionTokens(model) ? { ...body, max_completion_tokens: max_tokens } : { ...body, max_tokens },
  })(model);
};

const unreadable = (toolName: string) =>
  `The arguments of ${toolName} are not valid JSON. Call it again with one JSON object.`;

const finishOf = ({ finishReason, toolCalls }: Result): Step['finish'] => {
  if (finishReason === 'length') return 'length';
  return toolCalls.length > 0 ? 'tool_calls' : 'stop';
};

/** The tool with which Anthropic's provider makes a model answer JSON: its input is the text then. */
const JSON_TOOL = 'json';

const stepOf = (result: Result, apiKey: string, calls: readonly WireCall[]): Step => {
  const { finishReason, text, usage } = result;
  if (finishReason === 'content-filter') {
    const reason = quote(text, apiKey);
    throw new ModelError(
      'model_refused',
      reason === '' ? 'The model refused to answer.' : `The model refused to answer: ${reason}`,
    );
  }
  if (finishReason === 'error')
    throw new ModelError('model_error', 'The model provider ended the answer with an error.');
  const answeredCalls = calls.filter(({ id }) => result.toolCalls.some(({ toolCallId }) => toolCallId === id));
  const json = calls.find((call) => call.name === JSON_TOOL && !answeredCalls.includes(call));
  return {
    text: json?.input === undefined ? text : JSON.stringify(json.input),
    toolCalls: result.toolCalls.map((call, index) => ({
      id: call.toolCallId,
      name: call.toolName,
      arguments: answeredCalls[index]?.input ?? ((call.input ?? {}) as JsonValue),
      invalid: call.invalid === true && typeof call.input === 'string' ? unreadable(call.toolName) : null,
    })),
    finish: finishOf(result),
    usage: { inputTokens: usage.inputTokens ?? 0, outputTokens: usage.outputTokens ?? 0 },
    answeredBy: result.response.modelId,
  };
};

const generate = async (
  access: ModelAccess,
  request: StepRequest,
  abortSignal: AbortSignal,
  draft: Draft | null,
): Promise<Step> => {
  const sdk = await loadSdk();
  const schema = request.outputSchema;
  const kept = keptAnswer();
  const streamed = draft && streamedAnswer(draft);
  const whole = await languageModel(access, kept.fetch);
  const result = (await sdk.generateText({
    model: streamed === null ? whole : sdk.wrapLanguageModel({ model: whole, middleware: streamed.middleware }),
    messages: sdkMessages(request),
    maxRetries: 0,
    // Always sent: without it a provider's own default cuts long documents short, or reserves far too much.
    maxOutputTokens: traitsOf(access.provider, access.model).outputTokens,
    abortSignal,
    ...(request.instructions.trim() === '' ? {} : { instructions: request.instructions }),
    ...(request.tools.length === 0 ? {} : { tools: sdkTools(request.tools, sdk) }),
    // Anthropic's `auto` uses native structured output if the model and the schema allow it, else a forced tool named json.
    ...(schema === null
      ? {}
      : {
          output: rawJson(schema),
          providerOptions: { openaiCompatible: { strictJsonSchema: qualifiesAsStrict(schema) } },
        }),
  })) as Result;
  return stepOf(result, access.apiKey, (streamed ?? kept).calls());
};

export const aiSdkStep = (
  access: ModelAccess,
  { stepTimeoutSeconds: seconds, maxAttempts, backoff, log }: StepLimits,
  ...[request, signal, draft = null, onRetry]: Parameters<Models['step']>
): Promise<Step> => {
  const { provider, model } = access;

  /** Each has its own time-out. */
  const attempt = async () => {
    const timeout = deadline(seconds);
    try {
      draft?.begin();
      return await generate(access, request, signal ? AbortSignal.any([signal, timeout]) : timeout, draft);
    } catch (error) {
      if (timeout.aborted && !signal?.aborted)
        throw new ModelError('model_timeout', `The model gave no answer within ${seconds} s.`);
      throw error;
    }
  };

  const note: RetryPolicy['onRetry'] = (tried, waitMs, failure) => {
    const { code, message: reason } = failure.error(tried);
    log.warn({ provider, model, tried, wait_ms: waitMs, reason }, 'the model is called again');
    onRetry?.(code, waitMs);
  };

  return withRetry(attempt, (error) => failureOf(error, access), { maxAttempts, backoff, onRetry: note }, signal);
};
