import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { ContentBlock, Tool as ProtocolTool } from '@modelcontextprotocol/sdk/types.js';
import type { jsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/types.js';
import { type Outbound, OutboundFailure, type OutboundRequest } from '../../application/ports/outbound.ts';
import type { RemoteTerms, RemoteTool, RemoteTools, ToolResult } from '../../application/ports/tools.ts';
import { DomainError } from '../../domain/errors.ts';
import type { RemoteToolServer } from '../../domain/tool.ts';

interface Settings {
  readonly outbound: Outbound;
  readonly version: string;
}

const MAX_PAGES = 10;
const MAX_WORDS = 1000;

/** A moment longer than a request may take: what that says of a time-out is plainer. */
const patience = ({ timeoutSeconds }: RemoteTerms) => timeoutSeconds * 1000 + 1000;

/** The body has been decoded by then, and is as long as it is. */
const stale = /^(content-encoding|content-length|transfer-encoding)$/;
const bodiless = new Set([101, 204, 205, 304]);

/** Requests of the client as requests that never reach a place only Portico can. It listens to no stream that has no end. */
const fetchOver = (outbound: Outbound, { allowedHosts }: RemoteToolServer, terms: RemoteTerms, signal: AbortSignal): FetchLike => {
  return async (url, init = {}) => {
    const { method = 'GET', body = null, headers } = init;
    if (method === 'GET') return new Response(null, { status: 405 });
    const request: OutboundRequest = {
      method: method as OutboundRequest['method'],
      url: String(url),
      headers: Object.fromEntries(new Headers(headers)),
      body: body === null ? null : String(body),
    };
    const answer = await outbound.send(request, { ...terms, redirects: 0, allowedHosts }, signal);
    const kept = Object.entries(answer.headers).filter(([name]) => !stale.test(name));
    return new Response(bodiless.has(answer.status) ? null : new Uint8Array(answer.body), { status: answer.status, headers: kept });
  };
};

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

const toolOf = ({ name, title, description = '', inputSchema, annotations = {} }: ProtocolTool): RemoteTool => ({
  name,
  description,
  inputSchema,
  annotations: {
    title: annotations.title ?? title ?? name,
    readOnly: annotations.readOnlyHint === true,
    destructive: annotations.destructiveHint !== false && annotations.readOnlyHint !== true,
    idempotent: annotations.idempotentHint === true,
    openWorld: annotations.openWorldHint !== false,
  },
});

const textOf = (block: ContentBlock): string => {
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

/** The tools of other MCP servers, through the official client over Streamable HTTP: a connection of its own for each question. */
export const mcpTools = ({ outbound, version }: Settings): RemoteTools => {
  const ask = async <T>(server: RemoteToolServer, terms: RemoteTerms, signal: AbortSignal, work: (client: Client) => Promise<T>) => {
    const [{ Client }, { StreamableHTTPClientTransport }] = await Promise.all([
      import('@modelcontextprotocol/sdk/client/index.js'),
      import('@modelcontextprotocol/sdk/client/streamableHttp.js'),
    ]);
    let failure: OutboundFailure | null = null;
    const send = fetchOver(outbound, server, terms, signal);
    const fetch: FetchLike = (url, init) =>
      send(url, init).catch((error: unknown) => {
        if (error instanceof OutboundFailure) failure ??= error;
        throw error;
      });
    const transport = new StreamableHTTPClientTransport(new URL(server.url), { fetch, requestInit: { headers: { ...server.headers } } });
    const client = new Client({ name: 'portico', version }, { jsonSchemaValidator: trusting });
    try {
      await client.connect(transport, { signal, timeout: patience(terms) });
      return await work(client);
    } catch (error) {
      signal.throwIfAborted();
      throw failure ?? new DomainError('unavailable', `The tool server could not be used: ${inWords(error)}.`, { cause: error });
    } finally {
      await transport.terminateSession().catch(() => {});
      await client.close().catch(() => {});
    }
  };

  return {
    list: (server, terms, signal) =>
      ask(server, terms, signal, async (client) => {
        const tools: RemoteTool[] = [];
        let cursor: string | undefined;
        for (let page = 0; page < MAX_PAGES; page++) {
          const answer = await client.listTools(cursor === undefined ? {} : { cursor }, { signal, timeout: patience(terms) });
          tools.push(...answer.tools.map(toolOf));
          cursor = answer.nextCursor;
          if (cursor === undefined) break;
        }
        return tools;
      }),

    call: (server, name, input, terms, signal) =>
      ask(server, terms, signal, async (client): Promise<ToolResult> => {
        const options = { signal, timeout: patience(terms) };
        const { content, structuredContent, isError } = await client.callTool({ name, arguments: { ...input } }, undefined, options);
        const text = (content as readonly ContentBlock[]).map(textOf).join('\n');
        const whole = text === '' && structuredContent !== undefined ? JSON.stringify(structuredContent) : text;
        return { text: whole, isError: isError === true };
      }),
  };
};
