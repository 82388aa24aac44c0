import { shownAddress, type Webhook } from '../../domain/webhook.ts';
import { type Ground, type Merged, merge, sealedAs } from './merge.ts';
import type { WebhookSpec } from './spec.ts';

/** Known by their whole address, of which only a part is shown. */
export const mergeWebhooks = (
  { workspace, now, ids, sealer }: Ground,
  wanted: readonly WebhookSpec[],
  stored: readonly Webhook[],
): Merged<Webhook> => {
  const merged = merge<WebhookSpec, Webhook>('webhooks', wanted, stored, {
    idOf: () => null,
    nameOf: (item) => ('url' in item ? item.url : sealer.open(item.sealedUrl)),
    build: ({ url, events, secret }, found) => ({
      ...{ id: found?.id ?? ids.next(), workspaceId: workspace.id, address: shownAddress(url), events },
      ...{ sealedUrl: sealedAs(url, found?.sealedUrl, sealer), sealedSecret: sealedAs(secret, found?.sealedSecret, sealer) },
      ...{ createdAt: found?.createdAt ?? now, updatedAt: now },
    }),
  });
  return { ...merged, changes: merged.changes.map((change) => ({ ...change, name: shownAddress(change.name) })) };
};
