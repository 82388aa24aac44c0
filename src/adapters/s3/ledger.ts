import type { ErasureLedger } from '../../application/ports/erasures.ts';
import { nullIfMissing } from './errors.ts';
import type { BucketObjects } from './objects.ts';

/** Where the ledger of erasures is. */
const LEDGER = 'erasures/';

/** The ledger of erasures, an object for each. */
export const bucketLedger = ({ ask, under }: BucketObjects, Bucket: string): ErasureLedger => ({
  write: (id, text) =>
    ask(async ({ sdk, client }) => {
      const object = { Bucket, Key: LEDGER + id, Body: text, ContentType: 'application/json' };
      await client.send(new sdk.PutObjectCommand(object));
    }),
  ids: async () => (await under(LEDGER)).map(({ Key = '' }) => Key.slice(LEDGER.length)),
  read: (id) =>
    ask(async ({ sdk, client }) => {
      const object = await client.send(new sdk.GetObjectCommand({ Bucket, Key: LEDGER + id })).catch(nullIfMissing);
      return (await object?.Body?.transformToString()) ?? null;
    }),
});
