import { documentEvent } from '../adapters/http/shapes/document.ts';
import { run } from '../adapters/http/shapes/run.ts';
import type { WebhookSubject } from '../application/ports/webhooks.ts';

/** What a webhook is told of a run or a document: what the API would show, but for a document's data. */
export const webhookData = (subject: WebhookSubject): unknown =>
  subject.kind === 'run' ? run.encode(subject.run) : documentEvent.encode(subject.document);
