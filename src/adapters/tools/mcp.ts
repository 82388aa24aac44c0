import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { ContentBlockSchema, ContentBlock as ProtocolBlock } from '@modelcontextprotocol/sdk/types.js';
import type { jsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/types.js';
import { type Outbound, OutboundFailure } from '../../application/ports/outbound.ts';
import type { ContentBlock, RemoteTerms, RemoteTool, RemoteTools, ToolResult } from '../../application/ports/tools.ts';
import { DomainError } from '../../domain/errors.ts';
import { isObject, type JsonObject } from '../../domain/json.ts';
import { withoutSecrets } from '../../domain/request-secrets.ts';
import type { RemoteToolServer } from '../../domain/tool.ts';
import { streamingFetch } from './streaming-fetch.ts';

/** Of a list of tools: a server with more than one may have is known as that, however few it lists at a time. */
const MAX_PAGES = 200;
/** A page of the shortest members becomes many times as large in memory. */
const MAX_LISTED = 10_000;
const MAX_MESSAGE_CHARACTERS = 1000;

/** A second longer than a request may take, because the error of a request that timed out says more. */
const timeoutOf = ({ timeoutSeconds }: RemoteTerms) => timeoutSeconds * 1000 + 1000;

/** Does not compile the server's output schemas: a foreign schema could be slow or unsafe, and nothing here needs the check. */
const noValidation: jsonSchemaValidator = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
};

const codeIn = (error: unknown): number =>
  error instanceof Error && 'code' in error ? Number(error.code) : Number.NaN;
const isOfProtocol = (error: unknown) => error instanceof Error && error.name === 'McpError';

/** The HTTP status of an answer that is an error; NaN of any other error. */
const statusOf = (error: unknown): number => (isOfProtocol(error) ? Number.NaN : codeIn(error));

/**
 * Codes of the protocol for a message that is not valid, and for a method that is not there: nothing was begun. That of invalid parameters is
 * not among them, because some servers answer it for a result that is not as they said, after the call.
 */
const REFUSALS: ReadonlySet<number> = new Set([-32700, -32600, -32601]);

/** Proxies answer it for a call that a server is at work on. */
const TIMED_OUT = 408;

const isRefusal = (error: unknown): boolean => {
  const status = statusOf(error);
  return isOfProtocol(error) ? REFUSALS.has(codeIn(error)) : status >= 400 && status < 500 && status !== TIMED_OUT;
};

const reasonOf = (error: unknown): string => {
  const status = statusOf(error);
  if (status >= 100) return `it answered ${status}`;
  const reason =
    error instanceof Error
      ? error.message.replace(/\s+/g, ' ').slice(0, MAX_MESSAGE_CHARACTERS)
      : 'no reason was given';
  return reason.toWellFormed();
};

const wordsIn = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const objectIn = (value: unknown): JsonObject | null => (isObject(value) ? (value as JsonObject) : null);

/** Takes whatever a server lists: the official client would refuse the whole list for one tool that is not as it should be. */
const toolOf = (listed: unknown): RemoteTool => {
  const { name, title, description, inputSchema, outputSchema, annotations } = objectIn(listed) ?? {};
  const hints = objectIn(annotations) ?? {};
  return {
    name: wordsIn(name) ?? '',
    description: wordsIn(description) ?? '',
    inputSchema: objectIn(inputSchema),
    outputSchema: objectIn(outputSchema),
    annotations: {
      title: wordsIn(hints.title) ?? wordsIn(title) ?? wordsIn(name) ?? '',
      readOnly: hints.readOnlyHint === true,
      destructive: hints.destructiveHint !== false && hints.readOnlyHint !== true,
      idempotent: hints.idempotentHint === true,
      openWorld: hints.openWorldHint !== false,
    },
  };
};

const textOf = (block: ProtocolBlock): string => {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'resource':
      return 'text' in block.resource ? block.resource.text : `[${block.resource.uri}]`;
    case 'resource_link':
      return `[${block.name}: ${block.uri}]`;
    default:
      return `[${block.type}, ${block.mimeType}]`;
  }
};

const blocksOf = (content: readonly ProtocolBlock[]) => content as unknown as readonly ContentBlock[];

/** A block as the protocol has it; of any other one the text, or what kind it is. */
const blockOf = (listed: unknown, schema: typeof ContentBlockSchema): ProtocolBlock => {
  const read = schema.safeParse(listed);
  if (read.success) return read.data;
  const { type, text } = objectIn(listed) ?? {};
  return { type: 'text', text: wordsIn(listed) ?? wordsIn(text) ?? `[${wordsIn(type) ?? 'unknown'}]` };
};

/**
 * Takes whatever a server answers: the official client would refuse a whole result for one part that is not as it should be, though the call
 * took effect. `content` is left out of a result that is only text, because it would repeat the text.
 */
