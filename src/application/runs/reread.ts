import { type Caller, mustWrite } from '../../domain/caller.ts';
import { mustRest } from '../../domain/document.ts';
import { DomainError, invalid, mustExist } from '../../domain/errors.ts';
import { mustNotBeHeld } from '../../domain/hold.ts';
import type { RunFile } from '../../domain/run.ts';
import type { DocumentService } from '../documents/documents.ts';
import type { SourceFiles } from '../files/source-files.ts';
import type { AgentRepository, RunRepository, RunSummary, ShownDocument } from '../ports/storage.ts';
import { concurrently } from '../shared/async.ts';
import type { RunService } from './runs.ts';

interface Dependencies {
  readonly documents: Pick<DocumentService, 'get'>;
  readonly agents: Pick<AgentRepository, 'findVisible'>;
  readonly runs: Pick<RunRepository, 'findVisible'>;
  readonly starts: Pick<RunService, 'start'>;
  readonly sources: Pick<SourceFiles, 'check'>;
}

const FILES_AT_ONCE = 8;

const withoutFiles = (what: string) => new DomainError('conflict', `${what}: it cannot be read again.`);

/** Reads the files of a document again, in a run of their own; the new document takes the place of the one before. */
export const rereads = ({ documents, agents, runs, starts, sources }: Dependencies) => {
  const mustExtract = async (caller: Caller, agentId: string) => {
    const agent = await agents.findVisible(caller, agentId);
    if (agent === null) throw invalid({ path: 'agent_id', message: 'must be an agent that you see' });
    if (agent.workflowType !== 'document_extraction')
      throw invalid({ path: 'agent_id', message: 'must be an agent of the workflow type document_extraction' });
  };

  /** What the document was read from: all files of its unit, with the message that came with them. */
  const readFrom = async (caller: Caller, { id, runId }: ShownDocument) => {
    const { files, units, userMessage, processTogether } = mustExist(await runs.findVisible(caller, runId), 'run');
    const { fileIndexes = [], part = null } = units.find(({ documentId }) => documentId === id) ?? {};
    if (part !== null)
      throw withoutFiles('The document is a part of a file, which its run divides: change the parts of the run');
    return { files: fileIndexes.flatMap((index) => files[index] ?? []), userMessage, processTogether };
  };

  const mustBeKept = async (files: readonly RunFile[], signal: AbortSignal) => {
    if (files.length === 0) throw withoutFiles('The document was not read from a file');
    const kept = await concurrently(files, FILES_AT_ONCE, ({ fileKey }) => sources.check(fileKey, signal));
    const gone = files.find((_, index) => kept[index] === null);
    if (gone) throw withoutFiles(`The file ${gone.fileName} of the document is no longer in the file store`);
  };

  /** `agentId`: null for the agent of the document. */
  return async (caller: Caller, id: string, agentId: string | null, signal: AbortSignal): Promise<RunSummary> => {
    mustWrite(caller);
    const document = await documents.get(caller, id);
    mustRest(document);
    mustNotBeHeld(document);
    const by = agentId ?? document.agentId;
    await mustExtract(caller, by);
    const request = await readFrom(caller, document);
    await mustBeKept(request.files, signal);
    const { run } = await starts.start(caller, {
      ...request,
      agentId: by,
      rereadOf: document.id,
      traceId: null,
      idempotency: null,
    });
    return run;
  };
};

export type Rereads = ReturnType<typeof rereads>;
