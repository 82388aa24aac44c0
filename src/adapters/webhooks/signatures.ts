import { createHmac } from 'node:crypto';
import type { WebhookSignatures } from '../../application/ports/webhooks.ts';

const PREFIX = 'whsec_';
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;

/** `whsec_` and base64 is a key in bytes; any other text is a key as it stands. */
const keyOf = (secret: string): Buffer =>
  secret.startsWith(PREFIX) ? Buffer.from(secret.slice(PREFIX.length), 'base64') : Buffer.from(secret, 'utf8');

export const standardSignatures: WebhookSignatures = {
  defect(secret) {
    if (secret.startsWith(PREFIX) && !BASE64.test(secret.slice(PREFIX.length))) return `must be base64 after ${PREFIX}`;
    return keyOf(secret).length === 0 ? 'is empty' : null;
  },
  bytesOf: (secret) => keyOf(secret).length,
  sign(secret, { id, timestamp, body }) {
    const signed = createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest('base64');
    return `v1,${signed}`;
  },
};
