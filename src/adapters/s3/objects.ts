import type { _Object, HeadObjectCommandOutput } from '@aws-sdk/client-s3';
import type { Clients, lazyClients } from './client.ts';
import { nullIfMissing, storeFailure } from './errors.ts';

/** The objects of a bucket. An error of the store becomes a DomainError with a message for people. */
export const bucketObjects = (clients: ReturnType<typeof lazyClients>, bucket: string) => {
  const ask = async <T>(work: (clients: Clients) => Promise<T>, signal?: AbortSignal): Promise<T> => {
    try {
      return await work(await clients.get());
    } catch (error) {
      signal?.throwIfAborted();
      throw storeFailure(error);
    }
  };

  return {
    ask,

    /** null if there is none. */
    head: (key: string): Promise<HeadObjectCommandOutput | null> =>
      ask(({ sdk, client }) =>
        client.send(new sdk.HeadObjectCommand({ Bucket: bucket, Key: key })).catch(nullIfMissing),
      ),

    async remove(key: string): Promise<void> {
      await ask(({ sdk, client }) =>
        client.send(new sdk.DeleteObjectCommand({ Bucket: bucket, Key: key })).catch(nullIfMissing),
      );
    },

    /** All whose keys begin so. */
    under: (prefix: string): Promise<readonly _Object[]> =>
      ask(async ({ sdk, client }) => {
        const objects: _Object[] = [];
        const pages = sdk.paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: prefix });
        for await (const { Contents = [] } of pages) objects.push(...Contents);
        return objects;
      }),
  };
};

export type BucketObjects = ReturnType<typeof bucketObjects>;
