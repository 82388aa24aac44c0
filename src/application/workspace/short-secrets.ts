import { shownAddress } from '../../domain/web-address.ts';
import type { WorkspaceSpec } from '../../domain/workspace-spec.ts';
import type { WebhookSignatures } from '../ports/webhooks.ts';

/** Standard Webhooks asks for at least so many: whoever has seen one delivery can find a shorter secret by trying, and then sign deliveries. */
export const SECRET_BYTES = 24;

/** The webhooks of a file whose secrets are shorter. It is no error: receivers may have to know the new one first. */
export const shortSecretsIn = ({ webhooks }: WorkspaceSpec, { bytesOf }: Pick<WebhookSignatures, 'bytesOf'>) =>
  webhooks.flatMap(({ url, secret }) => {
    const bytes = Math.min(...secret.map(bytesOf));
    return bytes < SECRET_BYTES ? [{ webhook: shownAddress(url), bytes }] : [];
  });
