import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { ContentBlock as ProtocolBlock, Tool as ProtocolTool } from '@modelcontextprotocol/sdk/types.js';
import type { jsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/types.js';
import { type Outbound, OutboundFailure } from '../../application/ports/outbound.ts';
import type { ContentBlock, RemoteTerms, RemoteTool, RemoteTools, ToolResult } from '../../application/ports/tools.ts';
import { DomainError } from '../../domain/errors.ts';
import { isObject, type JsonObject } from '../../domain/json.ts';
import type { RemoteToolServer } from '../../domain/tool.ts';
import { streamingFetch } from './streaming-fetch.ts';

interface Settings {
  readonly outbound: Outbound;
  readonly version: string;
}

const MAX_PAGES = 10;
const MAX_WORDS = 1000;

/** A moment longer than a request may take: what that says of a time-out is plainer. */
const patience = ({ timeoutSeconds }: RemoteTerms) => timeoutSeconds * 1000 + 1000;

/** What the server says of its own answers is not compiled: its schemas are nobody's here. */
const trusting: jsonSchemaValidator = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
};

const inWords = (error: unknown): string => {
  const status = error instanceof Error && error.name !== 'McpError' && 'code' in error ? Number(error.code) : Number.NaN;
  if (status >= 100) return `it answered ${status}`;
  const words = error instanceof Error ? error.message.replace(/\s+/g, ' ').slice(0, MAX_WORDS) : 'no reason was given';
  return words.toWellFormed();
};

const toolOf = ({ name, title, description = '', inputSchema, outputSchema, annotations = {} }: ProtocolTool): RemoteTool => ({
  name,
  description,
  inputSchema,
  outputSchema: outputSchema ?? null,
  annotations: {
    title: annotations.title ?? title ?? name,
    readOnly: annotations.readOnlyHint === true,
    destructive: annotations.destructiveHint !== false && annotations.readOnlyHint !== true,
    idempotent: annotations.idempotentHint === true,
    openWorld: annotations.openWorldHint !== false,
  },
});

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

/** Text is all there is to many results: then there is nothing more to tell a program. */
const resultOf = (content: readonly ProtocolBlock[], structured: unknown, isError: boolean): ToolResult => {
  const text = content.map(textOf).join('\n');
  const more = {
    ...(content.some(({ type }) => type !== 'text') && { content: blocksOf(content) }),
    ...(isObject(structured) && { structured: structured as JsonObject }),
  };
  return { text: text === '' && structured !== undefined ? JSON.stringify(structured) : text, isError, ...more };
};

/** The tools of other MCP servers, through the official client over Streamable HTTP: a connection of its own for each question. */
export const mcpTools = ({ outbound, version }: Settings): RemoteTools => {
  const ask = async <T>(
    server: RemoteToolServer,
    terms: RemoteTerms,
    given: AbortSignal,
    changes: boolean,
    work: (client: Client, options: { readonly signal: AbortSignal; readonly timeout: number }) => Promise<T>,
  ) => {
    const [{ Client }, { StreamableHTTPClientTransport }] = await Promise.all([
      import('@modelcontextprotocol/sdk/client/index.js'),
      import('@modelcontextprotocol/sdk/client/streamableHttp.js'),
    ]);
    const { url, headers, allowedHosts } = server;
    let failure: OutboundFailure | null = null;
    let asked = false;
    const [broken, over] = [new AbortController(), new AbortController()];
    const failed = (error: unknown) => {
      if (error instanceof OutboundFailure) failure ??= error;
      broken.abort(error);
    };
    const lasting = AbortSignal.any([given, over.signal]);
    const fetch = streamingFetch({ outbound, terms: { ...terms, allowedHosts }, signal: lasting, failed });
    const transport = new StreamableHTTPClientTransport(new URL(url), { fetch, requestInit: { headers: { ...headers } } });
    const client = new Client({ name: 'portico', version }, { jsonSchemaValidator: trusting });
    const options = { signal: AbortSignal.any([given, broken.signal]), timeout: patience(terms) };
    try {
      await client.connect(transport, options);
      asked = true;
      return await work(client, options);
    } catch (error) {
      given.throwIfAborted();
      const words = `The tool server could not be used: ${inWords(error)}.`;
      if (failure) throw failure;
      throw asked && changes
        ? new DomainError('outcome_unknown', words, { cause: error })
        : new DomainError('unavailable', words, { cause: error });
    } finally {
      await transport.terminateSession().catch(() => {});
      await client.close().catch(() => {});
      over.abort();
    }
  };

  return {
    list: (server, terms, signal) =>
      ask(server, terms, signal, false, async (client, options) => {
        const tools: RemoteTool[] = [];
        let cursor: string | undefined;
        for (let page = 0; page < MAX_PAGES; page++) {
          const answer = await client.listTools(cursor === undefined ? {} : { cursor }, options);
          tools.push(...answer.tools.map(toolOf));
          cursor = answer.nextCursor;
          if (cursor === undefined) break;
        }
        return tools;
      }),

    call: (server, { name, input, report }, terms, signal) =>
      ask(server, terms, signal, true, async (client, options): Promise<ToolResult> => {
        const heard = report ? { onprogress: report } : {};
        const call = { name, arguments: { ...input } };
        const { content, structuredContent, isError } = await client.callTool(call, undefined, { ...options, ...heard });
        return resultOf(content as readonly ProtocolBlock[], structuredContent, isError === true);
      }),
  };
};
