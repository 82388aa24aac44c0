import type { DocumentService } from '../../application/documents/documents.ts';
import type { DocumentHead, ShownDocument } from '../../application/ports/storage.ts';
import type { Caller } from '../../domain/caller.ts';
import { omit } from '../../domain/omit.ts';
import { WithTexts } from './operation.ts';

/** The answer that shows a document: its data and evidence may be long, and are sent as the database has them. */
export const shown = ({ printOne }: Pick<DocumentService, 'printOne'>, caller: Caller, document: DocumentHead) =>
  new WithTexts(document, async () => {
    const { head, contents } = await printOne(caller, document);
    return {
      data: omit(head as ShownDocument, 'documentData', 'evidence'),
      texts: { document_data: contents.documentData, evidence: contents.evidence },
    };
  });