const resultOf = (answered: Readonly<Record<string, unknown>>, schema: typeof ContentBlockSchema): ToolResult => {
  const structured = answered.structuredContent ?? undefined;
  const content = [answered.content ?? []].flat().map((block) => blockOf(block, schema));
  const text = content.map(textOf).join('\n');
  const more = {
    ...(content.some(({ type }) => type !== 'text') && { content: blocksOf(content) }),
    ...(isObject(structured) && { structured: structured as JsonObject }),
  };
  const isError = answered.isError === true;
  return { text: text === '' && structured !== undefined ? JSON.stringify(structured) : text, isError, ...more };
};

/** Which server is connected to, and for what. */
interface Visit {
  readonly server: RemoteToolServer;
  readonly terms: RemoteTerms;
  readonly signal: AbortSignal;
  readonly mayHaveEffects: boolean;
}

/** The tools of other MCP servers, through the official client over Streamable HTTP, with a connection for each call. */
export const mcpTools = ({
  outbound,
  version,
}: {
  readonly outbound: Outbound;
  readonly version: string;
}): RemoteTools => {
  const connected = async <T>(
    { server, terms, signal: unwanted, mayHaveEffects }: Visit,
    work: (client: Client, options: { readonly signal: AbortSignal; readonly timeout: number }) => Promise<T>,
  ) => {
    const [{ Client }, { StreamableHTTPClientTransport }] = await Promise.all([
      import('@modelcontextprotocol/sdk/client/index.js'),
      import('@modelcontextprotocol/sdk/client/streamableHttp.js'),
    ]);
    const { url, headers, allowedHosts } = server;
    let failure: OutboundFailure | null = null;
    let isConnected = false;
    const broken = new AbortController();
    const finished = new AbortController();
    const onError = (error: unknown) => {
      if (error instanceof OutboundFailure) failure ??= error;
      broken.abort(error);
    };
    const fetch = streamingFetch({
      outbound,
      terms: { ...terms, allowedHosts },
      signal: AbortSignal.any([unwanted, finished.signal]),
      words: withoutSecrets(server),
      onError,
    });
    const transport = new StreamableHTTPClientTransport(new URL(url), {
      fetch,
      requestInit: { headers: { ...headers } },
    });
    const client = new Client({ name: 'portico', version }, { jsonSchemaValidator: noValidation });
    const options = { signal: AbortSignal.any([unwanted, broken.signal]), timeout: timeoutOf(terms) };
    /** No result waits for it: a server that does not answer the end of its session would take the time of the call. */
    const leave = async () => {
      await transport.terminateSession().catch(() => {});
      await client.close().catch(() => {});
      finished.abort();
    };
    try {
      await client.connect(transport, options);
      isConnected = true;
      return await work(client, options);
    } catch (error) {
      unwanted.throwIfAborted();
      if (failure) throw failure;
      const kind = isConnected && mayHaveEffects && !isRefusal(error) ? 'outcome_unknown' : 'unavailable';
      throw new DomainError(kind, `The tool server could not be used: ${reasonOf(error)}.`, { cause: error });
    } finally {
      void leave();
    }
  };

  return {
    list: (server, terms, signal) =>
      connected({ server, terms, signal, mayHaveEffects: false }, async (client, options) => {
        const { ResultSchema } = await import('@modelcontextprotocol/sdk/types.js');
        const all: RemoteTool[] = [];
        let cursor: string | null = null;
        for (let page = 0; page < MAX_PAGES; page++) {
          const params = cursor === null ? {} : { cursor };
          const { tools, nextCursor }: Readonly<Record<string, unknown>> = await client.request(
            { method: 'tools/list', params },
            ResultSchema,
            options,
          );
          if (!Array.isArray(tools)) throw new Error('its list of tools is no list');
          if (all.length + tools.length > MAX_LISTED) throw new Error(`its list has more than ${MAX_LISTED} tools`);
          all.push(...tools.map(toolOf));
          cursor = wordsIn(nextCursor);
          // Some servers write the end of their list as an empty cursor.
          if (cursor === null || cursor === '') return all;
        }
        throw new Error(`its list of tools has more than ${MAX_PAGES} pages`);
      }),

    call: (server, { name, input, report }, terms, signal) =>
      connected({ server, terms, signal, mayHaveEffects: true }, async (client, options): Promise<ToolResult> => {
        const call = { name, arguments: { ...input } };
        const progress = report ? { onprogress: report } : {};
        const { ContentBlockSchema, ResultSchema } = await import('@modelcontextprotocol/sdk/types.js');
        const answered = await client.request({ method: 'tools/call', params: call }, ResultSchema, {
          ...options,
          ...progress,
        });
        return resultOf(answered, ContentBlockSchema);
      }),
  };
};
