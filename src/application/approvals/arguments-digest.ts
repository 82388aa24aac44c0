import type { Agent } from '../../domain/agent.ts';
import { canonicalJson } from '../../domain/canonical-json.ts';
import type { JsonObject } from '../../domain/json.ts';
import { sha256 } from '../shared/digest.ts';

interface DigestedCall {
  readonly agent: Pick<Agent, 'id' | 'version'>;
  readonly tool: string;
  readonly arguments: JsonObject;
}

/** SHA-256, in hexadecimal, of what a person approves: which tool of which version of the agent, and all that it is given. */
export const argumentsDigest = ({ agent, tool, arguments: args }: DigestedCall): Promise<string> =>
  sha256(
    new TextEncoder().encode(
      canonicalJson({ agent_id: agent.id, agent_version: agent.version, tool, arguments: args }),
    ),
  );
