import * as v2 from '@modelcontextprotocol/client';
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { OAuthProvider } from './oauth-provider.ts';

export interface Session {
  call(
    name: string,
    input: Readonly<Record<string, unknown>>,
  ): Promise<{ readonly structured: unknown; readonly isError: boolean }>;
  close(): Promise<void>;
}

/** An official client: what a program does with it is the same for each. */
export interface OfficialClient {
  /** null where the client first wants its user to be sent to `provider.kept.asked`. */
  connect(url: string, provider: OAuthProvider): Promise<Session | null>;
  /** The user is back, with these parameters in the address. */
  comeBack(url: string, provider: OAuthProvider, answer: URLSearchParams): Promise<void>;
  /** Whether this error of the client means that its user has to sign in again. */
  wantsUser(error: unknown): boolean;
}

const about = { name: 'workbench', version: '1.0.0' };

const first: OfficialClient = {
  async connect(url, authProvider) {
    const client = new Client(about);
    try {
      await client.connect(new StreamableHTTPClientTransport(new URL(url), { authProvider }));
    } catch (error) {
      if (error instanceof UnauthorizedError) return null;
      throw error;
    }
    return {
      async call(name, input) {
        const { structuredContent, isError } = await client.callTool({ name, arguments: input });
        return { structured: structuredContent, isError: isError === true };
      },
      close: () => client.close(),
    };
  },
  comeBack: (url, authProvider, answer) =>
    new StreamableHTTPClientTransport(new URL(url), { authProvider }).finishAuth(answer.get('code') ?? ''),
  wantsUser: (error) => error instanceof UnauthorizedError,
};

const second = (mode: 'legacy' | 'auto'): OfficialClient => ({
  async connect(url, authProvider) {
    const client = new v2.Client(about, { versionNegotiation: { mode } });
    try {
      await client.connect(new v2.StreamableHTTPClientTransport(new URL(url), { authProvider }));
    } catch (error) {
      if (error instanceof v2.UnauthorizedError) return null;
      throw error;
    }
    return {
      async call(name, input) {
        const { structuredContent, isError } = await client.callTool({ name, arguments: input });
        return { structured: structuredContent, isError: isError === true };
      },
      close: () => client.close(),
    };
  },
  comeBack: (url, authProvider, answer) =>
    new v2.StreamableHTTPClientTransport(new URL(url), { authProvider }).finishAuth(answer),
  wantsUser: (error) => error instanceof v2.UnauthorizedError,
});

export const officialClients: Readonly<Record<string, OfficialClient>> = {
  'the client of SDK 1.x': first,
  'the client 2.x, as it is': second('legacy'),
  'the client 2.x, in the newest revision': second('auto'),
};
