import type { AgentDefinition } from '../../domain/agent.ts';
import { mustExist, notFound } from '../../domain/errors.ts';
import type { AgentVersionRepository, DocumentRepository, ShownDocument, Viewer } from '../ports/storage.ts';

interface Dependencies {
  readonly documents: DocumentRepository;
  readonly versions: Pick<AgentVersionRepository, 'listVisible'>;
}

/** Documents as a caller finds them: one that is not visible does not exist. */
export const visibleDocuments = ({ documents, versions }: Dependencies) => {
  /** Also in the trash. */
  const find = async (viewer: Viewer, id: string) => mustExist(await documents.findVisible(viewer, id), 'document');

  const get = async (viewer: Viewer, id: string) => {
    const document = await find(viewer, id);
    if (document.status === 'trashed') throw notFound('document');
    return document;
  };

  const update = async (...change: Parameters<DocumentRepository['update']>) =>
    mustExist(await documents.update(...change), 'document');

  /** That of the version of its agent that made the document: its data is valid against that one. */
  const definitionOf = async (viewer: Viewer, { agentId, agentVersion }: ShownDocument): Promise<AgentDefinition> => {
    const [definition] = (await versions.listVisible(viewer, agentId, agentVersion + 1, 1)) ?? [];
    return mustExist(definition, 'document');
  };

  return { find, get, update, definitionOf };
};

export type VisibleDocuments = ReturnType<typeof visibleDocuments>;

/** The same for work that the workspace itself asks for: nothing of it is hidden. */
export const workspaceDocuments = ({
  documents,
  versions,
}: {
  readonly documents: Pick<DocumentRepository, 'find'>;
  readonly versions: Pick<AgentVersionRepository, 'find'>;
}): Pick<VisibleDocuments, 'get' | 'definitionOf'> => ({
  async get({ workspaceId }, id) {
    const found = await documents.find(id);
    if (found?.workspaceId !== workspaceId || found.status === 'trashed') throw notFound('document');
    return found;
  },
  definitionOf: async (_, { agentId, agentVersion }) =>
    mustExist(await versions.find(agentId, agentVersion), 'document'),
});
