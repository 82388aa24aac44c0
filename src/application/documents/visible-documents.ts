import type { AgentDefinition } from '../../domain/agent.ts';
import { mustExist, notFound } from '../../domain/errors.ts';
import type {
  AgentVersionRepository,
  DocumentHead,
  DocumentRepository,
  PrintedContents,
  ShownDocument,
  Viewer,
} from '../ports/storage.ts';

interface Dependencies {
  readonly documents: DocumentRepository;
  readonly versions: Pick<AgentVersionRepository, 'listVisible'>;
}

interface PrintedDocument {
  readonly head: DocumentHead;
  readonly contents: PrintedContents;
}

const mustBeKept = <D extends DocumentHead>(document: D): D => {
  if (document.status === 'trashed') throw notFound('document');
  return document;
};

/** Documents as a caller finds them: one that is not visible does not exist. */
export const visibleDocuments = ({ documents, versions }: Dependencies) => {
  /** Also in the trash. */
  const find = async (viewer: Viewer, id: string) => mustExist(await documents.findVisible(viewer, id), 'document');

  const get = async (viewer: Viewer, id: string) => mustBeKept(await find(viewer, id));

  /** Also in the trash. */
  const findHead = async (viewer: Viewer, id: string) =>
    mustExist(await documents.findVisibleHead(viewer, id), 'document');

  /** The document without its data and evidence. */
  const getHead = async (viewer: Viewer, id: string) => mustBeKept(await findHead(viewer, id));

  /** With its data and evidence; if they are of another revision by now, as it is now. */
  const print = async (viewer: Viewer, head: DocumentHead): Promise<PrintedDocument> => {
    const contents = await documents.printContents(head);
    return contents === null ? print(viewer, await findHead(viewer, head.id)) : { head, contents };
  };

  const update = async (...change: Parameters<DocumentRepository['update']>) =>
    mustExist(await documents.update(...change), 'document');

  /** That of the version of its agent that made the document: its data is valid against that one. */
  const definitionOf = async (
    viewer: Viewer,
    { agentId, agentVersion }: Pick<ShownDocument, 'agentId' | 'agentVersion'>,
  ): Promise<AgentDefinition> => {
    const [definition] = (await versions.listVisible(viewer, agentId, agentVersion + 1, 1)) ?? [];
    return mustExist(definition, 'document');
  };

  return { find, get, findHead, getHead, print, update, definitionOf };
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
    const document = await documents.find(id);
    if (document?.workspaceId !== workspaceId || document.status === 'trashed') throw notFound('document');
    return document;
  },
  definitionOf: async (_, { agentId, agentVersion }) =>
    mustExist(await versions.find(agentId, agentVersion), 'document'),
});
