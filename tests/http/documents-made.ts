import type { ExtractedDocument } from '../../src/application/turns/extraction.ts';
import { runWork } from '../../src/application/worker/run-work.ts';
import { DocumentFindings } from '../../src/composition/modules/documents.ts';
import {
  AgentRepository,
  AgentVersionRepository,
  ConversationRepository,
  DocumentChanges,
  RunQueue,
  UserRepository,
} from '../../src/composition/modules/postgres.ts';
import { Ids } from '../../src/composition/modules/system.ts';
import type { World } from '../mcp/world.ts';
import { anId } from '../support/builders.ts';

/** Makes documents of an agent on a server on whose queue nothing works: a worker of its own extracts what it is given. */
export const documentMaker = (world: () => Pick<World, 'baseUrl' | 'agentId' | 'composition'>, key: () => string) => {
  const newRun = async (agent: string, version?: number, trial?: boolean) => {
    const headers = { 'x-api-key': key(), 'content-type': 'application/json' };
    const url = `${world().baseUrl}/api/v1/agents/${world().agentId(agent)}/run`;
    const answer = await fetch(url, {
      method: 'POST',
      headers,
      body: JSON.stringify({ user_message: 'read', agent_version: version, trial }),
    });
    return ((await answer.json()) as { data: { id: string } }).data.id;
  };

  /** The id of the document. */
  return async (
    agent: string,
    extracted: Partial<ExtractedDocument> = {},
    version?: number,
    trial?: boolean,
  ): Promise<string> => {
    const { container } = world().composition;
    const queue = container.get(RunQueue);
    const answer = {
      data: { total: 12 },
      evidence: {},
      coverage: {
        pagesRead: 0,
        pagesTotal: 0,
        charactersRead: 0,
        charactersTotal: 0,
        complete: true,
        unread: [],
        doubts: [],
      },
    };
    const turn = {
      answer: async () => ({
        ...answer,
        einvoice: null,
        contradictions: [],
        fileHashes: [],
        pagesOcr: 0,
        ...extracted,
      }),
    };
    const [conversations, users, changes] = [
      container.get(ConversationRepository),
      container.get(UserRepository),
      container.get(DocumentChanges),
    ];
    const findings = container.get(DocumentFindings);
    const [agents, ids] = [container.get(AgentRepository), container.get(Ids)];
    const work = runWork({
      queue,
      turn,
      divide: () => Promise.reject(new Error('No agent of these runs divides files.')),
      versions: container.get(AgentVersionRepository),
      findings,
      changes,
      agents,
      conversations,
      users,
      ids,
      settings: { approvalHours: 24 },
    });
    const runId = await newRun(agent, version, trial);
    const [leased] = await queue.lease('test', 1, 60);
    if (leased?.run.id !== runId) throw new Error(`run ${runId} cannot be leased`);
    await work(leased, (unit) => unit(), new AbortController().signal);
    const detail = await fetch(`${world().baseUrl}/api/v1/runs/${runId}`, { headers: { 'x-api-key': key() } });
    const { data } = (await detail.json()) as { data: { documents: readonly { id: string }[] } };
    return data.documents[0]?.id ?? anId();
  };
};
