import type { Caller } from '../../domain/caller.ts';
import { mustExist, notFound } from '../../domain/errors.ts';
import type { AgentVersionRepository, DocumentRepository, ShownDocument } from '../ports/storage.ts';

interface Dependencies {
  readonly documents: DocumentRepository;
  readonly versions: Pick<AgentVersionRepository, 'listVisible'>;
}

/** Documents as a caller finds them: one that is not visible does not exist. */
export const visibleDocuments = ({ documents, versions }: Dependencies) => {
  /** Also in the trash. */
  const find = async (caller: Caller, id: string) => mustExist(await documents.findVisible(caller, id), 'document');

  const get = async (caller: Caller, id: string) => {
    const document = await find(caller, id);
    if (document.status === 'trashed') throw notFound('document');
    return document;
  };

  const update = async (...change: Parameters<DocumentRepository['update']>) =>
    mustExist(await documents.update(...change), 'document');

  /** That of the version of its agent that made the document: its data is valid against that one. */
  const definitionOf = async (caller: Caller, { agentId, agentVersion }: ShownDocument) => {
    const [definition] = (await versions.listVisible(caller, agentId, agentVersion + 1, 1)) ?? [];
    return mustExist(definition, 'document');
  };

  return { find, get, update, definitionOf };
};

export type VisibleDocuments = ReturnType<typeof visibleDocuments>;
