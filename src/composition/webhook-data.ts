import { document } from '../adapters/http/shapes/document.ts';
import { run } from '../adapters/http/shapes/run.ts';
import type { WebhookSubject } from '../application/ports/webhooks.ts';
import { isObject } from '../domain/json.ts';

/** What a webhook is told of a run or a document: what the API would show, but for a document's data. */
export const webhookData = (subject: WebhookSubject): unknown => {
  if (subject.kind === 'run') return run.encode(subject.run);
  const shown = document.encode({ ...subject.document, documentData: null });
  return isObject(shown) ? Object.fromEntries(Object.entries(shown).filter(([name]) => name !== 'document_data')) : shown;
};
